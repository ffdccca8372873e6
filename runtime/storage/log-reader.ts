/** Reads the log of a store in pieces of limited size. */
import type { LogPiece, LogOptions, Store, StoreError, StoreEvent } from "./store.ts"

/** Returns one piece of a store's log. Throws StoreError "compacted" and "future" as `Store.watch` does. */
export function readLogOf(store: Store, options: LogOptions): Promise<LogPiece> {
  return store.readLog === undefined ? readLogByWatch(store, options) : store.readLog(options)
}

/** For stores without a readable log: watches, and stops once enough events have arrived. */
function readLogByWatch(store: Store, { prefix, afterRevision, upTo, bytes }: LogOptions): Promise<LogPiece> {
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
      // A live commit may be delivered together with the missed events.
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
