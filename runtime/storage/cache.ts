/**
 * What the registry reads through: the newest state of every resource as encoded bytes, snapshots of it, and one event
 * stream shared by all watchers. Implemented by `watch-cache/` over any Store. Bytes first: `json` is made at most once
 * per object version and never parsed on get, list or watch.
 */
import type { ApiObject } from "../kit/json.ts"
import type { BytePlace } from "../kit/shared-bytes.ts"
import type { StoredValue, StoreError } from "./store.ts"

/** What loops look for in the metadata of every object there is. */
export type MetadataMark = "ownerReferences" | "deletionTimestamp"

/** Thrown by whatever has to read a stored value that cannot be read: it is damaged, or another program wrote it. Everything else goes on. */
export class UndecodableError extends Error {
  constructor(
    /** As in the store. */
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
  /** Bytes that are held of it, JSON or a stored value: what work on it is counted by. */
  readonly sizeBytes: number
  /** `json` decodes nothing. */
  readonly hasJson: boolean
  /**
   * The stored version of the object as JSON, `metadata.resourceVersion` in place. Always starts with
   * `{"kind":"<Kind>","apiVersion":"<apiVersion>",` (wire names), so that list items can leave that head out.
   * Read or copied in the turn in which it was asked for: small objects lie in memory that is used again (kit/shared-bytes.ts).
   */
  json(): Buffer
  /** The same without a view, for who copies it at once. */
  jsonPlace(place: BytePlace): void
  /**
   * The compact message of the stored version, resourceVersion in place, where that is at hand without decoding: nobody has asked for JSON yet, and
   * the store holds compact values. Made anew each time.
   */
  message?(): Buffer | undefined
  /**
   * As `message`, which answers the same until `releaseMessage` is called, whoever asks for JSON meanwhile. Called by who has to know its length before
   * he writes it: another program may have stored fields that are unknown here, and encoding the JSON gives another length then. To be released only
   * where it answered a message, as often.
   */
  holdMessage?(): Buffer | undefined
  releaseMessage?(): void
  /**
   * Length of the compact message that the JSON of the stored version is encoded to, once somebody has encoded it and noted that: lists say it before the
   * message. Undefined: not known, and forgotten when it is noted while the stored value is at hand.
   */
  encodedBytes?: number | undefined
  /** Metadata and selectable fields, read from the bytes on first use and kept. */
  labels(): Readonly<Record<string, string>>
  /** Value of a selectable field of the kind (`metadata.name` and `metadata.namespace` included), "" when absent. */
  field(name: string): string
  /**
   * Whether `metadata` may have any of these: false only when it surely has not. Reads the bytes that are there and decodes nothing; asked
   * of every object by whoever looks for few of them.
   */
  mayHaveMetadata(names: readonly MetadataMark[]): boolean
  /**
   * Another form of the same version (another API version, the compact encoding, a watch frame): made once per object
   * version, kept under the cache's byte budget, made again when it was dropped.
   */
  derived(form: string, make: () => Buffer): Buffer
}

/** How the cache of one resource reads stored values. Given once per storage path. */
export interface ResourceCodec {
  /** Stored value to the text of its JSON, with resourceVersion = modRevision in place: the cache writes it where the object's bytes belong. */
  toJson(value: StoredValue): string
  /** As `CachedObject.mayHaveMetadata`, of a stored value; absent: it may. */
  mayHaveMetadata?(value: Uint8Array, names: readonly MetadataMark[]): boolean
  /** As `CachedObject.message`, of a stored value; absent: never at hand. */
  toMessage?(value: StoredValue): Buffer | undefined
  /** The labels of a stored value, without decoding the rest; absent, or answering undefined: they are in the JSON. */
  labels?(value: Uint8Array): Record<string, string> | undefined
  /** Labels and all selectable fields from the JSON bytes. */
  describe(json: Buffer): { labels: Record<string, string>; fields: Record<string, string> }
  /** The same from a stored value, which stays; absent, or answering undefined: its JSON is described. */
  describeStored?(value: Uint8Array): { labels: Record<string, string>; fields: Record<string, string> } | undefined
  /** The same from an object that is decoded already (`expect`); absent: `describe` is called when a selector asks. */
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

/** Prefixes and keys are full store keys (`/registry/pods/default/`, as in `CachedObject.key`), or stand below the resource (`default/`). */
export interface Snapshot {
  /** The store's revision that this state shows. */
  readonly revision: number
  /** In key order below `prefix`, after `startAfter`. */
  entries(options: { prefix: string; startAfter?: string }): Iterable<CachedObject>
  /** The same in runs of neighbours, none of them empty. */
  runs(options: { prefix: string; startAfter?: string }): Iterable<ObjectRun>
  /** Entries below `prefix` after `startAfter`, without visiting them one by one where it can be helped. */
  count(options: { prefix: string; startAfter?: string }): number
  /**
   * Those of `entries` that have what is selected, all of them at once. Undefined when they are not known without looking at each: a state of the past,
   * something that a large share has, or no index. To be asked in the turn in which the snapshot was taken.
   */
  selected(options: { prefix: string; selected: Selected }): readonly CachedObject[] | undefined
}

/** Neighbours in a snapshot: those of `objects` from `start` to before `end`. */
export interface ObjectRun {
  readonly objects: readonly CachedObject[]
  readonly start: number
  readonly end: number
  /**
   * What all of them come to in one piece, which lasts and must not be changed: made when it is asked for again while none of them has changed, and
   * kept under a byte budget. Undefined: take them one by one.
   */
  gathered(form: string, make: () => Buffer): Buffer | undefined
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
   * Everything up to here was handed over: what a bookmark may say. Undefined while what was missed is still being read, and once the watch is
   * over. Not to be asked from within `onEvents`.
   */
  revision(): number | undefined
}

/** What a subscriber wants, and whom it is told: `onEvents` and `onEnd` are called as its methods. */
export interface SubscribeOptions {
  /** Below the resource: `""` = all, or `<namespace>/`, or `<namespace>/<name>` with `exact`. */
  readonly prefix: string
  readonly exact?: boolean
  /**
   * Events with a greater revision. What is older than the window comes from the store's log. Throws StoreError "compacted"
   * when that is known not to reach back; otherwise `onEnd` says so once it has been tried.
   */
  readonly afterRevision: number
  /** In revision order, several at once when they are there; synchronous and quick: frames are queued, not awaited. */
  onEvents(events: readonly CacheEvent[], revision: number): void
  /**
   * Back-pressure. Resolves when the subscriber has room for more; undefined: it has room now. Asked before events are handed over: who has none gets
   * them later, in pieces that all share. Absent: there is always room.
   */
  room?(): Promise<void> | undefined
  /** Called instead of `onEvents` with what happens while there is no room for what came before; `onEvents` follows when there is. */
  onMissed?(events: readonly CacheEvent[]): void
  /** What `onEvents` does with one event, in microseconds, about; absent: one. */
  readonly workPerEvent?: number
  /**
   * The watch is over. `compacted`: what it needs is gone, clients must list again (410); otherwise (cache starting over,
   * closed, this subscriber threw) they may resume where they are.
   */
  onEnd(error: StoreError): void
}

/** The cache of one resource (one storage path, all versions of it). */
export interface ResourceCache {
  /** `--watch-cache` is off for it: what clients read comes from `getStored` and `snapshotStored`, events from here as ever. */
  readonly readsStore: boolean
  /** Filled from the store: asking for it starts the first fill. Stays pending while the store cannot be read. */
  readonly ready: Promise<void>
  /** Everything the store committed up to here is reflected. */
  revision(): number
  /** Resolves once `revision() >= revision`; false when `timeoutMs` passed first. */
  waitFor(revision: number, timeoutMs: number): Promise<boolean>
  /** Throws StoreError "unavailable" before the first fill, as all that read do. `key` as in `CachedObject.key`. */
  get(key: string): CachedObject | undefined
  snapshot(): Snapshot
  /**
   * Called before the snapshot whose `selected` is asked for this label or field: a large resource has to be gone through once, which is done in turns.
   * Undefined when there is nothing to wait for.
   */
  prepareIndex(selected: Pick<Selected, "of" | "name">): Promise<void> | undefined
  /** The state at a retained revision; undefined when the window does not reach back or `revision` is newer than the cache. */
  snapshotAt(revision: number): Promise<Snapshot | undefined>
  /**
   * What the store itself has: one object now, all of them at `revision`, which may be ahead of the cache. Called for consistent reads where the
   * cache cannot be known to be current (`Store.tellsProgress`), and for all reads of a resource that `readsStore`. Undefined: no such object; a revision that the store has forgotten.
   */
  getStored(key: string): Promise<CachedObject | undefined>
  snapshotStored(revision: number): Promise<Snapshot | undefined>
  /**
   * A stored value below `prefix` (as in `Snapshot`) that was found to be unreadable and is still there; undefined for none. Nobody looks for them:
   * they are found when something has to read them.
   */
  undecodable(prefix: string): UndecodableError | undefined
  /** Nothing is called before this returns. Throws StoreError "unavailable" while the cache starts over. */
  subscribe(options: SubscribeOptions): Subscription
  /** Oldest revision a watch may start after. */
  oldestRevision(): number
  /** Called before committing bytes that are already at hand, so that the event does not decode them again. `json(revision)` yields the final bytes. */
  expect(key: string, value: Uint8Array, json: (revision: number) => Buffer, object?: ApiObject): void
  /** Called with what was announced when the commit lost: there will be no event, and nothing is kept for it. */
  unexpect(key: string, value: Uint8Array): void
}

export interface Cache {
  /** Registers a resource (once per storage path, before or after start) and answers its cache. */
  resource(path: string, codec: ResourceCodec): ResourceCache
  /** The revision a consistent read must show: asked of the store, of that which keeps `path` where there are several. */
  consistentRevision(path?: string): Promise<number>
  /**
   * Called after a commit, before its client is answered. Resolves when the watchers that the event loop had no time for at once were handed what
   * happened; undefined: there are none. Those without room are not waited for.
   */
  delivered(): Promise<void> | undefined
  close(): Promise<void>
}
