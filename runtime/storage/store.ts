/**
 * The seam between the server and whatever keeps its data (design: one small interface, every driver under one
 * contract suite). Drivers know keys, revisions and bytes; they know neither kinds nor HTTP.
 *
 * Revisions: one whole number per store, growing by one with every commit that writes. All writes of a commit share
 * its revision. Deleting is a write. The first revision of an empty store is 1 (nothing written yet).
 */

/** A value with the revisions it was created and last written at. */
export interface StoredValue {
  readonly key: string
  readonly value: Uint8Array
  readonly createRevision: number
  readonly modRevision: number
  /** Milliseconds since the epoch when the store will drop it by itself; absent: never. */
  readonly expiresAtMs?: number
}

/** Must hold for a commit to happen: the key's modRevision now; 0 = the key does not exist. */
export interface Check {
  readonly key: string
  readonly modRevision: number
}

export type Write =
  | { readonly type: "put"; readonly key: string; readonly value: Uint8Array; readonly ttlSeconds?: number }
  | { readonly type: "delete"; readonly key: string }

export type CommitResult =
  | { readonly ok: true; readonly revision: number }
  /** Nothing was written. `current` holds, for each failed check, what is there now (undefined: no such key). */
  | { readonly ok: false; readonly revision: number; readonly current: ReadonlyMap<string, StoredValue | undefined> }

/** One write as watchers see it, in commit order; writes of one commit are delivered together. */
export interface StoreEvent {
  readonly type: "put" | "delete"
  readonly key: string
  readonly revision: number
  /** put: the new value; delete: absent. */
  readonly value?: Uint8Array
  readonly createRevision: number
  /** The value before this write; absent when there was none. */
  readonly previous?: StoredValue
}

export interface StoreListOptions {
  /** Ends with "/". */
  readonly prefix: string
  readonly limit?: number
  /** Only keys greater than this. */
  readonly startAfter?: string
  /** The state at this revision; absent: now. Throws StoreError "compacted" or "future". */
  readonly revision?: number
}

export interface StoreListResult {
  /** In key order (bytewise). */
  readonly items: readonly StoredValue[]
  /** The revision that the answer shows. */
  readonly revision: number
  readonly more: boolean
}

export interface WatchOptions {
  readonly prefix: string
  /** Events with a greater revision are delivered. Throws StoreError "compacted" when history does not reach back. */
  readonly afterRevision: number
  /** Called in order, one call per commit or more commits at once; never concurrently. */
  readonly onEvents: (events: readonly StoreEvent[], revision: number) => void
  /** The watch has ended by itself: store closed, connection lost, compacted. Watch again or give up. */
  readonly onEnd: (error: StoreError) => void
}

export interface StoreStatus {
  readonly driver: string
  /** Bytes on disk (or in memory). */
  readonly sizeBytes: number
  readonly revision: number
  readonly compactedRevision: number
  readonly keys: number
  /** Absent when the store takes writes; otherwise why not. Read by the health check. */
  readonly fault?: string
}

export interface Store {
  get(options: { key: string; revision?: number }): Promise<StoredValue | undefined>
  list(options: StoreListOptions): Promise<StoreListResult>
  /** Resolves only once the writes are durable. At most one write per key in a commit. */
  commit(options: { checks: readonly Check[]; writes: readonly Write[] }): Promise<CommitResult>
  /** Resolves once every commit acknowledged from now on, and every one after `afterRevision`, will be delivered. */
  watch(options: WatchOptions): Promise<{ stop(): void }>
  /** The revision of the newest durable commit: a consistent read must show at least this. */
  revision(): Promise<number>
  /** Forgets history before `revision` (values current at it are kept). */
  compact(options: { revision: number }): Promise<void>
  status(): Promise<StoreStatus>
  close(): Promise<void>
}

/** Every failure a store reports. `unavailable`: may or may not have happened for a commit; retry elsewhere. */
export class StoreError extends Error {
  constructor(
    readonly code: "compacted" | "future" | "unavailable" | "full" | "closed" | "too-large",
    message: string,
    /** For compacted: the oldest revision still there; for future: the current one. */
    readonly revision?: number,
  ) {
    super(message)
    this.name = "StoreError"
  }
}
