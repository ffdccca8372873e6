/**
 * The event stream inside an embedded store: every commit, in order, to every watcher. Drivers publish right after a
 * commit is durable and before they acknowledge it.
 */
import type { StoreError, StoreEvent, WatchOptions } from "./store.ts"

export interface Feed {
  /** Every event up to this revision was delivered to every watcher. */
  readonly revision: number
  /** Whether a watcher wants the values that writes replace. */
  readonly wantsPrevious: boolean
  /**
   * Called by the driver once per durable batch, with a greater revision each time. Returns after all watchers were
   * called.
   */
  publish(events: readonly StoreEvent[], revision: number): void
  /** Called when the watcher has all events up to `revision`; the returned function removes it. */
  attach(options: WatchOptions): () => void
  /** Called when the store closes: calls `onEnd` of every watcher, and nothing after that. */
  end(error: StoreError): void
}

/** Called once per open store, with the store's revision at that time. */
export function createFeed(startRevision: number): Feed {
  const watchers = new Set<WatchOptions>()
  const queue: { events: readonly StoreEvent[]; revision: number }[] = []
  let revision = startRevision
  let publishing = false
  /** A watcher may commit from its callback: the resulting batch is queued until all watchers have the present one. */
  function publish(events: readonly StoreEvent[], newRevision: number): void {
    queue.push({ events, revision: newRevision })
    if (publishing) return
    publishing = true
    try {
      for (let batch = queue.shift(); batch !== undefined; batch = queue.shift()) {
        revision = batch.revision
        for (const watcher of [...watchers]) if (watchers.has(watcher)) deliver(watcher, batch.events, batch.revision)
      }
    } finally {
      publishing = false
    }
  }
  return {
    get revision() {
      return revision
    },
    get wantsPrevious() {
      for (const { previous } of watchers) if (previous !== false) return true
      return false
    },
    publish,
    attach(options) {
      // A copy, so that one options object attached twice makes two watchers.
      const watcher = { ...options }
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    end(error) {
      const ended = [...watchers]
      watchers.clear()
      for (const watcher of ended) guarded(() => watcher.onEnd(error))
    },
  }
}

/** Called for live batches and for replays: delivers the events below the watcher's prefix. */
export function deliver(watcher: WatchOptions, events: readonly StoreEvent[], revision: number): void {
  const { prefix } = watcher
  const wanted = prefix === "" ? events : events.filter((event) => event.key.startsWith(prefix))
  guarded(() => watcher.onEvents(wanted, revision))
}

/**
 * An exception in a watcher is a bug and surfaces as an uncaught exception; the writer and the other watchers go on.
 */
function guarded(call: () => void): void {
  try {
    call()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
