/**
 * What data cannot say about a kind: a behaviour is a small object of hooks, made once per server from `BehaviourDeps`, asked for by name
 * in a schema (`behaviours: [serviceAllocation]`). A hook that is absent costs nothing. Objects are in the version the client used.
 */
import type { Clock } from "../clock.ts"
import type { Random } from "../random.ts"
import type { Check, StoredValue, Write } from "../storage/store.ts"
import type { Vendor } from "../vendor.ts"
import type { Failures } from "./failure.ts"
import type { ApiObject, JsonObject } from "./json.ts"
import type { Options } from "../options/table.ts"

/** What every behaviour may lean on. No registry, no HTTP: reads go through `read`, writes ride in the commit of the change itself. */
export interface BehaviourDeps {
  readonly vendor: Vendor
  readonly clock: Clock
  readonly random: Random
  /** Values of the server's options that behaviours name. */
  readonly options: BehaviourOptions
  /** The newest durable value of a store key below the prefix (`ranges/serviceips`). */
  readonly read: (path: string) => Promise<StoredValue | undefined>
  /** The newest state of every object of a storage path (`services/specs`), decoded. For rebuilds and repairs, not for requests. */
  readonly readAll: (storagePath: string) => Promise<readonly ApiObject[]>
  /** Full store key of a path below the prefix. */
  readonly key: (path: string) => string
}

/** The options of the command line that behaviours read. */
export type BehaviourOptions = Pick<Options, "service-cluster-ip-range" | "service-node-port-range">

export interface ChangeContext {
  readonly dryRun: boolean
  /** Sub-resource being written; absent for the main resource. */
  readonly subresource?: string
  readonly failures: Failures
}

/** What a behaviour adds to the commit of a change. */
export interface CommitRiders {
  readonly checks: readonly Check[]
  readonly writes: readonly Write[]
  /** Called once when the attempt is over, whatever came of it: gives back what `commit` holds. Only with checks or writes. */
  readonly settled?: () => void
}

export interface Behaviour {
  /**
   * First of all, for what belongs to reading an object rather than to its life: before it is told who owns which field, so that the sender
   * owns what comes of it. May change `object`; comes again for every attempt, and for objects that it has seen before.
   */
  decoded?(object: ApiObject): void
  /** After drops and generation, before validation. May change `object`; may add failures. */
  prepareCreate?(object: ApiObject, context: ChangeContext): void
  /** After keeps and generation, before validation, once per attempt. May change `object`, never `old`. */
  prepareUpdate?(object: ApiObject, old: ApiObject, context: ChangeContext): void
  /**
   * Last step before the commit, once per attempt; `object` absent: removal. May change `object` (an allocated address) and ask for
   * further checks and writes in the same commit, all or nothing. When one of its checks fails, the whole attempt is made again.
   * On a dry run nothing is written: allocate what would be given, write nothing.
   */
  commit?(change: { object?: ApiObject; old?: ApiObject }, context: ChangeContext): Promise<CommitRiders | undefined>
  /** Seconds between the first delete request and the removal, of an object that is not being deleted yet; absent or 0: removed at once. `asked` is the client's gracePeriodSeconds. */
  graceSeconds?(object: ApiObject, asked: number | undefined): number
  /** Called when a delete request meets a live object: may change it (phase Terminating) before the deletionTimestamp is written. */
  startDeletion?(object: ApiObject): void
  /**
   * Deletion has a middle (namespaces): the first delete request only marks the object, without a grace period; as long as `mayRemove`
   * says no, later requests are answered with the object as it is; then it is deleted like any other.
   */
  readonly deletesInSteps?: boolean
  /** Resource of the same group and version whose object of the same name is deleted in the commit that removes this one. */
  readonly companion?: string
  /** False keeps a terminating object although `metadata.finalizers` is empty (a namespace with spec.finalizers). */
  mayRemove?(object: ApiObject): boolean
}

/** Where an object is. Names of group and resource are neutral; `subresource` of updates: the rules of which part hold. */
export interface ObjectPlace {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace: string
  readonly name: string
}

/** How an object is to be deleted: DeleteOptions, checked. */
export interface Deletion {
  readonly dryRun: boolean
  readonly gracePeriodSeconds?: number
  readonly uid?: string
  readonly resourceVersion?: string
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground"
  readonly orphanDependents?: boolean
}

/** The objects of the server for an action that concerns several of them. Every call throws ApiError as the request of a client would be answered. */
export interface ObjectAccess {
  /** The newest state. 404 when there is none. */
  get(place: ObjectPlace): Promise<ApiObject>
  /** The newest state of all objects of a namespace. */
  list(place: Omit<ObjectPlace, "name">): Promise<readonly ApiObject[]>
  /** Written on the condition that nobody was faster, else made again from the newer state. `change` is pure and may throw to refuse. */
  update(place: ObjectPlace, change: (old: ApiObject) => ApiObject, options: { dryRun: boolean }): Promise<ApiObject>
  delete(place: ObjectPlace, deletion: Deletion): Promise<void>
  /** DeleteOptions as they were sent, absent for none. Throws 400 or 422. */
  readDeletion(options: JsonObject | undefined): Deletion
}

/** A POST that is more than a change of the parent. */
export interface Action {
  /** Decoded as the sub-resource's kind. */
  readonly body: ApiObject
  /** Of the parent; the body's name was not compared with it. */
  readonly namespace: string
  readonly name: string
  /** Of the query. */
  readonly dryRun: boolean
  readonly objects: ObjectAccess
}

/** A named sub-resource: `binding`, `finalize`, `ephemeralcontainers`. */
export interface SubresourceBehaviour {
  /** PUT and PATCH: the next parent, made from what the client submitted and the stored parent. Pure. */
  update?(submitted: ApiObject, old: ApiObject, context: ChangeContext): ApiObject
  /** POST: the next parent, made from the posted body. Throws ApiError to refuse. The answer is 201 with a Status Success. */
  create?(body: JsonObject, old: ApiObject, context: ChangeContext): ApiObject
  /** POST, instead of `create`: does all there is to do (eviction). Throws ApiError to refuse. The answer is 201 with a Status Success. */
  act?(action: Action): Promise<void>
  /** Further versions of the body's kind that are taken as the one of the schema: `policy/v1beta1`. Neutral. */
  readonly acceptedVersions?: readonly string[]
}

export type BehaviourFactory = (deps: BehaviourDeps) => Behaviour
export type SubresourceBehaviourFactory = (deps: BehaviourDeps) => SubresourceBehaviour
