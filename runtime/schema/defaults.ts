/**
 * Used by generated defaults. `defaults.ts` of a schema file holds one function per type that has a default in or below
 * it: constants first, then nested types, then the type's `defaults` list in its order. Each function changes the
 * object in place and is idempotent.
 */
import { DurationError, formatDuration, parseDuration } from "../base/duration.ts"
import { canonicalQuantity, QuantityError } from "../base/quantity.ts"
import { canonicalMicroTime, canonicalTime, TimeError } from "../base/time.ts"
import { equals, json, nonZero, present, type Value } from "./expression.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import type { DefaultsContext } from "./kind.ts"

/** Values that a defaulting function may read besides its own value. */
export interface DefaultingContext extends DefaultsContext {
  /** The whole object. */
  readonly root: ApiObject
}

/** Applies the defaults of one type. */
export type TypeDefaults = (self: JsonObject, context: DefaultingContext) => void

/**
 * Applies a constant default when the field is absent and, unless it is a pointer, when it is empty. The null of a
 * nullable field stays.
 */
export function setDefault(self: JsonObject, name: string, value: JsonValue, pointer: boolean | "nullable" = false): void {
  if (isUnset(self[name], pointer)) self[name] = value
}

function isUnset(value: JsonValue | undefined, pointer: boolean | "nullable"): boolean {
  if (pointer === "nullable") return value === undefined
  return pointer ? !present(value) : !nonZero(value)
}

/**
 * Applies a constant default to a field that is not a pointer and that decoding writes as `zero` when it is absent:
 * `0s` for a Duration, `0` for a Quantity, a struct with the fields that are always written.
 */
export function replaceZero(self: JsonObject, name: string, value: JsonValue, zero: JsonValue): void {
  const old = self[name]
  if (!nonZero(old) || equals(old, zero)) self[name] = value
}

/** Applies defaults within a struct field. A field that is not a pointer always has a value, even if empty. */
export function defaultField(self: JsonObject, name: string, context: DefaultingContext, fill: TypeDefaults, pointer = false): void {
  const value = self[name]
  if (isObject(value)) return fill(value, context)
  if (pointer) return
  const made: JsonObject = {}
  fill(made, context)
  if (Object.keys(made).length > 0) self[name] = made
}

/** As `defaultField`, for a field of an object whose defaults read nothing else of the object but its kind. */
export function defaultSelfContained(
  self: JsonObject,
  name: string,
  context: DefaultingContext,
  fill: TypeDefaults,
  pointer = false,
): void {
  if (self !== context.root || context.unchanged?.has(name) !== true) defaultField(self, name, context, fill, pointer)
}

/** Applies defaults within each item of a list field. */
export function defaultItems(self: JsonObject, name: string, context: DefaultingContext, fill: TypeDefaults): void {
  const list = self[name]
  if (!Array.isArray(list)) return
  for (const value of list) if (isObject(value)) fill(value, context)
}

/** Applies defaults to each value of nested lists and maps. */
export function defaultNested(
  value: JsonValue | undefined,
  context: DefaultingContext,
  levels: readonly ("list" | "map")[],
  fill: TypeDefaults,
): void {
  const [level, ...deeper] = levels
  if (level === undefined) {
    if (isObject(value)) fill(value, context)
  } else if (Array.isArray(value)) {
    for (const item of value) defaultNested(item, context, deeper, fill)
  } else if (isObject(value)) {
    for (const item of Object.values(value)) defaultNested(item, context, deeper, fill)
  }
}

/** A scalar whose texts have a canonical form. */
type CanonicalScalar = "Duration" | "Quantity" | "Time" | "MicroTime"

interface AssignOptions {
  readonly pointer?: boolean | "nullable"
  readonly force?: boolean
  readonly as?: CanonicalScalar
}

/** The text that decoding writes for an absent field that is not a pointer. */
const zeroTexts: Readonly<Partial<Record<CanonicalScalar, string>>> = { Duration: "0s", Quantity: "0" }

/** Absent for a value that is not of the scalar. */
function canonical(scalar: CanonicalScalar, value: JsonValue | undefined): JsonValue | undefined {
  if (value === null || value === undefined || typeof value === "object") return value === null ? null : undefined
  try {
    if (scalar === "Quantity") return canonicalQuantity(value)
    if (typeof value !== "string") return undefined
    if (scalar === "Duration") return formatDuration(parseDuration(value))
    return scalar === "Time" ? canonicalTime(value) : canonicalMicroTime(value)
  } catch (error) {
    if (error instanceof DurationError || error instanceof QuantityError || error instanceof TimeError) return undefined
    throw error
  }
}

/**
 * Applies a computed default: sets the field at `path` to `value` when it is absent (or empty and not a pointer); with
 * `force`, always. Does not create absent parents. An absent `value` sets nothing; null with `force` removes the field.
 * The value is copied, so no two fields share one. `as`: the scalar of the field, whose canonical text is written; a
 * text that is not one sets nothing.
 */
export function assign(
  self: JsonObject,
  path: readonly string[],
  value: Value,
  { pointer = false, force = false, as }: AssignOptions = {},
): void {
  let parent: JsonValue | undefined = self
  for (const name of path.slice(0, -1)) parent = isObject(parent) ? parent[name] : undefined
  const name = path.at(-1)
  if (!isObject(parent) || name === undefined) return
  const made = as === undefined ? json(value) : canonical(as, json(value))
  if (made === undefined) return
  if (made === null) {
    if (force) delete parent[name]
    return
  }
  const old = parent[name]
  const isZeroText = pointer === false && as !== undefined && old === zeroTexts[as]
  if (force || isZeroText || isUnset(old, pointer)) parent[name] = structuredClone(made)
}
