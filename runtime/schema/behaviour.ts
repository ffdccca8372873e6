/**
 * Rules of a kind that its schema cannot express. A behaviour is a small object of hooks, created once per server from
 * `BehaviourDeps`. A schema names it (`behaviours: [serviceAllocation]`). A missing hook costs nothing. Hooks see
 * objects in the version that the client used.
 */
import type { Clock } from "../base/clock.ts"
import type { Random } from "../base/random.ts"
import type { Stages } from "../base/turns.ts"
import type { User } from "../base/user.ts"
import type { Check, StoredValue, Write } from "../storage/store.ts"
import type { Vendor } from "../base/vendor.ts"
import type { Failures } from "../base/failure.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import type { Options } from "../options/table.ts"
import type { Access } from "./access.ts"
import type { ObjectClient, ObjectPlace } from "./object-client.ts"

/**
 * Dependencies of every behaviour. There is no registry and no HTTP: `read` reads the store, writes of hooks join the
 * commit of the change, and `client` reads and writes other objects.
 */
export interface BehaviourDeps {
  /**
   * Objects of all kinds, in the name of the server: `podHandlers(client)` of a generated `handlers.ts` gives it types.
   * Each operation is a request of its own, with admission and a commit of its own. Only hooks and actions that may
   * wait (`commit`, `act`) can use it, and on a dry run they must not write with it.
   */
  readonly client: ObjectClient
  readonly vendor: Vendor
  readonly clock: Clock
  readonly random: Random
  /** The server options that behaviours read. */
  readonly options: BehaviourOptions
  /** Reads the newest durable value of a store key below the prefix (`ranges/serviceips`). */
  readonly read: (path: string) => Promise<StoredValue | undefined>
  /**
   * Reads and decodes the newest state of every object of a storage path (`services/specs`). For rebuilds and repairs,
   * not for requests.
   */
  readonly readAll: (storagePath: string) => Promise<readonly ApiObject[]>
  /** Returns the full store key of a path below the prefix. */
  readonly key: (path: string) => string
  /** The parts of the control plane that ComponentStatus reports. Absent: none. */
  readonly components?: readonly Component[]
}

/** A part of the control plane. */
export interface Component {
  /** `etcd-0` */
  readonly name: string
  /** Resolves with undefined when the part is healthy, otherwise with the reason. Ends within a time of its own. */
  readonly check: () => Promise<string | undefined>
}

/** The options of the command line that behaviours read. */
export type BehaviourOptions = Pick<Options, "service-cluster-ip-range" | "service-node-port-range"> & {
  /** Absent: the defaults of the gates. */
  readonly "feature-gates"?: Options["feature-gates"]
  /** Absent: true. */
  readonly "allow-privileged"?: boolean
}

export interface ChangeContext {
  readonly dryRun: boolean
  /** Who makes the change: only in `prepareCreate` and `prepareUpdate`. */
  readonly user?: User
  /** The sub-resource that the request writes; absent for the main resource. */
  readonly subresource?: string
  readonly failures: Failures
  /** Warns the client, also when the change is refused afterwards: only in `prepareCreate`. */
  readonly warn?: (text: string) => void
}

/** The checks and writes that a behaviour adds to the commit of a change. */
export interface CommitOps {
  readonly checks: readonly Check[]
  readonly writes: readonly Write[]
  /**
   * Runs once when the attempt has ended, with or without success, and releases what `commit` reserved. Only with
   * checks or writes.
   */
  readonly settled?: () => void
}

/** Hooks of the life of a kind's objects, whose type is `T`. */
export interface Behaviour<T extends object = ApiObject> {
  /**
   * Runs right after decoding and before managedFields are computed, so the sender owns the fields that it sets. May
   * change `object`. Runs again for every attempt, so it may see an object twice.
   */
  decoded?(object: T): void
  /** Runs after `createDrops` and generation, before validation. May change `object` and add failures. */
  prepareCreate?(object: T, context: ChangeContext): void
  /** Runs after `updateKeeps` and generation, before validation, once per attempt. May change `object`, never `old`. */
  prepareUpdate?(object: T, old: T, context: ChangeContext): void
  /**
   * Runs last before the commit, once per attempt; without `object` the change is a removal. May change `object` (an
   * allocated address) and add checks and writes, which commit atomically with the change. If one of its checks fails,
   * the whole attempt is repeated.
   * On a dry run it must write nothing: choose the values that would be allocated, but do not reserve them.
   */
  commit?(change: { object?: T; old?: T }, context: ChangeContext): Promise<CommitOps | undefined>
  /**
   * Seconds between the first delete request and the removal of an object that is not being deleted yet. Absent or 0:
   * the server removes it at once. `asked` is the client's gracePeriodSeconds.
   */
  graceSeconds?(object: T, asked: number | undefined): number
  /**
   * Runs when a delete request meets a live object. May change it (phase Terminating) before the server writes
   * deletionTimestamp.
   */
  startDeletion?(object: T): void
  /**
   * True for kinds that are deleted in two steps (namespaces). The first delete request marks the object, without a
   * grace period. While `mayRemove` returns false, later requests return the object unchanged. After that it is deleted
   * like any other object.
   */
  readonly deletesInSteps?: boolean
  /**
   * A resource of the same group and version. The commit that removes an object also deletes the companion of the same
   * name.
   */
  readonly companion?: string
  /**
   * Returns false to keep a terminating object although `metadata.finalizers` is empty (a namespace with
   * spec.finalizers).
   */
  mayRemove?(object: T): boolean
}

