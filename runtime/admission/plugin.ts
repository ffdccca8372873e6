/** What an admission plugin is, and what it is shown of a request. */
import type { ApiObject } from "../base/json.ts"
import type { User } from "../http/request/context.ts"
import type { DeadlineSignal } from "../wire/expiry.ts"

/**
 * What a request does to an object. POST on a sub-resource with a body of its own (binding, eviction) is CREATE; exec,
 * attach, portforward and proxy are CONNECT.
 */
export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT"

/** Options of a request as its query or body gave them; those of deletions for DELETE, none for CONNECT. */
export interface RequestOptions {
  /** "" when the request named none. */
  readonly fieldManager?: string
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict"
  /** Of a server-side apply. */
  readonly force?: boolean
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground"
  readonly orphanDependents?: boolean
  /** Preconditions of a deletion. */
  readonly uid?: string
  readonly resourceVersion?: string
}

/** Neutral, as schemas write it: `coordination.orch.io`. */
export interface ResourceName {
  readonly group: string
  readonly version: string
  /** Plural: `leases`. */
  readonly resource: string
}

/** Neutral, as schemas write it. */
export interface KindName {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/**
 * A write, or a connection, as admission plugins see it. One record serves all attempts of a request: its fields hold
 * during the call, and a plugin that keeps them copies the record.
 */
export interface RequestAttributes {
  readonly operation: Operation
  /** Authenticated; `system:apiserver` or a service account of the system for what the server does by itself. */
  readonly user: User
  /** The header, "" when there is none. */
  readonly userAgent: string
  readonly resource: ResourceName
  /** "" for the object itself: `status`, `scale`, `binding`. */
  readonly subresource: string
  /**
   * Of `object` and `oldObject`: that of the resource, or the one of the sub-resource's body (Scale, Eviction,
   * PodExecOptions).
   */
  readonly kind: KindName
  /** "" for objects without a namespace. */
  readonly namespace: string
  /** "" for each object of a deleted collection, and in `mutate` for an object whose name is generated. */
  readonly name: string
  readonly options: RequestOptions
  /** Nothing is stored: a plugin must have no effects outside the request. */
  readonly dryRun: boolean
  /** The new object, absent for DELETE; for CONNECT the options of the connection. */
  readonly object: ApiObject | undefined
  /** The stored object, for UPDATE and DELETE. */
  readonly oldObject: ApiObject | undefined
  /**
   * Aborted when the time of the request is over, and with it the call: a plugin that waits lets go of what it waits
   * for.
   */
  readonly expiry: DeadlineSignal | undefined
}

/** The same for those who make it and go on with it from attempt to attempt. */
export type OpenAttributes = RequestAttributes & {
  name: string
  object: ApiObject | undefined
  oldObject: ApiObject | undefined
}

/**
 * Decides about the content of writes, and changes it. The registry calls the plugins of a chain one after the other,
 * in two moments, for every attempt of a write. The first that throws ends the request: an ApiError is its answer,
 * anything else is logged and answered with 500.
 */
export interface AdmissionPlugin {
  /** As in `--enable-admission-plugins`. */
  readonly name: string
  /** The operations that it is called for. */
  readonly operations: readonly Operation[]
  /**
   * The first moment: before the kind's preparation and validation, and before a stale `resourceVersion` is refused.
   * `object` is what the client sent or patched, defaults filled and managed fields tracked; a new object has no uid
   * yet. Answers the object to go on with, which is normalized, defaulted and validated as one of a client; undefined
   * leaves it as it is. Must not change `object` or `oldObject` in place. What it changes gets no manager, as in the
   * reference.
   */
  mutate?(attributes: RequestAttributes): ApiObject | undefined | Promise<ApiObject | undefined>
  /**
   * The second moment: `object` is prepared and valid, and the commit is next. Must not change `object` or
   * `oldObject`.
   */
  validate?(attributes: RequestAttributes): void | Promise<void>
}
