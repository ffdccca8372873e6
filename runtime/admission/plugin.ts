/** The interface of admission plugins, and the attributes of a request that they receive. */
import type { Authorizer } from "../authz/authorize.ts"
import type { ApiObject } from "../base/json.ts"
import type { Pace } from "../base/pace.ts"
import type { Trace } from "../base/trace.ts"
import type { User } from "../base/user.ts"
import type { DeadlineSignal } from "../base/deadline-signal.ts"

/**
 * Effect of a request on an object. POST on a sub-resource with its own kind of body (binding, eviction) is CREATE;
 * exec, attach, portforward and proxy are CONNECT.
 */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT"

/** Options from the query or body of a request: deletion options for DELETE, none for CONNECT. */
export interface RequestOptions {
  /** "" if the request sets none. */
  readonly fieldManager?: string
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict"
  /** For server-side apply. */
  readonly force?: boolean
  readonly gracePeriodSeconds?: number | undefined
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined
  readonly orphanDependents?: boolean | undefined
  /** Preconditions of a deletion. */
  readonly uid?: string | undefined
  readonly resourceVersion?: string | undefined
}

/** Neutral, as in schemas: `coordination.orch.io`. */
export interface ResourceName {
  readonly group: string
  readonly version: string
  /** Plural: `leases`. */
  readonly resource: string
}

/** Neutral, as in schemas. */
export interface KindName {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/**
 * A write or a connection, as admission plugins see it. All attempts of a request share one record: its fields are
 * valid during the call, and a plugin that needs them longer must copy them.
 */
export interface RequestAttributes {
  readonly operation: Operation
  /** The authenticated user; for writes of the server itself `system:apiserver` or a service account of the system. */
  readonly user: User
  /**
   * Decide whether the user may do what the write implies, such as granting or signing. They allow everything to writes
   * of the server itself.
   */
  readonly authorizers: readonly Authorizer[]
  /** The User-Agent header; "" if absent. */
  readonly userAgent: string
  readonly resource: ResourceName
  /** "": the object itself; else `status`, `scale`, `binding` and so on. */
  readonly subresource: string
  /**
   * The kind of `object` and `oldObject`: the resource's own kind, or the kind of the sub-resource's body (Scale,
   * Eviction, PodExecOptions).
   */
  readonly kind: KindName
  /** "" for cluster-scoped objects. */
  readonly namespace: string
  /** "" when a collection is deleted, and in `mutate` for an object whose name is generated. */
  readonly name: string
  /** The name in the path: "" for a POST, also if its object has a name. Absent: the server itself writes. */
  readonly pathName?: string
  readonly options: RequestOptions
  /** Nothing is stored: a plugin must have no effects outside the request. */
  readonly dryRun: boolean
  /** The new object; absent for DELETE. For CONNECT: the options of the connection. */
  readonly object: ApiObject | undefined
  /** The stored object, for UPDATE and DELETE. */
  readonly oldObject: ApiObject | undefined
  /** Aborted at the request's deadline, which also ends the call: a plugin should then release what it waits for. */
  readonly expiry: DeadlineSignal | undefined
  /** Warns the client: the text becomes a `Warning: 299` header of the answer. Writes of the server itself drop it. */
  readonly warn: (text: string) => void
}

/** The writable attributes, for the registry and the chain, which update them for each attempt. */
export type OpenAttributes = RequestAttributes & {
  name: string
  object: ApiObject | undefined
  oldObject: ApiObject | undefined
  /** Records time spent waiting for the store. */
  readonly trace: Trace
  /** Decides by the size of the work when it takes turns. Its `bytes` may grow until the object is decoded. */
  readonly pace: Pace
  /** Its `aborted` turns true once no client waits for the answer. Absent: the server itself writes. */
  readonly caller?: { readonly aborted: boolean } | undefined
}

/**
 * Checks writes, and may change them. For every attempt of a write, the registry calls the chain twice: first all
 * mutating plugins in order, then all validating ones. The first error ends the request: an ApiError is the response,
 * any other error is logged and answered with 500.
 */
export interface AdmissionPlugin {
  /** As in `--enable-admission-plugins`. */
  readonly name: string
  /** The operations for which the plugin is called. */
  readonly operations: readonly Operation[]
  /**
   * Called before the kind's preparation and validation, and before a stale `resourceVersion` is refused. `object` is
   * what the client sent or patched, with defaults and managed fields; a new object has no uid yet. Returns the object
   * to continue with, or undefined to leave it. A returned object is normalized, defaulted and validated like a
   * client's. The fields that the plugin changes get no manager, as in the reference. Must not modify `object` or
   * `oldObject` in place.
   */
  mutate?(attributes: RequestAttributes): ApiObject | undefined | Promise<ApiObject | undefined>
  /** Called right before the commit, with a prepared and valid `object`. Must not modify `object` or `oldObject`. */
  validate?(attributes: RequestAttributes): void | Promise<void>
}
