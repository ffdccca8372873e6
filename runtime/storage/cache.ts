/**
 * The read side of storage, as the registry sees it: the newest state of every resource as encoded bytes, snapshots of
 * that state, and one event stream that all watchers share. `watch-cache/` implements it over any Store. Bytes first:
 * `json` is made at most once per object version and never parsed on get, list or watch.
 */
import type { ApiObject } from "../base/json.ts"
import type { ByteRange } from "../base/shared-bytes.ts"
import type { StoredValue, StoreError } from "./store.ts"

/** Metadata that controllers look for in every object. */
export type MetadataMark = "ownerReferences" | "deletionTimestamp"

/**
 * Thrown by any operation that has to read an undecodable stored value: it is damaged, or another program wrote it.
 * Operations that do not need that value go on.
 */
export class UndecodableError extends Error {
  constructor(
    /** Full store key, as in `Store`. */
    readonly key: string,
    readonly modRevision: number,
    readonly why: string,
  ) {
    super(`the stored value of ${key} (version ${modRevision}) cannot be read: ${why}`)
    this.name = "UndecodableError"
  }
}

/** One version of one object. Immutable; shared by every reader. */
export interface CachedObject {
  readonly key: string
  readonly createRevision: number
  readonly modRevision: number
  /** Bytes held for the object, JSON or a stored value. Work on the object is charged by this size. */
  readonly sizeBytes: number
  /** True: `json()` needs no decoding. */
  readonly hasJson: boolean
  /**
   * The stored version of the object as JSON, with `metadata.resourceVersion` in place. Always starts with
   * `{"kind":"<Kind>","apiVersion":"<apiVersion>",` (wire names), so that list items can leave that head out. Read or
   * copy it in the turn of the event loop in which it was requested: small objects are in memory that is reused
   * (base/shared-bytes.ts).
   */
  json(): Buffer
  /** The same without allocating a view, for callers that copy it at once. */
  jsonPlace(place: ByteRange): void
  /**
   * The compact message of the stored version, resourceVersion in place, if it is available without decoding: the store
   * holds compact values and no caller has asked for JSON yet. Built on each call.
   */
  message?(): Buffer | undefined
  /**
   * As `message`, but the answer does not change until `unpinMessage` is called, even if JSON is requested meanwhile.
   * Called by writers that need the length before they write the message: another program may have stored fields that
   * are unknown here, and encoding the JSON then gives another length. Call `unpinMessage` once for each call that
   * returned a message.
   */
  pinMessage?(): Buffer | undefined
  unpinMessage?(): void
  /**
   * Length of the compact message encoded from the JSON of the stored version. A caller that encoded it sets this,
   * because lists write the length before the message. Undefined: not known. A length that is set while the stored
   * value is available is ignored.
   */
  encodedBytes?: number | undefined
  /** Labels, read from the bytes on first use and kept. */
  labels(): Readonly<Record<string, string>>
  /** Value of a selectable field of the kind (`metadata.name` and `metadata.namespace` included), "" when absent. */
  field(name: string): string
  /**
   * Whether `metadata` may have any of these: false only when it certainly has none. Reads the available bytes and
   * decodes nothing, so that a caller looking for few objects can ask it of every object.
   */
  mayHaveMetadata(names: readonly MetadataMark[]): boolean
  /**
   * Another encoding of the same version (another API version, the compact encoding, a watch frame): made once per
   * object version, kept within the cache's byte budget, and made again after it was evicted.
   */
  derived(form: string, make: () => Buffer): Buffer
  /** The result of `derived` if it is kept, for encodings that cannot be made at once. Absent: none is kept. */
  kept?(form: string): Buffer | undefined
}

