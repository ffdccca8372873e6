/**
 * The values of a decoded JSON document. Integers that a double cannot hold exactly are `bigint`, so identifiers beyond
 * 2^53 survive a round trip.
 */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject
export interface JsonObject {
  [key: string]: JsonValue | undefined
}

/** Narrows any JSON value: true for an object, false for a list, null or a scalar. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** An API object in decoded form, as verbs, registry and behaviours handle it. */
export interface ApiObject extends JsonObject {
  apiVersion?: string
  kind?: string
  metadata?: ObjectMeta
}

/**
 * `metadata` of every object; specification section 2.2. Times are RFC 3339 text as on the wire. A type alias, because
 * TypeScript accepts an alias, but no interface, where a `JsonObject` is expected.
 */
export type ObjectMeta = {
  name?: string
  generateName?: string
  namespace?: string
  selfLink?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string | null
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: { [key: string]: string }
  annotations?: { [key: string]: string }
  ownerReferences?: OwnerReference[]
  finalizers?: string[]
  managedFields?: JsonObject[]
}

/** One entry of `metadata.ownerReferences`. */
export type OwnerReference = {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}
