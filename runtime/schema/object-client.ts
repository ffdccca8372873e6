/**
 * Access to the objects of a server by kind and place, untyped. Generated handlers (`handlers.ts`) give it types. The
 * server implements it for programs in its own process; another implementation could speak HTTP.
 */
import type { ApiObject } from "../base/json.ts"

/**
 * Address of an object. Names of group and resource are neutral. In updates, `subresource` selects the rules to apply.
 */
export interface ObjectPlace {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace: string
  readonly name: string
}

/**
 * A collection, or a place where the name of an object follows from its content. Namespace "": cluster-scoped, or all.
 */
export type CollectionPlace = Omit<ObjectPlace, "name">

/** Options of every operation. */
export interface CallOptions {
  /** Ends the wait: the call rejects with the signal's reason. A write that has begun may still take effect. */
  readonly signal?: AbortSignal
}

/** Options of a read of one object. */
export interface GetOptions extends CallOptions {
  /** At least this version; "0": any. Absent: the newest state. */
  readonly resourceVersion?: string
}

/** The part of a collection; specification section 4.7. */
export interface Selectors {
  /** `app=web,tier in (front,back)` */
  readonly labelSelector?: string
  /** `metadata.name=a,spec.nodeName=n1` */
  readonly fieldSelector?: string
}

/** Options of a list; specification sections 4.5 and 4.6. */
export interface ListOptions extends Selectors, GetOptions {
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan"
  /** The number of objects in a page. Absent: all of them. */
  readonly limit?: number
  /** `metadata.continue` of the page before. */
  readonly continue?: string
}

/** Options of a watch; specification section 4.6. */
export interface WatchOptions extends Selectors {
  /** Aborting ends the iteration, without an error. */
  readonly signal?: AbortSignal
  /**
   * The version after which events are wanted, from a list or an event. Absent: all existing objects come first, as
   * ADDED.
   */
  readonly resourceVersion?: string
  /** The iteration ends after this time. Absent: it goes on until it is left or aborted, or the server stops. */
  readonly timeoutSeconds?: number
}

/** Options of every write. */
export interface WriteOptions extends CallOptions {
  /** Do everything but store the result. */
  readonly dryRun?: boolean
  /** The owner of the fields that the write sets, in `metadata.managedFields`. Absent: the name of the program. */
  readonly fieldManager?: string
  /** Treatment of unknown and repeated fields. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict"
  /** Called with each warning of the server, as in `Warning` headers. */
  readonly warn?: (text: string) => void
}

/** Options of a patch. */
export interface PatchOptions extends WriteOptions {
  /** How the body is read. Absent: a list is a JSON patch, an object a merge patch. */
  readonly type?: PatchType
}

/** The kinds of patch documents: RFC 6902, RFC 7386, and merging lists by key as the kind's schema says. */
export type PatchType = "json" | "merge" | "strategic"

/** Options of a server-side apply; specification section 4.8. */
export interface ApplyOptions extends WriteOptions {
  /** The owner of the applied fields. */
  readonly fieldManager: string
  /** Take over fields that other managers own, instead of 409. */
  readonly force?: boolean
}

/** Options of a delete; specification section 4.11. */
export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean
  /** Time for the object's agent before the object is removed; 0: at once. */
  readonly gracePeriodSeconds?: number
  /** Treatment of the objects that this one owns. */
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground"
  /** 409 unless the object has these values. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
}

/** Options of the deletion of a collection. */
export interface DeleteCollectionOptions extends DeleteOptions, Selectors {}

/** One operation of a JSON patch, RFC 6902. */
export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string }

/** A page of a collection. */
export interface ObjectList<T extends object = ApiObject> {
  readonly items: readonly T[]
  readonly metadata: {
    /** The version of the state that the list shows. A watch continues from it. Empty for a kind that is not stored. */
    readonly resourceVersion: string
    /** For the option `continue` of the next page; absent on the last one. */
    readonly continue?: string
    /** The number of objects on later pages, where it is known. */
    readonly remainingItemCount?: number
  }
}

/** A change of an object. DELETED: `object` is its last state. */
export interface WatchEvent<T extends object = ApiObject> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED"
  readonly object: T
}

/**
 * The transport of handlers. Places and objects are as in requests: the group of a place is neutral, objects carry the
 * names of the server's vendor. Objects that are passed in are not changed or kept; returned objects belong to the
 * caller. All operations reject with ApiError, which has the content of the Status that an HTTP client gets.
 */
export interface ObjectClient {
  get(place: ObjectPlace, options?: GetOptions): Promise<ApiObject>
  list(place: CollectionPlace, options?: ListOptions): Promise<ObjectList>
  /**
   * The events of a collection in order. The watch begins with the iteration, and ends when the iteration is left. The
   * iteration throws 410 when the events after its position are no longer kept: list again.
   */
  watch(place: CollectionPlace, options?: WatchOptions): AsyncIterable<WatchEvent>
  create(place: CollectionPlace, object: object, options?: WriteOptions): Promise<ApiObject>
  /**
   * Posts a body to a sub-resource (binding, eviction), or to a kind that has no objects. Without a name in the place,
   * the body names the object that it is about. Resolves with the object that answers (token), if there is one.
   */
  post(place: ObjectPlace, body: object, options?: WriteOptions): Promise<ApiObject | undefined>
  update(place: ObjectPlace, object: object, options?: WriteOptions): Promise<ApiObject>
  patch(place: ObjectPlace, patch: object, options?: PatchOptions): Promise<ApiObject>
  apply(place: ObjectPlace, configuration: object, options: ApplyOptions): Promise<ApiObject>
  delete(place: ObjectPlace, options?: DeleteOptions): Promise<void>
  deleteCollection(place: CollectionPlace, options?: DeleteCollectionOptions): Promise<void>
}

/** The resource that handlers are about, as in a `Kind` record. */
export type HandledKind = Pick<ObjectPlace, "group" | "version" | "resource">
