/**
 * The stored state of an object that a write handles in another version. Fields that the other version lacks are kept
 * beside the object until the commit merges both.
 */
import type { ApiObject } from "../base/json.ts"
import type { JsonObject } from "../base/json.ts"
import type { Kind } from "../schema/kind.ts"
import type { TypeShape } from "../schema/shape.ts"
import { keepStoredOnly } from "./keep-stored-only.ts"

/** Conversions between one version of a kind and the stored one; identities if both are the same. Pure. */
export interface StoredConversions {
  readonly storedShape: TypeShape
  /** Brings an object in the stored version into the order and form of its shape. */
  ofStored(object: JsonObject): ApiObject
  fromStored(object: ApiObject): ApiObject
  toStored(object: ApiObject): ApiObject
}

/**
 * Whether writes through a version keep fields that only the stored version has. Kinds of definitions do not, as in the
 * reference: their conversion alone decides what an object has in the other version.
 */
export function keepsStoredOnly({ kind, stored }: { readonly kind: Kind; readonly stored: Kind }): boolean {
  return kind !== stored && kind.custom === undefined
}

const storedStates = new WeakMap<ApiObject, ApiObject>()

/** Called with an object of another version and its stored object, and after each change of the stored one. */
export function rememberStored(object: ApiObject, stored: ApiObject): void {
  storedStates.set(object, stored)
}

/** The stored object that was remembered last. */
export function rememberedStored(object: ApiObject): ApiObject | undefined {
  return storedStates.get(object)
}

/** Called when an object is copied in order to be changed. */
export function copyRemembered(from: ApiObject, to: ApiObject): void {
  const stored = storedStates.get(from)
  if (stored !== undefined) storedStates.set(to, stored)
}

/**
 * The object in the stored version, with the fields that only this version has. Called before the commit, and for
 * behaviours of other versions. For an object that was not stored before, this is the conversion alone.
 */
export function fullStored(handle: StoredConversions, object: ApiObject): ApiObject {
  const next = handle.toStored(object)
  const old = storedStates.get(object)
  if (old === undefined) return next
  const kept = keepStoredOnly(handle.storedShape, { old, returned: handle.toStored(handle.fromStored(old)), next })
  return kept === next ? next : handle.ofStored(kept)
}
