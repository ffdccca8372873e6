/**
 * The promise of `x-kubernetes-list-type: set` and `map`: no item twice. Rules are those of apiextensions-apiserver
 * (pkg/apiserver/schema/listtype).
 */
import type { Failures } from "../../base/failure.ts"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { FieldPath, ownField } from "../../encoding/field-path.ts"
import type { Structural } from "../structural.ts"
import { shownText } from "./go-text.ts"

/** Adds a failure for each second item that is like an earlier one. Called after the values have been validated. */
export function checkListTypes(object: JsonObject, schema: Structural, failures: Failures): void {
  if (hasListTypes(schema)) checkFields(object, schema, FieldPath.root, failures)
}

const promising = new WeakMap<Structural, boolean>()

/** Whether a value of this schema may hold a set or a map list. */
function hasListTypes(schema: Structural): boolean {
  const known = promising.get(schema)
  if (known !== undefined) return known
  const { additionalProperties, items, listType } = schema
  const found =
    listType === "set" ||
    listType === "map" ||
    (items !== undefined && hasListTypes(items)) ||
    (additionalProperties !== undefined && additionalProperties !== true && hasListTypes(additionalProperties)) ||
    [...schema.properties.values()].some(hasListTypes)
  promising.set(schema, found)
  return found
}

function checkValue(value: JsonValue, schema: Structural, path: FieldPath, failures: Failures): void {
  if (failures.full || !hasListTypes(schema)) return
  if (Array.isArray(value)) checkList(value, schema, path, failures)
  else if (isObject(value)) checkFields(value, schema, path, failures)
}

function checkFields(object: JsonObject, schema: Structural, path: FieldPath, failures: Failures): void {
  const { additionalProperties, properties } = schema
  for (const name in object) {
    const field = object[name]
    if (typeof field !== "object" || field === null) continue
    if (additionalProperties !== undefined && additionalProperties !== true)
      checkValue(field, additionalProperties, path.key(name), failures)
    const known = properties.get(name)
    if (known !== undefined) checkValue(field, known, path.child(name), failures)
  }
}

function checkList(list: readonly JsonValue[], schema: Structural, path: FieldPath, failures: Failures): void {
  if (schema.listType === "set") checkSet(list, path, failures)
  else if (schema.listType === "map") checkMap(list, schema.listMapKeys, path, failures)
  const { items } = schema
  if (items === undefined || !hasListTypes(items)) return
  for (const [index, item] of list.entries()) checkValue(item, items, path.index(index), failures)
}

function checkSet(list: readonly JsonValue[], path: FieldPath, failures: Failures): void {
  for (const index of repeated(list, identity)) addDuplicate(list[index] ?? null, path.index(index), failures)
}

function checkMap(list: readonly JsonValue[], keys: readonly string[], path: FieldPath, failures: Failures): void {
  const odd = list.findIndex((item) => item !== null && !isObject(item))
  if (odd >= 0) {
    const value = list[odd] ?? null
    const shown = shownText(value)
    const detail = "must be an object for an array of list-type map"
    failures.add({ type: "Invalid", field: path.index(odd).toString(), value, detail, ...(shown !== undefined && { shown }) })
    return
  }
  for (const index of repeated(list, (item) => keyIdentity(item, keys)))
    addDuplicate(keysOf(list[index] ?? null, keys), path.index(index), failures)
}

function addDuplicate(value: JsonValue, path: FieldPath, failures: Failures): void {
  const shown = value === null ? '"null"' : shownText(value)
  failures.add({ type: "Duplicate", field: path.toString(), value, detail: "", ...(shown !== undefined && { shown }) })
}

/** The indexes of items that are the second of their kind. */
function repeated(list: readonly JsonValue[], identityOf: (item: JsonValue) => string): number[] {
  if (list.length < 2) return []
  const times = new Map<string, number>()
  const found: number[] = []
  for (const [index, item] of list.entries()) {
    const text = identityOf(item)
    const seen = times.get(text) ?? 0
    if (seen === 1) found.push(index)
    times.set(text, seen + 1)
  }
  return found
}

/** The keys that an item has. */
function keysOf(item: JsonValue, keys: readonly string[]): JsonObject {
  const found: JsonObject = {}
  if (!isObject(item)) return found
  for (const name of keys) {
    const value = ownField(item, name)
    if (value !== undefined) found[name] = value
  }
  return found
}

function keyIdentity(item: JsonValue, keys: readonly string[]): string {
  const [only, more] = keys
  if (only === undefined || more !== undefined || !isObject(item)) return identity(keysOf(item, keys))
  const value = ownField(item, only)
  return value === undefined ? identity({}) : identity(value)
}

/** Equal for equal values. Fields are sorted. */
function identity(value: JsonValue): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value)
    case "number":
    case "bigint":
    case "boolean":
      return String(value)
    default:
      if (value === null) return "null"
      if (Array.isArray(value)) return `[${value.map(identity).join(",")}]`
      return `{${Object.keys(value)
        .sort()
        .map((name) => `${JSON.stringify(name)}:${identity(value[name] ?? null)}`)
        .join(",")}}`
  }
}
