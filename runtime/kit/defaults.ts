/**
 * What generated defaults lean on. `defaults.ts` of a schema file holds one function per type with a default in or below it: constants
 * first, then the types below, then the type's `defaults` list in its order. All change the object in place and are idempotent.
 */
import { json, nonZero, present, type Value } from "./expression.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "./json.ts"
import type { DefaultsContext } from "./kind.ts"

/** What a defaults function may look at beside its own value. */
export interface DefaultingContext extends DefaultsContext {
  /** The whole object. */
  readonly root: ApiObject
}

/** Fills the defaults of one type. */
export type TypeDefaults = (self: JsonObject, context: DefaultingContext) => void

/** A constant default: set when the field is absent and, unless it is a pointer, when it is empty. */
export function setDefault(self: JsonObject, name: string, value: JsonValue, pointer = false): void {
  if (pointer ? !present(self[name]) : !nonZero(self[name])) self[name] = value
}

/** Fills what a struct field holds. A field that is not a pointer always has a value, if an empty one. */
export function defaultField(self: JsonObject, name: string, context: DefaultingContext, fill: TypeDefaults, pointer = false): void {
  const value = self[name]
  if (isObject(value)) return fill(value, context)
  if (pointer) return
  const made: JsonObject = {}
  fill(made, context)
  if (Object.keys(made).length > 0) self[name] = made
}

/** Fills each item of a list field. */
export function defaultItems(self: JsonObject, name: string, context: DefaultingContext, fill: TypeDefaults): void {
  const list = self[name]
  if (!Array.isArray(list)) return
  for (const value of list) if (isObject(value)) fill(value, context)
}

/** Fills each value below lists and maps in each other. */
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

/**
 * A computed default: sets the field at `path` to `value` where it is absent (or empty and not a pointer), or in any case with
 * `force`. Parents that are absent are not made; an absent `value` sets nothing, a forced null removes the field. The value is copied, so that no two fields share one.
 */
export function assign(
  self: JsonObject,
  path: readonly string[],
  value: Value,
  { pointer = false, force = false }: { readonly pointer?: boolean; readonly force?: boolean } = {},
): void {
  let parent: JsonValue | undefined = self
  for (const name of path.slice(0, -1)) parent = isObject(parent) ? parent[name] : undefined
  const name = path.at(-1)
  if (!isObject(parent) || name === undefined) return
  const made = json(value)
  if (made === undefined) return
  if (made === null) {
    if (force) delete parent[name]
    return
  }
  const old = parent[name]
  if (force || (pointer ? !present(old) : !nonZero(old))) parent[name] = structuredClone(made)
}