/** How the cache of one resource reads stored values. Given once per storage path. */
export interface ResourceCodec {
  /**
   * Stored value to the text of its JSON, with resourceVersion = modRevision in place. The cache writes that text into
   * its own memory.
   */
  toJson(value: StoredValue): string
  /** As `CachedObject.mayHaveMetadata`, of a stored value; absent: it may. */
  mayHaveMetadata?(value: Uint8Array, names: readonly MetadataMark[]): boolean
  /** As `CachedObject.message`, of a stored value; absent: messages are never available. */
  toMessage?(value: StoredValue): Buffer | undefined
  /**
   * The labels of a stored value, without decoding the rest. Absent, or undefined as an answer: read them from the
   * JSON.
   */
  labels?(value: Uint8Array): Record<string, string> | undefined
  /** Labels and all selectable fields from the JSON bytes. */
  describe(json: Buffer): { labels: Record<string, string>; fields: Record<string, string> }
  /** The same from a stored value, which stays as it is. Absent, or undefined as an answer: the JSON is used. */
  describeStored?(value: Uint8Array): { labels: Record<string, string>; fields: Record<string, string> } | undefined
  /** The same from an object that is decoded already (`announce`). Absent: from the JSON. */
  describeObject?(object: ApiObject): { labels: Record<string, string>; fields: Record<string, string> }
}

export interface CacheEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  readonly revision: number
  /** DELETED: the last state, with resourceVersion = the revision of the deletion. */
  readonly object: CachedObject
  /** State before, for selectors that an object enters or leaves; absent for ADDED. */
  readonly previous?: CachedObject
}

/**
 * Prefixes and keys are full store keys (`/registry/pods/default/`, as in `CachedObject.key`) or relative to the
 * resource (`default/`).
 */
export interface Snapshot {
  /** The store's revision of this state. 0: the objects are computed, in no store. */
  readonly revision: number
  /** In key order below `prefix`, after `startAfter`. */
  entries(options: { prefix: string; startAfter?: string }): Iterable<CachedObject>
  /** The same in runs of neighbours; no run is empty. */
  ranges(options: { prefix: string; startAfter?: string }): Iterable<ObjectRange>
  /** Number of entries below `prefix` after `startAfter`; where possible without visiting each. */
  count(options: { prefix: string; startAfter?: string }): number
  /**
   * The entries with the selected value, all at once. Undefined when only a walk over every entry can find them: a
   * state of the past, a value that a large share of the objects has, or no index. Call it in the turn in which the
   * snapshot was taken.
   */
  selected(options: { prefix: string; selected: Selected }): readonly CachedObject[] | undefined
}

/** Neighbours in a snapshot: `objects` from `start` to before `end`. */
export interface ObjectRange {
  readonly objects: readonly CachedObject[]
  readonly start: number
  readonly end: number
  /**
   * The encoding of all of them as one piece, which stays valid and must not be changed. It is made when it is
   * requested again while none of the objects has changed, and kept within a byte budget. Undefined: encode the objects
   * one by one.
   */
  encoded(form: string, make: () => Buffer): Buffer | undefined
}

/** A label or a selectable field that an object must have, with this value. */
export interface Selected {
  readonly of: "label" | "field"
  readonly name: string
  readonly value: string
}

export interface Subscription {
  stop(): void
  /**
   * Every event up to this revision was delivered, so a bookmark may carry it. Undefined while missed events are still
   * being read and after the watch has ended. Do not call it from within `onEvents`.
   */
  revision(): number | undefined
}

/** Scope and callbacks of a subscriber: `onEvents` and `onEnd` are called as methods of this object. */
export interface SubscribeOptions {
  /** Below the resource: `""` = all, or `<namespace>/`, or `<namespace>/<name>` with `exact`. */
  readonly prefix: string
  readonly exact?: boolean
  /**
   * Deliver events with a greater revision. Events older than the window come from the store's log. Throws StoreError
   * "compacted" when the log is known not to reach back so far; otherwise `onEnd` reports it after the attempt.
   */
  readonly afterRevision: number
  /**
   * Called in revision order, with several events at once when they are available. Must be synchronous and quick:
   * frames are queued, not awaited.
   */
  onEvents(events: readonly CacheEvent[], revision: number): void
  /**
   * Back-pressure. Resolves when the subscriber has room for more; undefined: it has room now. Called before events are
   * delivered: a subscriber without room gets them later, in pieces that all subscribers share. Absent: there is always
   * room.
   */
  room?(): Promise<void> | undefined
  /**
   * Called instead of `onEvents` with the events that arrive while the subscriber has no room; `onEvents` is called
   * with them when it has.
   */
  onMissed?(events: readonly CacheEvent[]): void
  /** Approximate cost of delivering one event, in microseconds; absent: one. */
  readonly workPerEvent?: number
  /**
   * The watch is over. `compacted`: the events it needs are gone and clients must list again (410). Otherwise (the
   * cache starts over, was closed, or this subscriber threw) they may resume from their last revision.
   */
  onEnd(error: StoreError): void
}

