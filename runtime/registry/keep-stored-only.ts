/**
 * Keeps the fields that only the stored version of an object has when a client writes another version. A conversion
 * there and back loses them; they are carried over into the next stored object, unless the client changed or removed
 * the value that they belong to. Pure.
 */
import { deepEqual, ownField } from "../encoding/field-path.ts"
import { setField, stringify } from "../encoding/json/text.ts"
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import type { FieldShape, TypeRef, TypeShape } from "../schema/shape.ts"

/** Three states of one object, all of the same version. */
export interface ConvertedStates {
  /** As stored. */
  readonly old: JsonObject
  /** `old` after a conversion to the client's version and back. */
  readonly returned: JsonObject
  /** The client's object, converted. */
  readonly next: JsonObject
}

/**
 * Returns `next` with the values of `old` that the conversion lost. Returns `next` itself when it lost nothing. Values
 * are shared with the arguments, which are not changed; fields are not in the order of the shape. Items of a list are
 * paired by their map keys, else by index when the three lists have the same length. An atomic list that the client
 * changed is the client's: a conversion may have brought its items into another order.
 */
export function keepStoredOnly<T extends JsonObject>(shape: TypeShape, states: ConvertedStates & { readonly next: T }): T | JsonObject {
  if (deepEqual(states.old, states.returned)) return states.next
  return keptObject(states, (name) => fieldNamed(shape, name))
}

type FieldOf = (name: string) => Pick<FieldShape, "type" | "listType" | "mapKeys" | "mergeKey"> | undefined

function keptObject({ old, returned, next }: ConvertedStates, fieldOf: FieldOf): JsonObject {
  const kept: JsonObject = { ...next }
  for (const name of Object.keys(old)) {
    const value = keptValue({ old: ownField(old, name), returned: ownField(returned, name), next: ownField(next, name) }, fieldOf(name))
    if (value !== undefined) setField(kept, name, value)
  }
  return kept
}

interface ValueStates {
  readonly old: JsonValue | undefined
  readonly returned: JsonValue | undefined
  readonly next: JsonValue | undefined
}

function keptValue(states: ValueStates, field: ReturnType<FieldOf>): JsonValue | undefined {
  const { old, returned, next } = states
  // The client has not changed the part of the value that it could see.
  if (deepEqual(returned, next)) return old
  if (next === undefined || deepEqual(old, returned)) return next
  const type = field?.type
  if (isObject(old) && isObject(returned) && isObject(next)) return keptObject({ old, returned, next }, fieldsBelow(type))
  if (Array.isArray(old) && Array.isArray(returned) && Array.isArray(next)) return keptList({ old, returned, next }, field)
  return next
}

interface ListStates {
  readonly old: readonly JsonValue[]
  readonly returned: readonly JsonValue[]
  readonly next: readonly JsonValue[]
}

function keptList({ old, returned, next }: ListStates, field: ReturnType<FieldOf>): JsonValue[] {
  const type = field?.type
  const item = type === undefined ? undefined : { type: itemOf(type) ?? { scalar: "any" as const } }
  const keys = keysOf(field)
  if (keys !== undefined) return keptByKey({ old, returned, next }, keys, item)
  if (field?.listType === "atomic") return [...next]
  if (old.length !== returned.length || old.length !== next.length) return [...next]
  return next.map((value, index) => keptValue({ old: old[index], returned: returned[index], next: value }, item) ?? value)
}

/** Items that only the stored version has follow the client's items. */
function keptByKey({ old, returned, next }: ListStates, keys: readonly string[], item: ReturnType<FieldOf>): JsonValue[] {
  const before = byKey(old, keys)
  const seen = byKey(returned, keys)
  const kept = next.map((value) => {
    const key = keyOf(value, keys)
    if (!before.has(key)) return value
    return keptValue({ old: before.get(key), returned: seen.get(key), next: value }, item) ?? value
  })
  const present = new Set(next.map((value) => keyOf(value, keys)))
  return [...kept, ...old.filter((value) => !seen.has(keyOf(value, keys)) && !present.has(keyOf(value, keys)))]
}

function byKey(items: readonly JsonValue[], keys: readonly string[]): ReadonlyMap<string, JsonValue> {
  return new Map(items.map((value) => [keyOf(value, keys), value]))
}

function keyOf(value: JsonValue, keys: readonly string[]): string {
  return stringify(keys.map((name) => (isObject(value) ? (ownField(value, name) ?? null) : null)))
}

function keysOf(field: ReturnType<FieldOf>): readonly string[] | undefined {
  if (field?.listType === "map") return field.mapKeys
  return field?.mergeKey === undefined ? undefined : [field.mergeKey]
}

function fieldsBelow(type: TypeRef | undefined): FieldOf {
  if (type === undefined || "scalar" in type) return () => undefined
  if ("ref" in type) return (name) => fieldNamed(type.ref(), name)
  if ("map" in type) return () => ({ type: type.map })
  return () => undefined
}

function fieldNamed(shape: TypeShape, name: string): FieldShape | undefined {
  for (const field of shape.fields) {
    if (field.inline === true) {
      const found = "ref" in field.type ? fieldNamed(field.type.ref(), name) : undefined
      if (found !== undefined) return found
    } else if (field.name === name) return field
  }
  return undefined
}

function itemOf(type: TypeRef): TypeRef | undefined {
  if ("list" in type) return type.list
  return "wrappedList" in type ? type.wrappedList : undefined
}
