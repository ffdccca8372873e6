/**
 * The record of one kind at one version: all that the runtime needs to serve it. `T` is the type of its objects,
 * `Input` the type of objects that clients send; both are types alone, the record has no member that holds them. The
 * generator emits one per schema file; a run-time definition builds the same record from its data. Names and groups are
 * neutral (`events.orch.io`); `base/vendor.ts` maps them at the edge.
 */
import type { Failures } from "../base/failure.ts"
import type { FeatureGate } from "../base/feature-gates.ts"
import type { ApiObject, JsonObject, JsonValue } from "../base/json.ts"
import type { Stages } from "../base/turns.ts"
import type { ConversionContext } from "./convert.ts"
import type { TypeShape } from "./shape.ts"
import type { Vendor } from "../base/vendor.ts"

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch"
export type NameRule = "path-segment" | "dns-subdomain" | "dns-label" | "dns1035-label"

export interface Kind<T extends object = ApiObject, Input extends object = T> {
  /** Never set: carries the types of the kind's objects to typed operations. */
  readonly types?: { readonly object: T; readonly input: Input }
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly listKind: string
  /** `pods` */
  readonly resource: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  /** Clients cannot use this version: it has no path and no entry in discovery. Objects stored in it are still read. */
  readonly served?: false
  /**
   * The version is off unless the operator turns it on (`--runtime-config`), and with a gate that as well. A server
   * leaves kinds that are off out of its table.
   */
  readonly optional?: { readonly gate?: FeatureGate }
  /**
   * Each answer carries a `Warning: 299`. Without a text of its own it names the version to use
   * (`KindTable.warningOf`).
   */
  readonly deprecated?: { readonly warning?: string }
  /** Sorted, as discovery lists them. */
  readonly verbs: readonly Verb[]
  readonly nameRule: NameRule
  readonly storage: KindStorage
  /** Selectable fields besides `metadata.name` and, for namespaced kinds, `metadata.namespace`. */
  readonly selectable: readonly SelectableField[]
  /** The message for a selector of another field, with `{field}` for its name. Absent: the message of most kinds. */
  readonly notSelectable?: string
  /** Dotted path of the number by which rows of a Table are sorted. Absent: they have the order of the list. */
  readonly rowOrder?: string
  readonly rules: LifecycleRules
  readonly subresources: readonly Subresource[]
  /** Names of behaviours (`runtime/behaviours/`), called in this order. */
  readonly behaviours: readonly string[]
  /** The kind is not stored. A POST becomes a POST to this sub-resource of the object that the body names. */
  readonly postsTo?: { readonly resource: string; readonly subresource: string }
  /**
   * The kind is not stored. This behaviour answers a POST with an object of the kind, or computes the objects that are
   * read, whichever the kind's verbs are.
   */
  readonly answeredBy?: string
  /** A definition added the kind to the running server. Absent: it was there at the start. */
  readonly custom?: CustomFacts
  /** Loads what is needed to decode, validate and render this kind. Called on first use; the result is cached. */
  readonly load: () => Promise<KindParts>
}

/** Whether there are objects of a kind in the store. */
export function isStored({ postsTo, answeredBy }: Pick<Kind, "postsTo" | "answeredBy">): boolean {
  return postsTo === undefined && answeredBy === undefined
}

/** Facts of kinds that a definition added. */
export interface CustomFacts {
  /** Name of the definition. */
  readonly definition: string
  /** The definition is being deleted: objects cannot be created any more. */
  readonly isTerminating: boolean
  /** The schema of the version as its author wrote it, which is published. Absent: objects may hold anything. */
  readonly schema?: JsonObject
  /** Objects keep fields that the schema does not name, at every depth. */
  readonly preservesUnknown?: true
}

