/**
 * Brings events from before the window back from the store's log: after a restart every client resumes from a revision
 * that this process never saw. One read serves all that wait, and what it found extends the window, so that a
 * thousand watchers coming back cost one pass over the log and share the same objects and frames.
 */
import type { Clock } from "../../clock.ts"
import { StoreError } from "../store.ts"
import type { Store, StoreEvent } from "../store.ts"
import { CachedEntry, DeletedEntry } from "./entry.ts"
import type { EntryContext } from "./entry.ts"
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
  readonly context: EntryContext
  readonly owns: (key: string) => boolean
  /** The present window: another one after the resource started over. */
  readonly window: () => EventWindow
  /** Called with a subscriber whose past is in the window now. */
  readonly resume: (subscriber: Subscriber) => void
  /** Called with a subscriber whose past cannot be had. */
  readonly end: (subscriber: Subscriber, error: StoreError) => void
}

/** One pass over the log, up to the beginning of the window. */
interface Reading {
  /** Every event after this is in `events`; grows when there are too many. */
  after: number
  events: StoreEvent[]
  bytes: number
  /** More was found than may be held: `after` is not what was asked for. */
  dropped: boolean
  /** Known once the store has answered; a pass may be over before that. */
  watch?: { stop(): void }
}

/** One per resource. */
export class HistoryReader {
  private waiting: Subscriber[] = []
  private reading: Reading | undefined
  /** While a pass that broke off is to be made again. */
  private cancelRetry: (() => void) | undefined
  private attempts = 0

  constructor(private readonly options: HistoryOptions) {}

  /** Called with a subscriber that begins below the window; it is resumed or ended later. */
  request(subscriber: Subscriber): void {
    this.waiting.push(subscriber)
    if (this.reading === undefined && this.cancelRetry === undefined) void this.read()
  }

  /** Called when the resource starts over or closes: answers those that wait, who are its caller's to end. */
  giveUp(): readonly Subscriber[] {
    this.over()
    this.cancelRetry?.()
    this.cancelRetry = undefined
    const { waiting } = this
    this.waiting = []
    return waiting
  }

  private async read(): Promise<void> {
    const { keyPrefix, store } = this.options
    const reading: Reading = {
      after: Math.min(...this.waiting.map((subscriber) => subscriber.options.afterRevision)),
      events: [],
      bytes: 0,
      dropped: false,
    }
    this.reading = reading
    try {
      const watch = await store.watch({
        prefix: keyPrefix,
        afterRevision: reading.after,
        onEvents: (events, revision) => this.collect(reading, events, revision),
        onEnd: (error) => this.failed(reading, error),
      })
      if (this.reading === reading) reading.watch = watch
      else watch.stop()
    } catch (error) {
      this.failed(reading, asStoreError(error))
    }
  }

  private collect(reading: Reading, events: readonly StoreEvent[], revision: number): void {
    if (this.reading !== reading) return
    const { limits, owns, window } = this.options
    for (const event of events) {
      if (!owns(event.key)) continue
      reading.events.push(event)
      reading.bytes += sizeOf(event)
    }
    if (reading.bytes > limits.historyBytes) dropOldest(reading, limits.historyBytes / 2)
    if (revision >= window().low) this.finish(reading)
  }

  private finish(reading: Reading): void {
    const { clock, window } = this.options
    this.over()
    this.attempts = 0
    const { low } = window()
    if (reading.after < low) {
      const older = reading.events.filter((event) => event.revision <= low)
      window().prepend(this.held(older), reading.after, clock.nowMs())
    }
    const { waiting } = this
    this.waiting = []
    for (const subscriber of waiting) {
      if (reading.dropped && subscriber.options.afterRevision < reading.after) this.options.end(subscriber, tooLong(reading.after))
      // Who asked meanwhile for something older still comes back here by itself.
      else this.options.resume(subscriber)
    }
  }

  private failed(reading: Reading, error: StoreError): void {
    if (this.reading !== reading) return
    this.over()
    if (error.code === "unavailable" || error.code === "timeout") return this.readLater()
    const oldest = error.code === "compacted" ? error.revision : undefined
    if (oldest !== undefined) this.options.feed.compactedRevision = Math.max(this.options.feed.compactedRevision, oldest)
    const { waiting } = this
    this.waiting = []
    for (const subscriber of waiting) {
      // Only who begins where the log still reaches may try again, and only if that is later than what was tried.
      const reachable = oldest !== undefined && oldest > reading.after && subscriber.options.afterRevision >= oldest
      if (reachable) this.options.resume(subscriber)
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
      if (this.waiting.length > 0) void this.read()
    })
  }

  private over(): void {
    this.reading?.watch?.stop()
    this.reading = undefined
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

/** Makes room for the newer events, by whole revisions; to well below the limit, so that this is rare. */
function dropOldest(reading: Reading, targetBytes: number): void {
  let count = 0
  for (const event of reading.events) {
    if (reading.bytes <= targetBytes && event.revision !== reading.after) break
    reading.bytes -= sizeOf(event)
    reading.after = event.revision
    count++
  }
  reading.events = reading.events.slice(count)
  reading.dropped = true
}

function sizeOf(event: StoreEvent): number {
  return (event.value?.byteLength ?? 0) + (event.previous?.value.byteLength ?? 0)
}

function tooLong(oldest: number): StoreError {
  return new StoreError("compacted", "more happened since than a watch may be told at once", oldest)
}