/** The cache of one resource (one storage path, all versions of it). */
export interface ResourceCache {
  /**
   * True when `--watch-cache` is off for the resource: reads of clients use `getStored` and `snapshotStored`; events
   * still come from here.
   */
  readonly readsStore: boolean
  /**
   * Resolves when the resource was filled from the store; reading this property starts the first fill. Pending while
   * the store cannot be read.
   */
  readonly ready: Promise<void>
  /** The cache reflects every commit up to this revision. */
  revision(): number
  /** Resolves with true once `revision() >= revision`, and with false if `timeoutMs` passed first. */
  waitFor(revision: number, timeoutMs: number): Promise<boolean>
  /** Throws StoreError "unavailable" before the first fill, as all reads do. `key` as in `CachedObject.key`. */
  get(key: string): CachedObject | undefined
  snapshot(): Snapshot
  /**
   * Called before taking a snapshot whose `selected` will be asked for this label or field: a large resource is indexed
   * in turns, which takes a while. Undefined when there is nothing to wait for.
   */
  prepareIndex(selected: Pick<Selected, "of" | "name">): Promise<void> | undefined
  /**
   * The state at a retained revision; undefined when the window does not reach back so far or `revision` is newer than
   * the cache.
   */
  snapshotAt(revision: number): Promise<Snapshot | undefined>
  /**
   * Reads from the store itself: one object as it is now, or all of them at `revision`, which may be ahead of the
   * cache. Called for consistent reads where the cache cannot be known to be current (`Store.reportsProgress`), and for
   * all reads of a resource with `readsStore`. Undefined: no such object, or a revision that the store has compacted.
   */
  getStored(key: string): Promise<CachedObject | undefined>
  snapshotStored(revision: number): Promise<Snapshot | undefined>
  /**
   * An undecodable stored value below `prefix` (as in `Snapshot`) that is still in the store; undefined for none. Only
   * values that an operation had to read are known.
   */
  undecodable(prefix: string): UndecodableError | undefined
  /** No callback runs before this returns. Throws StoreError "unavailable" while the cache starts over. */
  subscribe(options: SubscribeOptions): Subscription
  /** Oldest revision after which a watch may start. */
  oldestRevision(): number
  /**
   * Called before committing bytes that the caller already has, so that the event does not decode them again.
   * `json(revision)` yields the final bytes.
   */
  announce(key: string, value: Uint8Array, json: (revision: number) => Buffer, object?: ApiObject): void
  /**
   * Called with the announced key and value after the commit was refused: no event will come, and the announcement is
   * dropped.
   */
  withdraw(key: string, value: Uint8Array): void
}

export interface Cache {
  /** Registers a resource (once per storage path, before or after start) and returns its cache. */
  resource(path: string, codec: ResourceCodec): ResourceCache
  /**
   * Called when a registered path has no resource any more, or another one: all its watches end, and its cache is
   * closed a little later, so that requests in flight can end. The path may be registered again at once.
   */
  release(path: string): void
  /** The revision that a consistent read must show, asked of the store that keeps `path`. */
  consistentRevision(path?: string): Promise<number>
  /**
   * Called after a commit and before its client is answered. Resolves when the watchers that were put off to later
   * turns of the event loop got the events; undefined: there are none. Does not wait for watchers without room.
   */
  delivered(): Promise<void> | undefined
  close(): Promise<void>
}
