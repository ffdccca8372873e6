/**
 * The interface between the server and its data store: one small interface, and one contract suite for every driver.
 * Drivers know keys, revisions and bytes; they know neither kinds nor HTTP.
 *
 * Revisions: one whole number per store, growing by one with every commit that writes. All writes of a commit share its
 * revision. Deleting is a write, but deleting a missing key changes nothing: there is no event, and a commit that does
 * nothing else returns the present revision. The first revision of an empty store is 1 (nothing written yet).
 *
 * Bytes given to a store or received from it are shared, not copied: they must not be changed afterwards.
 */
import { assert } from "../base/assert.ts"
import { objectBytesMax } from "../base/limits.ts"

/** A value with the revisions of its creation and of its last write. */
export interface StoredValue {
  readonly key: string
  readonly value: Uint8Array
  readonly createRevision: number
  readonly modRevision: number
  /** Milliseconds since the epoch when the store deletes the value; absent: never. */
  readonly expiresAtMs?: number
}

/** Precondition of a commit: the key's current modRevision; 0 = the key does not exist. */
export interface Check {
  readonly key: string
  readonly modRevision: number
}

export type Write =
  | { readonly type: "put"; readonly key: string; readonly value: Uint8Array; readonly ttlSeconds?: number }
  | { readonly type: "delete"; readonly key: string }

export type CommitResult =
  | { readonly ok: true; readonly revision: number }
  /** Nothing was written. `current` holds the present value of each key whose check failed (undefined: no such key). */
  | { readonly ok: false; readonly revision: number; readonly current: ReadonlyMap<string, StoredValue | undefined> }

/** One write as watchers see it, in commit order; writes of one commit are delivered together. */
export interface StoreEvent {
  readonly type: "put" | "delete"
  readonly key: string
  readonly revision: number
  /** put: the new value; delete: absent. */
  readonly value?: Uint8Array
  readonly createRevision: number
  /** The value before this write; absent when there was none or when the watch opted out (`WatchOptions.previous`). */
  readonly previous?: StoredValue
}

export interface StoreListOptions {
  /** Ends with "/"; "" = every key. */
  readonly prefix: string
  readonly limit?: number
  /** Only keys greater than this. */
  readonly startAfter?: string
  /** The state at this revision, from the compacted one on; absent: now. Throws StoreError "compacted" or "future". */
  readonly revision?: number
  /**
   * Called for values in memory that the store reuses, with a view that is valid until the call returns; the item
   * carries the result. Absent: each item gets a copy. Stores whose values have their own memory do not call it.
   */
  readonly copy?: (value: Uint8Array) => Uint8Array
}

export interface StoreListResult {
  /** In key order (bytewise). */
  readonly items: readonly StoredValue[]
  /** The revision of the state in `items`. */
  readonly revision: number
  readonly more: boolean
}

export interface WatchOptions {
  /** Ends with "/"; "" = every key. */
  readonly prefix: string
  /**
   * Deliver events with a greater revision. Throws StoreError "compacted" when it is below the compacted revision,
   * "future" when it is above the store's.
   */
  readonly afterRevision: number
  /**
   * False: the watcher does not need previous values, so a store that would have to read them need not. A deletion may
   * then have `createRevision` 0.
   */
  readonly previous?: false
  /**
   * Called in revision order, with one or more commits per call; never concurrently, possibly before `watch` resolves.
   * `events` may be empty: everything up to `revision` was delivered. Embedded stores call every watcher for every
   * commit before the commit's promise resolves, so that a writer that was acknowledged sees its write in the cache.
   */
  readonly onEvents: (events: readonly StoreEvent[], revision: number) => void
  /** The store ended the watch: closed, connection lost, or compacted. Watch again or give up. */
  readonly onEnd: (error: StoreError) => void
}

export interface LogOptions {
  /** As in `WatchOptions`; throws the same errors. */
  readonly prefix: string
  readonly afterRevision: number
  /** Last revision needed; the store has reached it already. */
  readonly upTo: number
  /** Stop after this many bytes of values; the commit that reaches the limit is the last one. */
  readonly bytes: number
}

/** A piece of the log: every event below the prefix up to `revision`, in whole commits. */
export interface LogPiece {
  readonly events: readonly StoreEvent[]
  readonly revision: number
}

export interface StoreStatus {
  readonly driver: string
  /** Bytes on disk (or in memory). */
  readonly sizeBytes: number
  readonly revision: number
  readonly compactedRevision: number
  readonly keys: number
  /** Absent when the store accepts writes; otherwise the reason why it does not. Read by the health check. */
  readonly fault?: string
}

/** A store that keeps one resource instead of the main store; `path` is the storage path, such as `events`. */
export interface StoreOverride {
  readonly path: string
  readonly store: Store
}

export interface CommitOptions {
  readonly checks: readonly Check[]
  readonly writes: readonly Write[]
  /**
   * Called before the commit is sent to the writer that makes it durable, at most once for all commits that go together
   * and name the same function. Must not throw.
   */
  readonly beforeWrite?: (() => void) | undefined
}

