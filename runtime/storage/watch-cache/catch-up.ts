/**
 * Subscribers of one resource that are behind. Each has a position, the revision up to which it got every event, and
 * takes the following events in pieces: from the event window, or from the store's log where the window does not reach
 * back. A piece is taken when the subscriber has room for it, so a slow client costs no more than its position. A
 * subscriber that has taken every piece joins live dispatch again.
 *
 *     behind ──piece──▶ behind ──no room──▶ waits ──▶ behind … ──position = newest──▶ joined
 */
import type { StoreError } from "../store.ts"
import type { DeliveryQueue } from "./delivery-turns.ts"
import { EventPage, type EventPages, firstPiece, type PageLimits } from "./event-pages.ts"
import type { EventWindow } from "./event-window.ts"
import type { HistoryReader } from "./history.ts"
import { deliveryWork, type Subscriber, type Subscribers } from "./subscribers.ts"

interface CatchUpOptions {
  readonly keyPrefix: string
  readonly pieces: PageLimits
  readonly turns: DeliveryQueue
  readonly pages: EventPages
  /** The present window; it is replaced when the resource starts over. */
  readonly window: () => EventWindow
  /** Why no subscriber can catch up now; undefined when the resource is live. */
  readonly hindrance: () => StoreError | undefined
  readonly subscribers: Subscribers
  readonly history: HistoryReader
}

/** Cost of a piece in microseconds besides its events: finding it, and framing and writing its bytes. */
const pieceWork = 30
const bytesPerMicrosecond = 200

/** One per resource. */
export class CatchUp {
  constructor(private readonly options: CatchUpOptions) {}

  /** Called with a subscriber that begins in the past; its first piece follows after the caller has returned. */
  begin(subscriber: Subscriber): void {
    this.options.subscribers.addBehind(subscriber)
    this.options.turns.add(subscriber)
  }

  /** Called with a subscriber that leaves live dispatch. */
  fellBehind(subscriber: Subscriber, room: Promise<void> | undefined): void {
    if (room === undefined) this.options.turns.defer(subscriber)
    else this.waitForRoom(subscriber, room)
  }

  /**
   * Delivers the next piece to one subscriber. Synchronous, so that no event falls between the last piece and joining
   * live dispatch.
   */
  step(subscriber: Subscriber): number {
    const { hindrance, subscribers, window } = this.options
    if (subscriber.stopped) return 0
    const fault = hindrance()
    if (fault !== undefined) {
      subscribers.end(subscriber, fault)
      return 0
    }
    if (subscriber.position >= window().newest) {
      subscribers.add(subscriber)
      return 0
    }
    const page = this.options.pages.find(subscriber.position) ?? this.cut(subscriber.position)
    if (page !== undefined) return this.take(subscriber, page)
    this.options.history.request(subscriber)
    return pieceWork
  }

  private take(subscriber: Subscriber, page: EventPage): number {
    const { keyPrefix, subscribers, turns, window } = this.options
    const { options, scope } = subscriber
    const events = page.within({ scope, isExact: options.exact === true, keyPrefix }, subscriber.position)
    subscribers.emit(subscriber, events, page.revision)
    if (subscriber.stopped) return pieceWork
    subscriber.position = page.revision
    const room = options.room?.()
    if (room !== undefined) this.waitForRoom(subscriber, room)
    else if (page.revision >= window().newest) subscribers.add(subscriber)
    else turns.add(subscriber)
    return pieceWork + deliveryWork(options, events.length) + page.sizeBytes / bytesPerMicrosecond
  }

  private waitForRoom(subscriber: Subscriber, room: Promise<void>): void {
    subscriber.isBlocked = true
    void room.then(() => {
      subscriber.isBlocked = false
      this.options.turns.add(subscriber)
    })
  }

  /** Cuts a piece out of the window; undefined when the window does not reach back so far. */
  private cut(position: number): EventPage | undefined {
    const { pages, pieces, window } = this.options
    if (position < window().low) return undefined
    const end = pages.nextStart(position)
    const { events, isFull } = firstPiece(upTo(window().after(position), end), pieces)
    const isWhole = isFull || end < Number.POSITIVE_INFINITY
    const revision = isFull || !isWhole ? events.at(-1)?.revision : end
    const page = new EventPage(position, revision ?? position, events, false)
    pages.keep(page, isWhole)
    return page
  }
}

function* upTo<T extends { readonly revision: number }>(events: Iterable<T>, end: number): Generator<T, void, undefined> {
  for (const event of events) {
    if (event.revision > end) return
    yield event
  }
}
