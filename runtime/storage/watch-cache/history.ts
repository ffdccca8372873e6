/**
 * Reads events from before the window out of the store's log: after a restart every client resumes from a revision that
 * this process never saw. The log is read in pieces, one read at a time, and each piece serves all subscribers that
 * need it. Nothing is read ahead, so a subscriber that takes its events slowly costs nothing meanwhile.
 */
import type { Clock } from "../../base/clock.ts"
import { turnWorkMax } from "../../base/limits.ts"
import { readLogOf } from "../log-reader.ts"
import { StoreError } from "../store.ts"
import type { Store, StoreEvent } from "../store.ts"
import type { DeliveryStep, DeliveryQueue } from "./delivery-turns.ts"
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
  readonly turns: DeliveryQueue
  readonly pages: EventPages
  readonly owns: (key: string) => boolean
  /** The present window; it is replaced when the resource starts over. */
  readonly window: () => EventWindow
  /** Called with a subscriber whose events are not available any more. */
  readonly end: (subscriber: Subscriber, error: StoreError) => void
}

/** One per resource. */
export class HistoryReader implements DeliveryStep {
  private waiting: Subscriber[] = []
  private isDue = false
  /** Changes when the resource starts over: the result of a read in progress is then discarded. */
  private session = 0
  /** Set while a failed read waits to be repeated. */
  private cancelRetry: (() => void) | undefined
  private attempts = 0

  constructor(private readonly options: HistoryOptions) {}

  /**
   * Called with a subscriber whose position is below the window when no page has the next events. Later the
   * subscriber's step runs again, or the subscriber is ended.
   */
  request(subscriber: Subscriber): void {
    this.waiting.push(subscriber)
    this.readSoon()
  }

  /** Drops the waiting subscribers, which the caller must end. Called when the resource starts over or closes. */
  cancelAll(): void {
    this.session++
    this.isDue = false
    this.cancelRetry?.()
    this.cancelRetry = undefined
    this.waiting = []
  }

  /**
   * The read is queued after all subscribers that wait for a piece of the read before, so that no piece is evicted
   * before it was used.
   */
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
      const past = await readLogOf(store, { prefix: keyPrefix, afterRevision: after, upTo, bytes: limits.historyReadBytes })
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
      // A subscriber may try again only if the log still reaches its position, and only at a later position than the
      // failed one.
      const reachable = oldest !== undefined && oldest > after && subscriber.position >= oldest
      if (reachable) this.options.turns.add(subscriber)
      else this.options.end(subscriber, error)
    }
  }

  /**
   * Retries instead of ending the waiting subscribers: a short outage of the store must not be visible to readers of
   * the past, as it is not to live watchers.
   */
  private readLater(): void {
    const { clock, limits } = this.options
    const delayMs = Math.min(limits.retryMinMs * 2 ** Math.min(this.attempts++, 16), limits.retryMaxMs)
    this.cancelRetry = clock.after(delayMs, () => {
      this.cancelRetry = undefined
      this.waiting = this.waiting.filter((subscriber) => !subscriber.stopped)
      if (this.waiting.length > 0) this.readSoon()
    })
  }

  /** Consecutive versions of a key share one object, as in the live stream. */
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
          held.push({ type: "DELETED", revision, object: new DeletedEntry(context.encodings, previous, revision), previous })
        continue
      }
      const object = new CachedEntry(context, key, createRevision, revision, value)
      latest.set(key, object)
      held.push(previous === undefined ? { type: "ADDED", revision, object } : { type: "MODIFIED", revision, object, previous })
    }
    return held
  }
}
