/**
 * The one watch that feeds all resources. Revisions are one sequence for the whole store, so one stream also shows
 * every quiet resource that it is current.
 *
 *     start ──▶ connecting ──watch──▶ live ──onEnd──▶ lost ──back-off──▶ connecting
 *
 * A lost watch is resumed after the last revision received, invisibly to the resources. There is a gap only when the
 * store has compacted that revision ("compacted") or never had it ("future": restored from a backup): then everything
 * is read again from the store's present revision.
 */
import type { Clock } from "../../base/clock.ts"
import { StoreError } from "../store.ts"
import type { Store, StoreEvent } from "../store.ts"
import type { CacheLimits } from "./options.ts"

/** Dependencies and callbacks of the feed. */
export interface FeedOptions {
  readonly store: Store
  readonly prefix: string
  readonly clock: Clock
  readonly limits: CacheLimits
  /** Events in order; `feed.revision` is already the new one. */
  readonly onBatch: (events: readonly StoreEvent[], revision: number) => void
  /** The stream has a gap: resources must be filled again. Called while `revision` is still the old one. */
  readonly onGap: (error: StoreError) => void
}

/** One per cache. */
export class StoreFeed {
  /** Every event up to this revision was received; 0 before the first connection and after a gap. */
  revision = 0
  /** Oldest revision at which the store's own log is known to begin. */
  compactedRevision = 0
  /** Why the feed is not live; undefined when it is. */
  fault: string | undefined = "the store's watch has not started yet"

  private session = 0
  private attempts = 0
  private closed = false
  private watch: { stop(): void } | undefined
  private cancelRetry: (() => void) | undefined
  private waiting: (() => void)[] = []

  constructor(private readonly options: FeedOptions) {}

  /** Called once. */
  start(): void {
    void this.connect()
  }

  /** Resolves when the feed is live (at once when it is); never rejects. */
  live(): Promise<void> {
    if (this.fault === undefined) return Promise.resolve()
    return new Promise((resolve) => this.waiting.push(resolve))
  }

  close(): void {
    this.closed = true
    this.session++
    this.fault = "the cache has been closed"
    this.cancelRetry?.()
    this.watch?.stop()
    this.watch = undefined
    this.waiting = []
  }

  private async connect(): Promise<void> {
    const { store, prefix } = this.options
    const session = ++this.session
    try {
      if (this.revision === 0) {
        const revision = await store.revision()
        if (session !== this.session) return
        this.revision = revision
      }
      const watch = await store.watch({
        prefix,
        afterRevision: this.revision,
        previous: false,
        onEvents: (events, revision) => {
          if (session === this.session) this.receive(events, revision)
        },
        onEnd: (error) => {
          if (session === this.session) this.lost(error)
        },
      })
      if (session !== this.session) {
        watch.stop()
        return
      }
      this.watch = watch
      const { compactedRevision } = await store.status()
      if (session === this.session) this.connected(compactedRevision)
    } catch (error) {
      if (session === this.session) this.lost(asStoreError(error))
    }
  }

  private connected(compactedRevision: number): void {
    this.compactedRevision = compactedRevision
    this.attempts = 0
    this.fault = undefined
    const { waiting } = this
    this.waiting = []
    for (const resolve of waiting) resolve()
  }

  private receive(events: readonly StoreEvent[], revision: number): void {
    // A resumed watch must not repeat events; should one do so, they are dropped here, so that no watcher gets an event
    // twice.
    const fresh =
      events[0] !== undefined && events[0].revision <= this.revision ? events.filter((event) => event.revision > this.revision) : events
    if (revision <= this.revision) return
    this.revision = revision
    this.options.onBatch(fresh, revision)
  }

  private lost(error: StoreError): void {
    this.session++
    this.watch?.stop()
    this.watch = undefined
    this.fault = `the store's watch ended: ${error.message}`
    if (error.code === "compacted" || error.code === "future") {
      this.options.onGap(error)
      this.revision = 0
    }
    if (this.closed) return
    const { clock, limits } = this.options
    const delayMs = Math.min(limits.retryMinMs * 2 ** Math.min(this.attempts++, 16), limits.retryMaxMs)
    this.cancelRetry = clock.after(delayMs, () => void this.connect())
  }
}

/** Called with any error of a driver: drivers throw StoreError; anything else is a fault that a retry may cure. */
export function asStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  return new StoreError("unavailable", error instanceof Error ? error.message : String(error))
}
