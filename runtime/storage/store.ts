/**
 * The seam between the server and whatever keeps its data (design: one small interface, every driver under one
 * contract suite). Drivers know keys, revisions and bytes; they know neither kinds nor HTTP.
 *
 * Revisions: one whole number per store, growing by one with every commit that writes. All writes of a commit share
 * its revision. Deleting is a write, but deleting a key that is not there changes nothing: no event, and a commit that
 * does nothing else answers the present revision. The first revision of an empty store is 1 (nothing written yet).
 *
 * Bytes given to a store or received from it are shared, not copied: nobody changes them afterwards.
 */
import { assert } from "../assert.ts"
import { objectBytesMax } from "../limits.ts"

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
  /** The value before this write; absent when there was none, or the watch did without (`WatchOptions.previous`). */
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
   * Called for values that lie in memory which the store will use again, with a view that holds until the call returns; the answer is what the
   * item carries. Absent: a copy of its own each. A store that has every value in memory of its own does not call it.
   */
  readonly copy?: (value: Uint8Array) => Uint8Array
}

export interface StoreListResult {
  /** In key order (bytewise). */
  readonly items: readonly StoredValue[]
  /** The revision that the answer shows. */
  readonly revision: number
  readonly more: boolean
}

export interface WatchOptions {
  /** Ends with "/"; "" = every key. */
  readonly prefix: string
  /**
   * Events with a greater revision are delivered. Throws StoreError "compacted" when it is below the compacted revision,
   * "future" when it is above the store's.
   */
  readonly afterRevision: number
  /** False: who watches knows what was there before, and a store that would have to read it need not. A deletion may then have `createRevision` 0. */
  readonly previous?: false
  /**
   * Called in revision order, one call per commit or more commits at once; never concurrently, perhaps already before
   * `watch` resolves. `events` may be empty: everything up to `revision` was delivered. Embedded stores call every
   * watcher for every commit, before the commit's promise resolves, so that who was acknowledged finds its write.
   */
  readonly onEvents: (events: readonly StoreEvent[], revision: number) => void
  /** The watch has ended by itself: store closed, connection lost, compacted. Watch again or give up. */
  readonly onEnd: (error: StoreError) => void
}

export interface PastOptions {
  /** As in `WatchOptions`, which throws the same. */
  readonly prefix: string
  readonly afterRevision: number
  /** Nothing after this revision, which the store has come to, is needed. */
  readonly upTo: number
  /** Bytes of values after which it is enough; the commit that reaches them is the last. */
  readonly bytes: number
}

/** A piece of the past: every event below the prefix up to `revision`, whole commits. */
export interface Past {
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
  /** Absent when the store takes writes; otherwise why not. Read by the health check. */
  readonly fault?: string
}

/** A store that keeps one resource instead of the main one, by storage path: `events`. */
export interface StoreOverride {
  readonly path: string
  readonly store: Store
}