export interface Store {
  get(options: { key: string; revision?: number }): Promise<StoredValue | undefined>
  list(options: StoreListOptions): Promise<StoreListResult>
  /** Resolves once the writes are durable. At most one write per key in a commit. */
  commit(options: CommitOptions): Promise<CommitResult>
  /**
   * Reads the log after a revision, one piece per call. Absent: a watch gives the same events; `log-reader.ts` covers
   * both.
   */
  readLog?(options: LogOptions): Promise<LogPiece>
  /**
   * Resolves once the watch is sure to deliver every commit after `afterRevision`, including all that are acknowledged
   * from now on.
   */
  watch(options: WatchOptions): Promise<{ stop(): void }>
  /** The revision of the newest durable commit: a consistent read must show at least this. */
  revision(): Promise<number>
  /** Drops the history before `revision` (values current at it are kept). */
  compact(options: { revision: number }): Promise<void>
  status(): Promise<StoreStatus>
  close(): Promise<void>
  /** `revision()` costs a round trip. A commit that compares revisions need not call it first. Absent: it is free. */
  readonly revisionNeedsRoundTrip?: boolean
  /**
   * Whether a watch reaches any revision that `revision()` returned without a further write; absent: it does. While it
   * is false, reads that must not be stale go to the store instead of the cache that a watch fills.
   */
  readonly reportsProgress?: boolean
  /**
   * Advances watches of `prefix` to `revision`, a result of `revision()`, writing a key if that is the only way. Called
   * by a writer before it waits for that revision. Absent: watches advance by themselves.
   */
  advanceWatches?(revision: number, prefix: string): void
  /** Number of keys below a prefix, without reading their values. Absent: the store cannot count. */
  count?(options: { prefix: string }): Promise<number>
  /**
   * Why the store does not serve, as far as it can find out within `timeoutMs`. For health checks, which are frequent.
   * Absent: `status` is as cheap.
   */
  check?(options: { timeoutMs: number }): Promise<string | undefined>
  /** Whether one commit may contain both keys; absent: any two. */
  canCommitTogether?(one: string, other: string): boolean
  /**
   * For a store that several servers share: whether this server is the one to compact now. Each server calls it once
   * per interval with the present revision. Absent: the store has one server.
   */
  acquireCompactionTurn?(revision: number): Promise<boolean>
  /** Other stores that hold some of the keys, with revisions of their own; absent: none. */
  readonly overrides?: readonly StoreOverride[]
}

/** Limits of every driver; longer keys and values are refused with StoreError "too-large". */
export const storeLimits = { keyBytes: 1900, valueBytes: objectBytesMax } as const

/**
 * Every failure a store reports. A commit that throws did not happen and never will, with one exception, "undecided":
 * it was sent to the place where it becomes durable, and whether it happened or will happen is unknown.
 */
export class StoreError extends Error {
  constructor(
    readonly code: "compacted" | "future" | "unavailable" | "timeout" | "undecided" | "full" | "closed" | "released" | "too-large",
    message: string,
    /** For "compacted": the oldest readable revision; for "future": the current one. */
    readonly revision?: number,
    /** For compacted: the requested revision, where it is known. */
    readonly asked?: number,
  ) {
    super(message)
    this.name = "StoreError"
  }
}

/**
 * Called by every driver before a commit is queued. Throws StoreError "too-large" beyond `storeLimits`; an empty key, a
 * NUL in a key and two writes of one key are bugs of the caller and fail an assertion.
 */
export function checkCommit(options: { checks: readonly Check[]; writes: readonly Write[] }): void {
  for (const check of options.checks) checkKey(check.key)
  const seen = options.writes.length > 1 ? new Set<string>() : undefined
  for (const write of options.writes) {
    checkKey(write.key)
    assert(seen === undefined || !seen.has(write.key), "a commit writes a key at most once", { key: write.key })
    seen?.add(write.key)
    if (write.type === "put" && write.value.byteLength > storeLimits.valueBytes) {
      throw new StoreError(
        "too-large",
        `the value of ${write.key} has ${write.value.byteLength} bytes, more than the ${storeLimits.valueBytes} a store takes`,
      )
    }
  }
}

function checkKey(key: string): void {
  assert(key !== "" && !key.includes("\0"), "a key is not empty and has no NUL", { key })
  // A UTF-16 unit takes at most three bytes in UTF-8, so only long keys need counting.
  if (key.length * 3 > storeLimits.keyBytes && Buffer.byteLength(key) > storeLimits.keyBytes) {
    throw new StoreError("too-large", `a key of ${Buffer.byteLength(key)} bytes is longer than the ${storeLimits.keyBytes} a store takes`)
  }
}

/** Called by every driver for list and watch: without the final slash, the prefix `foo` would match `foobar/`. */
export function checkPrefix(prefix: string): void {
  assert(prefix === "" || prefix.endsWith("/"), "a prefix ends with a slash", { prefix })
}

/**
 * Called by drivers with the requested revision; throws "compacted" or "future" when it is not readable any more or not
 * yet.
 */
export function checkRevision(asked: number, store: { readonly revision: number; readonly compactedRevision: number }): void {
  if (asked < store.compactedRevision) {
    throw new StoreError(
      "compacted",
      `revision ${asked} has been compacted; the oldest is ${store.compactedRevision}`,
      store.compactedRevision,
      asked,
    )
  }
  if (asked > store.revision) {
    throw new StoreError("future", `revision ${asked} is ahead of the store's, ${store.revision}`, store.revision)
  }
}
