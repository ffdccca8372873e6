/**
 * The one stream of events inside an embedded store: whatever was committed, in order, to every watcher. Drivers publish
 * right after durability and before they acknowledge.
 */
import type { StoreError, StoreEvent, WatchOptions } from "./store.ts"

export interface Feed {
  /** Everything up to here was handed to every watcher. */
  readonly revision: number
  /** Called by the driver once per durable batch, with a greater revision each time. Watchers hear of it before this returns. */
  publish(events: readonly StoreEvent[], revision: number): void
  /** Called when the watcher has all events up to `revision`; the returned function takes it out. */
  attach(options: WatchOptions): () => void
  /** Called when the store closes: every watcher is told, none is called again. */
  end(error: StoreError): void
}

/** Called once per open store, with the revision it was opened at. */
export function createFeed(startRevision: number): Feed {
  const watchers = new Set<WatchOptions>()
  const queue: { events: readonly StoreEvent[]; revision: number }[] = []
  let revision = startRevision
  let publishing = false
  /** A watcher may itself commit: what it causes waits until everybody has heard of the present batch. */
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
    publish,
    attach(options) {
      // A copy, so that one options object given twice is two watchers.
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

/** Called for live batches and for replays alike: leaves out what the watcher did not ask for. */
export function deliver(watcher: WatchOptions, events: readonly StoreEvent[], revision: number): void {
  const { prefix } = watcher
  const wanted = prefix === "" ? events : events.filter((event) => event.key.startsWith(prefix))
  guarded(() => watcher.onEvents(wanted, revision))
}

/** A watcher that throws is a fault of the program, to be seen as an uncaught exception; the others and the writer go on. */
function guarded(call: () => void): void {
  try {
    call()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