export interface Store {
  get(options: { key: string; revision?: number }): Promise<StoredValue | undefined>
  list(options: StoreListOptions): Promise<StoreListResult>
  /** Resolves only once the writes are durable. At most one write per key in a commit. */
  commit(options: { checks: readonly Check[]; writes: readonly Write[] }): Promise<CommitResult>
  /** What happened after a revision, in pieces that the caller asks for one by one. Absent: a watch tells it; `past.ts` has both. */
  past?(options: PastOptions): Promise<Past>
  /** Resolves once every commit acknowledged from now on, and every one after `afterRevision`, will be delivered. */
  watch(options: WatchOptions): Promise<{ stop(): void }>
  /** The revision of the newest durable commit: a consistent read must show at least this. */
  revision(): Promise<number>
  /** Forgets history before `revision` (values current at it are kept). */
  compact(options: { revision: number }): Promise<void>
  status(): Promise<StoreStatus>
  close(): Promise<void>
  /** `revision()` is a round trip: who is going to compare with a commit need not ask before. Absent: it is at hand. */
  readonly asksForRevision?: boolean
  /**
   * Whether a watch comes to whatever `revision()` answered without a further write; absent: it does. While it is false, who must not read stale
   * data from what a watch filled reads the store itself.
   */
  readonly tellsProgress?: boolean
  /**
   * Called by who is about to write and waits for a watch of `prefix` to have come to `revision`, which `revision()` answered: where nothing else makes it
   * come there, the store does, if need be with a write of its own. Absent: it comes by itself.
   */
  bringWatchesTo?(revision: number, prefix: string): void
  /** Keys below a prefix, without reading them. Absent: the store cannot. */
  count?(options: { prefix: string }): Promise<number>
  /** Why the store does not serve, as far as can be told within `timeoutMs`; for health checks, which are many. Absent: `status` is as cheap. */
  check?(options: { timeoutMs: number }): Promise<string | undefined>
  /** Whether one commit may be about both keys; absent: any two. */
  changesTogether?(one: string, other: string): boolean
  /**
   * Of a store that several servers share: whether it falls to this one to compact this time. Called once per interval by each, with the present
   * revision; absent: there is only this one.
   */
  takeTurnToCompact?(revision: number): Promise<boolean>
  /** Other stores that hold some of the keys, with revisions of their own; absent: none. */
  readonly overrides?: readonly StoreOverride[]
}

/** What every driver takes; longer keys and values are refused with StoreError "too-large". */
export const storeLimits = { keyBytes: 1900, valueBytes: objectBytesMax } as const

/**
 * Every failure a store reports. A commit that throws was not done and never will be, with one exception: "undecided". It was sent to where it
 * becomes durable, and nobody knows whether it happened or is going to happen.
 */
export class StoreError extends Error {
  constructor(
    readonly code: "compacted" | "future" | "unavailable" | "timeout" | "undecided" | "full" | "closed" | "too-large",
    message: string,
    /** For compacted: the oldest revision still there; for future: the current one. */
    readonly revision?: number,
  ) {
    super(message)
    this.name = "StoreError"
  }
}

/** The order of keys: that of their UTF-8 bytes, which differs from JavaScript's own where surrogate pairs meet U+E000 to U+FFFF. */
export function compareKeys(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index)
    const b = right.charCodeAt(index)
    if (a !== b) return rank(a) - rank(b)
  }
  return left.length - right.length
}

/** Surrogates stand for code points above every other unit, so they go last. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

/**
 * Called by every driver before a commit is queued. Throws StoreError "too-large" for what storeLimits refuses; faults of
 * the caller (empty key, NUL in a key, two writes of one key) are assertions.
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
  // A UTF-16 unit is at most three bytes: only long keys need counting.
  if (key.length * 3 > storeLimits.keyBytes && Buffer.byteLength(key) > storeLimits.keyBytes) {
    throw new StoreError("too-large", `a key of ${Buffer.byteLength(key)} bytes is longer than the ${storeLimits.keyBytes} a store takes`)
  }
}

/** Called by every driver for list and watch: a prefix without its slash would take `foobar/` for a part of `foo`. */
export function checkPrefix(prefix: string): void {
  assert(prefix === "" || prefix.endsWith("/"), "a prefix ends with a slash", { prefix })
}

/** Called by drivers with a revision asked for; throws "compacted" or "future" when it is not readable any more or not yet. */
export function checkRevision(asked: number, store: { readonly revision: number; readonly compactedRevision: number }): void {
  if (asked < store.compactedRevision) {
    throw new StoreError(
      "compacted",
      `revision ${asked} has been compacted; the oldest is ${store.compactedRevision}`,
      store.compactedRevision,
    )
  }
  if (asked > store.revision) {
    throw new StoreError("future", `revision ${asked} is ahead of the store's, ${store.revision}`, store.revision)
  }
}
