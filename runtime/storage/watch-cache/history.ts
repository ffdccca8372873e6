/**
 * Brings events from before the window back from the store's log: after a restart every client resumes from a revision that this process never saw. The
 * log is read in pieces, one read at a time, and each piece serves all that need it. Nothing is read ahead: who takes its events slowly costs nothing
 * meanwhile.
 */
import type { Clock } from "../../clock.ts"
import { turnWorkMax } from "../../limits.ts"
import { readPast } from "../past.ts"
import { StoreError } from "../store.ts"
import type { Store, StoreEvent } from "../store.ts"
import type { DeliveryStep, DeliveryTurns } from "./delivery-turns.ts"
import { CachedEntry, DeletedEntry } from "./entry.ts"
import type { EntryContext } from "./entry.ts"
import { EventPage, type EventPages, firstPiece, type PageLimits } from "./event-pages.ts"
import type { EventWindow, HeldEvent } from "./event-window.ts"
import type { CacheLimits } from "./options.ts"
import { asStoreError } from "./store-feed.ts"
import type { StoreFeed } from "./store-feed.ts"
import type { Subscriber } from "./subscribers.ts"

interface HistoryOptions {
  readonly keyPrefix: string
  readonly store: Store
  readonly feed: StoreFeed
  readonly clock: Clock
  readonly limits: CacheLimits
  readonly pieces: PageLimits
  readonly context: EntryContext
  readonly turns: DeliveryTurns
  readonly pages: EventPages
  readonly owns: (key: string) => boolean
  /** The present window: another one after the resource started over. */
  readonly window: () => EventWindow
  /** Called with a subscriber that needs what cannot be had. */
  readonly end: (subscriber: Subscriber, error: StoreError) => void
}

/** One per resource. */
export class HistoryReader implements DeliveryStep {
  private waiting: Subscriber[] = []
  private isDue = false
  /** Changes when the resource starts over: what is under way then is of no use. */
  private session = 0
  /** While a read that broke off is to be made again. */
  private cancelRetry: (() => void) | undefined
  private attempts = 0

  constructor(private readonly options: HistoryOptions) {}

  /** Called with a subscriber whose position lies below the window, when no page has what follows; its step comes again, or it is ended. */
  request(subscriber: Subscriber): void {
    this.waiting.push(subscriber)
    this.readSoon()
  }

  /** Called when the resource starts over or closes; those that wait are its caller's to end. */
  giveUp(): void {
    this.session++
    this.isDue = false
    this.cancelRetry?.()
    this.cancelRetry = undefined
    this.waiting = []
  }

  /** The read takes its turn behind all that wait for a piece of the one before, so that none is dropped before it was used. */
  run(): number {
    void this.read(this.session)
    return turnWorkMax
  }

  private readSoon(): void {
    if (this.isDue || this.cancelRetry !== undefined) return
    this.isDue = true
    this.options.turns.add(this)
  }

  private async read(session: number): Promise<void> {
    if (session !== this.session) return
    const { keyPrefix, limits, pages, store, window } = this.options
    this.waiting = this.waiting.filter((subscriber) => !subscriber.stopped)
    const after = Math.min(...this.waiting.map(({ position }) => position))
    if (after >= window().low) return this.resume()
    try {
      const upTo = Math.min(window().low, pages.nextStart(after))
      const past = await readPast(store, { prefix: keyPrefix, afterRevision: after, upTo, bytes: limits.historyReadBytes })
      if (session !== this.session) return
      this.attempts = 0
      this.keep(after, past)
      this.resume()
    } catch (error) {
      if (session === this.session) this.failed(after, asStoreError(error))
    }
  }

  private resume(): void {
    this.isDue = false
    const { waiting } = this
    this.waiting = []
    for (const subscriber of waiting) this.options.turns.add(subscriber)
  }

  private keep(after: number, { events, revision }: { events: readonly StoreEvent[]; revision: number }): void {
    const { owns, pages, pieces } = this.options
    let left = this.held(events.filter(({ key }) => owns(key)))
    let start = after
    do {
      const piece = firstPiece(left, pieces)
      left = left.slice(piece.events.length)
      const end = piece.isFull ? (piece.events.at(-1)?.revision ?? revision) : revision
      pages.keep(new EventPage(start, end, piece.events, true), true)
      start = end
    } while (left.length > 0)
  }

  private failed(after: number, error: StoreError): void {
    this.isDue = false
    if (error.code === "unavailable" || error.code === "timeout") return this.readLater()
    const oldest = error.code === "compacted" ? error.revision : undefined
    if (oldest !== undefined) this.options.feed.compactedRevision = Math.max(this.options.feed.compactedRevision, oldest)
    const { waiting } = this
    this.waiting = []
    for (const subscriber of waiting) {
      // Only who is where the log still reaches may try again, and only if that is later than what was tried.
      const reachable = oldest !== undefined && oldest > after && subscriber.position >= oldest
      if (reachable) this.options.turns.add(subscriber)
      else this.options.end(subscriber, error)
    }
  }

  /** Who waits for the past need not notice that the store was away, as who watches the present does not. */
  private readLater(): void {
    const { clock, limits } = this.options
    const delayMs = Math.min(limits.retryMinMs * 2 ** Math.min(this.attempts++, 16), limits.retryMaxMs)
    this.cancelRetry = clock.after(delayMs, () => {
      this.cancelRetry = undefined
      this.waiting = this.waiting.filter((subscriber) => !subscriber.stopped)
      if (this.waiting.length > 0) this.readSoon()
    })
  }

  /** Consecutive versions of a key share one object, as they do in the live stream. */
  private held(events: readonly StoreEvent[]): HeldEvent[] {
    const { context } = this.options
    const latest = new Map<string, CachedEntry>()
    const held: HeldEvent[] = []
    for (const { createRevision, key, previous: before, revision, value } of events) {
      const known = latest.get(key)
      const previous =
        known ?? (before === undefined ? undefined : new CachedEntry(context, key, before.createRevision, before.modRevision, before.value))
      if (value === undefined) {
        latest.delete(key)
        if (previous !== undefined)
          held.push({ type: "DELETED", revision, object: new DeletedEntry(context.forms, previous, revision), previous })
        continue
      }
      const object = new CachedEntry(context, key, createRevision, revision, value)
      latest.set(key, object)
      held.push(previous === undefined ? { type: "ADDED", revision, object } : { type: "MODIFIED", revision, object, previous })
    }
    return held
  }
}
