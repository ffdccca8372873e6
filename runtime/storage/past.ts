/** The past of a store, read in pieces: what happened after a revision, as much as is asked for. */
import type { Past, PastOptions, Store, StoreError, StoreEvent } from "./store.ts"

/** Called for a piece of a store's log. Throws StoreError "compacted" and "future" as `Store.watch` does. */
export function readPast(store: Store, options: PastOptions): Promise<Past> {
  return store.past === undefined ? pastOfWatch(store, options) : store.past(options)
}

/** Where the log cannot be read, a watch of it is stopped once it has told enough. */
function pastOfWatch(store: Store, { prefix, afterRevision, upTo, bytes }: PastOptions): Promise<Past> {
  return new Promise((resolve, reject) => {
    const events: StoreEvent[] = []
    let size = 0
    let isOver = false
    let watch: { stop(): void } | undefined
    function over(settle: () => void): void {
      if (isOver) return
      isOver = true
      watch?.stop()
      settle()
    }
    function take(told: readonly StoreEvent[], revision: number): void {
      if (isOver) return
      for (const event of told) {
        events.push(event)
        size += event.value?.byteLength ?? 0
      }
      // A commit of the present may come together with what was missed.
      if (revision >= upTo) over(() => resolve({ events: events.filter((event) => event.revision <= upTo), revision: upTo }))
      else if (size >= bytes) over(() => resolve({ events, revision }))
    }
    const fail = (error: StoreError): void => over(() => reject(error))
    store.watch({ prefix, afterRevision, onEvents: take, onEnd: fail }).then(
      (opened) => {
        watch = opened
        if (isOver) opened.stop()
      },
      (error: StoreError) => fail(error),
    )
  })
}
