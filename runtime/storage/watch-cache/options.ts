/** What a watch cache is opened with, and the named limits of everything in it that grows. */
import type { UndecodableError } from "../cache.ts"
import type { Clock } from "../../clock.ts"
import type { Store } from "../store.ts"
import type { Verification } from "./verify.ts"

/** Every one of them may be set by `CacheOptions.limits`. */
export interface CacheLimits {
  /** Events younger than this are kept for resuming watches (specification section 4.4: history of 5 minutes). */
  readonly windowMs: number
  /** Bytes of objects held by the event window of one resource; wins over `windowMs`. What is older is read from the store's log, once for all who ask. */
  readonly windowBytes: number
  /** So many events are kept however old they are, for watches of quiet resources. */
  readonly windowEvents: number
  /** Bytes of values of one read of the store's log, for watches that resume from before the window. */
  readonly historyReadBytes: number
  /** Bytes of events of the past that are kept for other watches that catch up, of all resources together. */
  readonly pagesBytes: number
  /** Time after which they go when nobody asks. */
  readonly pagesUnusedMs: number
  /** Events, or bytes of their objects, that a watch that catches up is handed at once. */
  readonly pageEvents: number
  readonly pageBytes: number
  /** All derived forms of all resources together. */
  readonly derivedBytes: number
  /** Pieces of lists that are kept ready, of all resources together; 0: none. */
  readonly gatheredBytes: number
  /** Bytes announced by `expect` that no event has claimed yet. */
  readonly expectedBytes: number
  /** Small objects are kept together in stretches of about this size. */
  readonly slabBytes: number
  /** Stretches are cut out of memory of this size, which becomes resident as it is used. */
  readonly regionBytes: number
  /** Objects per store read while filling. */
  readonly fillPage: number
  /** Events between two snapshots kept to answer reads at an older revision; the rest is undone event by event. */
  readonly checkpointEvents: number
  /** Snapshots kept beside the current state, per resource. */
  readonly checkpoints: number
  /** Snapshots read from the store because they are older than the window, per resource. */
  readonly storedSnapshots: number
  /** Least time between two rounds in which what has grown old is dropped. */
  readonly tidyMs: number
  /** Time between two rounds in which every resource is compared with the store; 0: none. The reference's five minutes. */
  readonly verifyMs: number
  /** First and longest wait before the store is tried again after a failure; doubles in between. */
  readonly retryMinMs: number
  readonly retryMaxMs: number
}

/** For a server of ordinary size; tests set what they are about. */
export const defaultCacheLimits: CacheLimits = {
  windowMs: 5 * 60_000,
  // A minute of 200 writes of 1 KB a second, which is what the reference's cache reaches back to; with twice as much, 5 % more memory is resident after
  // bench/compare, since each event keeps objects of the heap besides its bytes.
  windowBytes: 16 * 1024 * 1024,
  windowEvents: 1000,
  historyReadBytes: 512 * 1024,
  // With their JSON and frames they come to about four times as much.
  pagesBytes: 16 * 1024 * 1024,
  pagesUnusedMs: 30_000,
  pageEvents: 100,
  pageBytes: 128 * 1024,
  derivedBytes: 64 * 1024 * 1024,
  gatheredBytes: 16 * 1024 * 1024,
  expectedBytes: 16 * 1024 * 1024,
  slabBytes: 256 * 1024,
  // Beyond the 32 MiB up to which malloc may serve from its heap.
  regionBytes: 33 * 1024 * 1024,
  fillPage: 5000,
  checkpointEvents: 1024,
  checkpoints: 64,
  storedSnapshots: 2,
  tidyMs: 1000,
  verifyMs: 5 * 60_000,
  retryMinMs: 100,
  retryMaxMs: 5000,
}

/** The arguments of `openCache`. */
export interface CacheOptions {
  readonly store: Store
  /** What every key starts with: `/registry/`. */
  readonly prefix: string
  readonly clock: Clock
  readonly limits?: Partial<CacheLimits>
  /** Whether clients of a storage path are answered from the store; absent: none are. */
  readonly readsStore?: (path: string) => boolean
  /** Told when a resource was found to differ from the store; it is read again then, and its watches end. */
  readonly onMismatch?: (verification: Verification) => void
  /** Told once of each stored value that cannot be read. */
  readonly onUndecodable?: (error: UndecodableError) => void
}