export interface KindStorage {
  /** Below the store prefix: `services/specs`. Shared by all versions of a resource. */
  readonly path: string
  /** Group, version and kind of the stored object; equal to the kind's own unless it shares storage. */
  readonly group: string
  readonly version: string
  readonly kind: string
  /** The server option that holds the time to live, which every write restarts: `event-ttl`. */
  readonly ttlOption?: string
  /** The version that `storageVersionHash` of discovery is made of. Absent: the stored one. */
  readonly hashedVersion?: string
  /** Clients read the kind from the store, unless `--watch-cache-sizes` names it. */
  readonly uncached?: boolean
  /**
   * The compact encoding does not hold all values of the kind (`schema/compact-form.ts`): it is stored as JSON whatever
   * `--storage-media-type` says, and not served in the compact media type, as custom resources.
   */
  readonly format?: "json"
  /**
   * The fingerprint of this version's shape (`schema/stored-shape.ts`), so that the start compares it with the store's
   * record without loading the shape. Absent: computed from the shape.
   */
  readonly shape?: string
}

export interface SelectableField {
  /** As clients write it: `involvedObject.kind`. */
  readonly name: string
  /**
   * Returns the text of the field in the **stored** form of the object; "" when absent. Called once per stored version.
   */
  readonly value: (stored: ApiObject) => string
}

/** Changes that create, update and delete make besides validation. Paths are dotted JSON paths from the root. */
export interface LifecycleRules {
  /** Removed on create: `["status"]`. */
  readonly createDrops: readonly string[]
  /** Kept from the stored object on update of the main resource: `["status"]`. */
  readonly updateKeeps: readonly string[]
  /** A PUT of a missing object creates it. */
  readonly createOnUpdate: boolean
  /** PUT without resourceVersion is allowed. */
  readonly unconditionalUpdate: boolean
  /** Generation grows when one of these paths changes. Absent: the kind has no generation. */
  readonly generation?: readonly string[]
  /** The generation of a new object, if it is not 1. Objects of a kind that begins with 0 have none at first. */
  readonly firstGeneration?: number
  /** An updated object is validated as a change, and again as a new one: each of its faults is reported twice. */
  readonly validatesTwice?: true
  /** An update checks `metadata.generateName` only as a part of a path. */
  readonly freeNameOnUpdate?: true
  /** Finalizers need neither have a domain nor be standard ones. */
  readonly freeFinalizers?: true
  readonly defaultPropagation: "background" | "orphan" | "foreground" | "unsupported"
  /** The warning for a DELETE that does not say what happens to dependents. */
  readonly propagationReminder?: string
  /** The response of DELETE when the object is removed at once. */
  readonly deleteReturns: "Status" | "object"
}

/** `status` and every named sub-resource. */
export interface Subresource {
  readonly name: string
  /**
   * status: an update writes only fields that are not kept. scale: the autoscaling/v1 Scale view. behaviour: a named
   * behaviour handles the request. connect: the request is forwarded to another machine.
   */
  readonly type: "status" | "scale" | "behaviour" | "connect"
  readonly verbs: readonly ("get" | "update" | "patch" | "create" | "delete")[]
  /** Kind of the body when it differs from the parent's. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string }
  /** type status: paths kept from the stored object. */
  readonly keeps?: readonly string[]
  /** type status: paths that a write may change; their managers stay as they are. */
  readonly unowned?: readonly string[]
  /** type status: a write may add finalizers without a domain. */
  readonly freeFinalizers?: true
  /** type status: a write is judged by the rules of an update of the object itself. */
  readonly validatesObject?: true
  /** type scale: dotted paths in the parent. */
  readonly scale?: { readonly specReplicas: string; readonly statusReplicas: string; readonly selector?: string }
  /** type behaviour: its name. */
  readonly behaviour?: string
  /** type connect: the protocol; `runtime/connect/` */
  readonly connect?: Connect
  /** type connect: the type of the query parameters. */
  readonly options?: { readonly group: string; readonly version: string; readonly kind: string }
}

/** log, exec, attach and portforward go to the node agent; proxy goes to the object itself. */
export type Connect = "attach" | "exec" | "log" | "portforward" | "proxy"

