/** Typed values for tests, written as short literals and decoded as the server decodes them. */
import { Failures } from "../../runtime/base/failure.ts"
import type { ApiObject } from "../../runtime/base/json.ts"
import { type VendorName, vendorProfile } from "../../runtime/base/vendor.ts"
import { normalize } from "../../runtime/encoding/normalize.ts"
import type { TypeShape } from "../../runtime/schema/shape.ts"
import { typed } from "../../runtime/schema/typed.ts"
import { type Check, CheckContext, named } from "../../runtime/schema/validate.ts"

/** A literal of type `T` that may leave out fields at any depth. Misspelt fields and wrong enums do not compile. */
export type Part<T> = T extends readonly (infer Item)[] ? Part<Item>[] : T extends object ? { [Key in keyof T]?: Part<T[Key]> } : T

/**
 * Returns the literal as the server decodes it, without defaults: a struct that is left out is present and empty.
 * `shape` is the shape of `T`.
 */
export function decoded<T extends object>(shape: TypeShape, part: Part<T>): T {
  const typeMeta = shape.fields.some(({ name }) => name === "metadata")
  return typed<T>(normalize(shape, typed({ ...part }), { typeMeta }).object)
}

/** Options of `failuresOf` for the call of a check. */
interface CheckOptions<T> {
  readonly shape: TypeShape
  /** The stored value; absent on create. */
  readonly old?: Part<T>
  /** Default orch. */
  readonly vendor?: VendorName
  /** The field of the object that holds the value. Default: the value is the object. */
  readonly field?: string
}

/** Decodes the literal and runs a check on it, as a generated validator does. Returns the failures. */
export function failuresOf<T extends object>(check: Check<T>, part: Part<T>, options: CheckOptions<T>): Failures {
  const { shape, old, vendor = "orch", field } = options
  const failures = new Failures()
  const object = (literal: Part<T>): ApiObject =>
    typed(field === undefined ? decoded(shape, literal) : { [field]: decoded(shape, literal) })
  const root = CheckContext.of(object(part), { failures, vendor: vendorProfile(vendor), ...(old !== undefined && { old: object(old) }) })
  named(check, typed(decoded(shape, part)), field === undefined ? root : root.field(field))
  return failures
}

/** The failures of `failuresOf`, each as its type and path. */
export function faultsOf<T extends object>(check: Check<T>, part: Part<T>, options: CheckOptions<T>): string[] {
  return failuresOf(check, part, options).list.map(({ type, field }) => `${type} ${field}`)
}
