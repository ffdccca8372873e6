import { readLogOf } from "../../runtime/storage/log-reader.ts"
import { StoreError } from "../../runtime/storage/store.ts"
import type { Store, WatchOptions } from "../../runtime/storage/store.ts"

/** A store with switchable faults, for tests of the layers above it. */
export interface UnreliableStore extends Store {
  /** Every call fails from now on, and every watch ends; undefined: the store has recovered. */
  fail(error: StoreError | undefined): void
  /** Ends the open watches; new ones begin as usual. */
  endWatches(error: StoreError): void
  /** Blocks lists until the returned function is called. */
  holdLists(): () => void
  /** Blocks reads of the log until the returned function is called. */
  holdPast(): () => void
  /** Watches opened so far, including failed ones. */
  readonly watchesOpened: number
  /** Reads of the log so far. */
  readonly pastsRead: number
  readonly listsMade: number
}

/** Called by tests with a driver's store. */
export function unreliable(store: Store): UnreliableStore {
  const watches = new Set<WatchOptions>()
  let fault: StoreError | undefined
  let gate: Promise<void> = Promise.resolve()
  let pastGate: Promise<void> = Promise.resolve()
  let watchesOpened = 0
  let pastsRead = 0
  let listsMade = 0
  function check(): void {
    if (fault !== undefined) throw fault
  }
  function endWatches(error: StoreError): void {
    const ended = [...watches]
    watches.clear()
    for (const watch of ended) watch.onEnd(error)
  }
  async function watch(options: WatchOptions): Promise<{ stop(): void }> {
    watchesOpened++
    check()
    watches.add(options)
    try {
      const watching = await store.watch({
        ...options,
        onEvents: (events, revision) => watches.has(options) && options.onEvents(events, revision),
      })
      return {
        stop() {
          watches.delete(options)
          watching.stop()
        },
      }
    } catch (error) {
      watches.delete(options)
      throw error
    }
  }
  return {
    get watchesOpened() {
      return watchesOpened
    },
    get listsMade() {
      return listsMade
    },
    fail(error) {
      fault = error
      if (error !== undefined) endWatches(error)
    },
    endWatches,
    holdLists() {
      let release = (): void => undefined
      gate = new Promise((resolve) => {
        release = resolve
      })
      return () => release()
    },
    get pastsRead() {
      return pastsRead
    },
    holdPast() {
      let release = (): void => undefined
      pastGate = new Promise((resolve) => {
        release = resolve
      })
      return () => release()
    },
    async readLog(options) {
      pastsRead++
      check()
      const past = await readLogOf(store, options)
      await pastGate
      check()
      return past
    },
    async get(options) {
      check()
      return store.get(options)
    },
    async list(options) {
      listsMade++
      check()
      const found = await store.list(options)
      await gate
      check()
      return found
    },
    async commit(options) {
      check()
      return store.commit(options)
    },
    watch,
    async revision() {
      check()
      return store.revision()
    },
    async compact(options) {
      check()
      return store.compact(options)
    },
    async status() {
      check()
      return store.status()
    },
    close: () => store.close(),
  }
}

/** The error of a store that cannot be reached, or has compacted the requested revision. */
export function lost(code: "unavailable" | "compacted" = "unavailable"): StoreError {
  return new StoreError(code, "connection refused")
}