/** Checked DeleteOptions. */
export interface Deletion {
  readonly dryRun: boolean
  readonly gracePeriodSeconds?: number | undefined
  readonly uid?: string | undefined
  readonly resourceVersion?: string | undefined
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined
  readonly orphanDependents?: boolean | undefined
}

/**
 * Access to other objects, for an action that involves several of them. Every call throws the ApiError that a client
 * would receive.
 */
export interface ObjectAccess {
  /** Reads the newest state. Throws 404 when the object does not exist. */
  get(place: ObjectPlace): Promise<ApiObject>
  /**
   * Returns the newest state of those objects of a namespace whose reading passes the test. All objects are read, in
   * turns of the event loop; the result of a reading is kept for as long as its object does not change.
   */
  select<Read>(place: Omit<ObjectPlace, "name">, reading: Reading<Read>, test: (read: Read) => boolean): Promise<readonly ApiObject[]>
  /**
   * Writes on the condition that the object has not changed, and repeats from the newer state otherwise. `change` is
   * pure and may throw to refuse.
   */
  update(place: ObjectPlace, change: (old: ApiObject) => ApiObject, options: { dryRun: boolean }): Promise<ApiObject>
  delete(place: ObjectPlace, deletion: Deletion): Promise<void>
  /** Checks DeleteOptions as the client sent them; absent for none. Throws 400 or 422. */
  readDeletion(options: JsonObject | undefined): Deletion
}

/**
 * Facts that a behaviour needs of every object of a collection. Make it once, in a module: its results are cached by
 * its identity.
 */
export interface Reading<Read> {
  read(object: ApiObject): Stages<Read>
}

/** A POST that does more than change the parent. */
export interface SubresourceAction<Body extends object = ApiObject> {
  /** Decoded as the sub-resource's kind. */
  readonly body: Body
  /** The parent's namespace and name. Nothing has compared the name with the body's name. */
  readonly namespace: string
  readonly name: string
  /** The `dryRun` query parameter. */
  readonly dryRun: boolean
  readonly objects: ObjectAccess
}

/** A POST that is answered with an object, and stores nothing. */
export interface AnswerRequest<Body extends object = ApiObject> {
  /** Valid, with defaults. */
  readonly body: Body
  /** Empty for kinds without namespaces. */
  readonly namespace: string
  /** The name of the parent; empty for a kind. */
  readonly name: string
  readonly user: User
  readonly access: Access
  readonly objects: ObjectAccess
  /** Adds a Warning header to the answer. */
  readonly warn: (text: string) => void
}

/** A read of a kind that is not stored. */
export interface ReadRequest {
  /** Empty for kinds without namespaces, and for all namespaces. */
  readonly namespace: string
  /** Only the object of this name is wanted. Absent: all of them. */
  readonly name?: string
}

/**
 * Implements a named sub-resource: `binding`, `finalize`, `ephemeralcontainers`. `Body` is the type of the request's
 * body, `Parent` the type of the object with the sub-resource.
 */
export interface SubresourceBehaviour<Body extends object = ApiObject, Parent extends object = ApiObject> {
  /** PUT and PATCH: returns the next parent from the submitted object and the stored parent. Pure. */
  update?(submitted: Body, old: Parent, context: ChangeContext): Parent
  /** POST: checks the posted body alone, before validating admission. Throws ApiError. `name` is the parent's. */
  validate?(body: Body, name: string): void
  /**
   * POST: returns the next parent from the posted body. Throws ApiError to refuse. The client receives 201 with a
   * Status Success.
   */
  create?(body: Body, old: Parent, context: ChangeContext): Parent
  /**
   * POST, instead of `create`: performs the whole action (eviction). Throws ApiError to refuse. The client receives 201
   * with a Status Success.
   */
  act?(action: SubresourceAction<Body>): Promise<void>
  /**
   * POST, instead of `create` and `act`: returns the object that the client receives with 201. Nothing is stored.
   * Throws ApiError to refuse. A kind with `answeredBy` has only this and `validate`.
   */
  answer?(request: AnswerRequest<Body>): Body | Promise<Body>
  /**
   * GET of a kind with `answeredBy`: returns the objects as they are now, in any order; with a name, the object of that
   * name if it exists. May return more objects than were asked for. Called once per request. Throws ApiError to refuse.
   */
  read?(request: ReadRequest): Promise<readonly Body[]>
  /** Other versions of the body's kind that the server accepts as the schema's version: `policy/v1beta1`. Neutral. */
  readonly acceptedVersions?: readonly string[]
}

/** Makes the hooks of a kind. Called once per server. */
export type BehaviourFactory<T extends object = ApiObject> = (deps: BehaviourDeps) => Behaviour<T>
/** Makes the functions of a sub-resource. Called once per server. */
export type SubresourceBehaviourFactory<Body extends object = ApiObject, Parent extends object = ApiObject> = (
  deps: BehaviourDeps,
) => SubresourceBehaviour<Body, Parent>
