/** Options of a watch cache, and the limits of everything in it that grows. */
import type { UndecodableError } from "../cache.ts"
import type { Clock } from "../../base/clock.ts"
import type { Store } from "../store.ts"
import type { SlabLimits } from "./slab-pool.ts"
import type { Verification } from "./verification.ts"

/** `CacheOptions.limits` may override each of them. */
export interface CacheLimits extends SlabLimits {
  /** Events younger than this are kept for resuming watches (specification section 4.4: history of 5 minutes). */
  readonly windowMs: number
  /**
   * Size of the objects held by the event window of one resource; takes precedence over `windowMs`. Older events are
   * read from the store's log, once for all watchers that need them.
   */
  readonly windowBytes: number
  /** This many events are kept however old they are, for watches of quiet resources. */
  readonly windowEvents: number
  /** Bytes of values in one read of the store's log, for watches that resume from before the window. */
  readonly historyReadBytes: number
  /** Bytes of past events that are kept for other watches that catch up, of all resources together. */
  readonly pastEventBytes: number
  /** Time without use after which past events are dropped. */
  readonly pagesUnusedMs: number
  /** Events, or bytes of their objects, that a catching-up watch gets at once. */
  readonly pageEvents: number
  readonly pageBytes: number
  /** Size of the encoding cache, of all resources together. */
  readonly encodingBytes: number
  /** Size of the kept leaf encodings, of all resources together; 0: none. */
  readonly leafEncodingBytes: number
  /** Bytes announced by `announce` that no event has claimed yet. */
  readonly expectedBytes: number
  /** Objects per store read during a fill. */
  readonly fillPage: number
  /**
   * Events between two snapshots that are kept for reads at an older revision; the events in between are undone one by
   * one.
   */
  readonly checkpointEvents: number
  /** Snapshots kept beside the current state, per resource. */
  readonly checkpoints: number
  /** Snapshots read from the store because they are older than the window, per resource. */
  readonly storedSnapshots: number
  /** Minimum time between two rounds that drop old events and snapshots. */
  readonly tidyMs: number
  /** Time between two rounds that compare every resource with the store; 0: none. The reference's five minutes. */
  readonly verifyMs: number
  /** How long a released resource serves requests that began before. */
  readonly retiredMs: number
  /** First and longest delay before the store is tried again after a failure; doubles in between. */
  readonly retryMinMs: number
  readonly retryMaxMs: number
}

/** For a server of ordinary size; tests override what they examine. */
export const defaultCacheLimits: CacheLimits = {
  windowMs: 5 * 60_000,
  // A minute of 200 writes of 1 KB per second, as far back as the reference's cache reaches. Twice as much makes 5 %
  // more memory resident after bench/compare, since each event keeps heap objects besides its bytes.
  windowBytes: 16 * 1024 * 1024,
  // As many as the reference keeps. There are some seventy resources: with 1,000 each, memory rises for hours until all
  // windows have that many.
  windowEvents: 100,
  historyReadBytes: 512 * 1024,
  // With their JSON and frames they take about four times as much.
  pastEventBytes: 16 * 1024 * 1024,
  pagesUnusedMs: 30_000,
  pageEvents: 100,
  pageBytes: 128 * 1024,
  encodingBytes: 64 * 1024 * 1024,
  leafEncodingBytes: 16 * 1024 * 1024,
  expectedBytes: 16 * 1024 * 1024,
  slabBytes: 256 * 1024,
  // Above the 32 MiB up to which malloc may allocate from its heap.
  regionBytes: 33 * 1024 * 1024,
  slabObjectsMin: 16,
  // A higher share wastes less memory and copies more: at this one a write costs at most four copies of its size, which
  // is little beside decoding it, and slabs are nine tenths full on average.
  slabKeptShare: 0.8,
  // When a list decodes one object after the other, or clients write all of them in turn, a slab becomes empty before
  // it is evacuated, and nothing is copied.
  sparseSlabs: 8,
  poisonsSlabs: false,
  movesAtWrites: false,
  fillPage: 5000,
  checkpointEvents: 1024,
  checkpoints: 64,
  storedSnapshots: 2,
  tidyMs: 1000,
  verifyMs: 5 * 60_000,
  retiredMs: 5000,
  retryMinMs: 100,
  retryMaxMs: 5000,
}

/** Small slabs, which a few objects fill; every write moves their objects, and returned slabs are overwritten. */
const earlyReuse: SlabLimits = {
  slabBytes: 4096,
  // One slab: poisoned memory is not used again, so that it stays poisoned.
  regionBytes: 4096,
  slabObjectsMin: 4,
  slabKeptShare: 0.75,
  sparseSlabs: 0,
  poisonsSlabs: true,
  movesAtWrites: true,
}

let defaults = defaultCacheLimits

/**
 * Called by the set-up of tests, before a cache is opened. Changes the defaults of the process: memory of small objects
 * is reused with every write instead of after megabytes of them, and a view that was kept too long reads poison.
 */
export function reuseSlabsEarly(): void {
  defaults = { ...defaultCacheLimits, ...earlyReuse }
}

/** The limits of a cache that is opened with these options. */
export function cacheLimits(limits: Partial<CacheLimits> | undefined): CacheLimits {
  return { ...defaults, ...limits }
}

/** The arguments of `openCache`. */
export interface CacheOptions {
  readonly store: Store
  /** The common beginning of all keys: `/registry/`. */
  readonly prefix: string
  readonly clock: Clock
  readonly limits?: Partial<CacheLimits>
  /** Whether reads of a storage path by clients go to the store; absent: none do. */
  readonly readsStore?: (path: string) => boolean
  /** Called when a resource was found to differ from the store; it is then read again, and its watches end. */
  readonly onMismatch?: (verification: Verification) => void
  /** Called once for each undecodable stored value. */
  readonly onUndecodable?: (error: UndecodableError) => void
}
