/** Used by generated conversions between two versions of a kind. Objects keep neutral names here. */
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import type { Vendor } from "../base/vendor.ts"

/**
 * A named conversion between the version `Here`, whose schema names it, and the version `Stored`. Each function
 * receives the object after the renames of the schema, with the fields of the same name, and the object before them;
 * both share the parts that no rename has touched. It returns the finished object and changes neither. Called for each
 * read and write of the version `Here`.
 */
export interface Conversion<Here extends object = ApiObject, Stored extends object = ApiObject> {
  toStored(converted: Stored, here: Here, context: ConversionContext): Stored
  fromStored(converted: Here, stored: Stored, context: ConversionContext): Here
}

/** Values that a conversion may read besides its object. */
export interface ConversionContext {
  /** For the names of labels and annotations. */
  readonly vendor: Vendor
}

/** A field that has another path in the other version; dotted paths from the root. */
export interface FieldMove {
  readonly from: string
  readonly to: string
}

/**
 * Converts an object to another version: applies `moves` to a copy and sets that version's name. Called for each read
 * and write of a version that is not the storage version.
 */
export function converted(object: ApiObject, apiVersion: string, kind: string, moves: readonly FieldMove[]): ApiObject {
  const target: ApiObject = { ...object, apiVersion, kind }
  const values = moves.map(({ from }) => valueAt(object, from.split(".")))
  for (const { from } of moves) remove(target, from.split("."))
  for (const [index, { to }] of moves.entries()) {
    const value = values[index]
    if (value !== undefined) place(target, to.split("."), value)
  }
  return target
}

/** Finishes a conversion with a named one. Called by generated conversions with the object before the renames. */
export function toStoredBy(conversion: Conversion, made: ApiObject, object: ApiObject, context: ConversionContext): ApiObject {
  return conversion.toStored(made, object, context)
}

/** Like `toStoredBy`, back. */
export function fromStoredBy(conversion: Conversion, made: ApiObject, object: ApiObject, context: ConversionContext): ApiObject {
  return conversion.fromStored(made, object, context)
}

function valueAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object
  for (const name of path) value = isObject(value) ? value[name] : undefined
  return value
}

/** Removes the value at a path, copying the objects on the way. */
function remove(target: JsonObject, [name, ...rest]: readonly string[]): void {
  if (name === undefined) return
  const value = target[name]
  if (rest.length === 0) delete target[name]
  else if (isObject(value)) {
    const copy = { ...value }
    target[name] = copy
    remove(copy, rest)
  }
}

/** Sets the value at a path, copying or creating its parents. */
function place(target: JsonObject, [name, ...rest]: readonly string[], value: JsonValue): void {
  if (name === undefined) return
  if (rest.length === 0) {
    target[name] = value
    return
  }
  const below = target[name]
  const copy = isObject(below) ? { ...below } : {}
  target[name] = copy
  place(copy, rest, value)
}