export interface KindParts {
  readonly shape: TypeShape
  /** Applies defaults in place. Called after decoding a request and after each patch, before validation. Idempotent. */
  readonly applyDefaults: (object: ApiObject, context: DefaultsContext) => void
  /** Reports every error of `object`. `old` is the stored object on update, absent on create. */
  readonly validate: (object: ApiObject, context: ValidationContext) => void
  /**
   * `validate` in stages, in place of it, for kinds whose rules may cost more than their objects are long. Absent:
   * `validate` takes time in proportion to the object.
   */
  readonly validating?: (object: ApiObject, context: ValidationContext) => Stages<void>
  /** Returns warnings (text only) for a valid object, sent as `Warning: 299`. */
  readonly warnings?: (object: ApiObject, context: ValidationContext) => string[]
  readonly columns: readonly Column[]
  /** Absent: the rows of the kind's Tables have no conditions. */
  readonly rowConditions?: RowConditions
  /**
   * Both or neither. `toStored` converts this version to the stored one, `fromStored` back. Pure; neither changes its
   * argument.
   */
  readonly toStored?: (object: ApiObject, context: ConversionContext) => ApiObject
  readonly fromStored?: (object: ApiObject, context: ConversionContext) => ApiObject
  /**
   * Set instead of both for a kind whose versions another server converts. All versions that share a storage path have
   * it, or none: also the stored version, because objects that an earlier storage version wrote are converted on read.
   */
  readonly convert?: ConvertObjects
}

/**
 * Converts objects of one kind to `apiVersion`, as on the wire. Each object names its own version; one that is already
 * in that version is returned as it is. Returns one object for each, in order; does not change `objects`. Called for
 * reads and writes of any version, with all objects of a page at once. Rejects with ApiError, and with the reason of
 * `signal` when that is aborted.
 */
export type ConvertObjects = (objects: readonly ApiObject[], apiVersion: string, signal?: AbortSignal) => Promise<readonly ApiObject[]>

export interface DefaultsContext {
  readonly vendor: Vendor
  /** The object was read from the store. Kinds of definitions then leave out excessive defaults. */
  readonly stored?: boolean
  /** Called by kinds of definitions with the approximate number of characters that their defaults have added. */
  readonly added?: (characters: number) => void
  /** Fields of the object that have their defaults: they are as this process has written them last. */
  readonly unchanged?: ReadonlySet<string> | undefined
}

export interface ValidationContext {
  readonly failures: Failures
  readonly vendor: Vendor
  /** The stored object; absent on create. */
  readonly old?: ApiObject | undefined
  /** The sub-resource that the request writes: "status", ...; absent for the main resource. */
  readonly subresource?: string | undefined
  /** An updated object is validated as a whole, after the change: it has no `old`, and is no creation. */
  readonly again?: boolean
  /**
   * Whether a field equals the stored object's, which this process has checked as a whole, or a checked new object's.
   * Absent: no field does.
   */
  readonly passed?: ((field: string) => boolean) | undefined
  /** `--allow-privileged`; absent: true. */
  readonly allowsPrivileged?: boolean | undefined
  /** Approximate size of the object. Absent: small. */
  readonly bytes?: number | undefined
  /** Given where validation takes turns: a check that may take long hands its stages on, which run after the rest. */
  readonly later?: (stages: Stages<void>) => void
}

/** A Table column; specification section 2.4. */
export interface Column {
  readonly name: string
  readonly type: "string" | "integer" | "number" | "boolean" | "date"
  readonly format: string
  readonly description: string
  readonly priority: number
  /** Returns the cell, from the object in the **requested** version. */
  readonly value: (object: ApiObject, context: CellContext) => JsonValue
}

/** Returns the state of a row's object, for clients that show completed ones differently. Called once per row; pure. */
export type RowConditions = (object: ApiObject, context: CellContext) => JsonObject[]

export interface CellContext {
  readonly nowMs: number
  /** For cells that read well-known labels and annotations. */
  readonly vendor: Vendor
}

/** A type that is the body of a request without being a served kind: Scale, DeleteOptions, Eviction. */
export interface RequestBodyType {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly load: () => Promise<{ shape: TypeShape; applyDefaults?: KindParts["applyDefaults"]; validate?: KindParts["validate"] }>
}
