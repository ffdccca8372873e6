/**
 * Checks `x-kubernetes-list-type: set` and `map`: no repeated items. Rules are as in apiextensions-apiserver
 * (pkg/apiserver/schema/listtype).
 */
import type { Failures } from "../../base/failure.ts"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { turnValues } from "../../base/limits.ts"
import type { Stages } from "../../base/turns.ts"
import { FieldPath, ownField } from "../../encoding/field-path.ts"
import { setField } from "../../encoding/json/text.ts"
import type { Structural } from "../structural.ts"
import { shownText } from "../../base/go-text.ts"

/**
 * Adds a failure for the first repetition of each item. Called after the values have been validated. Lists of more than
 * `turnValues` items come last, in parts of one stage each.
 */
export function* checkingListTypes(object: JsonObject, schema: Structural, failures: Failures): Stages<void> {
  if (!hasListTypes(schema)) return
  const long: LongList[] = []
  checkFields(object, schema, FieldPath.root, { failures, long })
  for (const { list, schema: ofList, path } of long) {
    const seen = new Repetitions()
    for (let from = 0; from < list.length && !failures.full; from += turnValues) {
      yield
      checkPart(list, { schema: ofList, path, from, to: from + turnValues }, seen, failures)
    }
  }
}

/** A list that exceeds a turn. */
interface LongList {
  readonly list: readonly JsonValue[]
  readonly schema: Structural
  readonly path: FieldPath
}

interface Checking {
  readonly failures: Failures
  readonly long: LongList[]
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

function checkValue(value: JsonValue, schema: Structural, path: FieldPath, checking: Checking): void {
  if (checking.failures.full) return
  if (Array.isArray(value)) checkList(value, schema, path, checking)
  else if (isObject(value)) checkFields(value, schema, path, checking)
}

function checkFields(object: JsonObject, schema: Structural, path: FieldPath, checking: Checking): void {
  const { additionalProperties, properties } = schema
  for (const name in object) {
    const field = object[name]
    if (typeof field !== "object" || field === null) continue
    if (additionalProperties !== undefined && additionalProperties !== true && hasListTypes(additionalProperties))
      checkValue(field, additionalProperties, path.key(name), checking)
    const known = properties.get(name)
    // Most fields have no list types, so no paths are made for them.
    if (known !== undefined && hasListTypes(known)) checkValue(field, known, path.child(name), checking)
  }
}

function checkList(list: readonly JsonValue[], schema: Structural, path: FieldPath, checking: Checking): void {
  const { failures, long } = checking
  const { items, listType } = schema
  const odd = listType === "map" ? list.findIndex((item) => item !== null && !isObject(item)) : -1
  if (odd >= 0) addOdd(list[odd] ?? null, path.index(odd), failures)
  else if (listType === "set" || listType === "map") {
    if (list.length > turnValues) long.push({ list, schema, path })
    else if (list.length > 1) checkPart(list, { schema, path, from: 0, to: list.length }, new Repetitions(), failures)
  }
  if (items === undefined || !hasListTypes(items)) return
  for (const [index, item] of list.entries()) checkValue(item, items, path.index(index), checking)
}

function addOdd(value: JsonValue, path: FieldPath, failures: Failures): void {
  const shown = shownText(value)
  const detail = "must be an object for an array of list-type map"
  failures.add({ type: "Invalid", field: path.toString(), value, detail, ...(shown !== undefined && { shown }) })
}

/** The items from `from` to `to` of one list. */
interface ListPart {
  readonly schema: Structural
  readonly path: FieldPath
  readonly from: number
  readonly to: number
}

function checkPart(list: readonly JsonValue[], { schema, path, from, to }: ListPart, seen: Repetitions, failures: Failures): void {
  const { listMapKeys } = schema
  const isMap = schema.listType === "map"
  for (let index = from; index < to && index < list.length; index++) {
    const item = list[index] ?? null
    if (!seen.isSecond(isMap ? keyIdentity(item, listMapKeys) : identity(item))) continue
    addDuplicate(isMap ? keysOf(item, listMapKeys) : item, path.index(index), failures)
  }
}

function addDuplicate(value: JsonValue, path: FieldPath, failures: Failures): void {
  const shown = value === null ? '"null"' : shownText(value)
  failures.add({ type: "Duplicate", field: path.toString(), value, detail: "", ...(shown !== undefined && { shown }) })
}

/** Counts equal items of one list. */
class Repetitions {
  private readonly once = new Set<string>()
  private more: Set<string> | undefined

  /** Records an item; returns true for its first repetition only. */
  isSecond(item: string): boolean {
    if (!this.once.has(item)) {
      this.once.add(item)
      return false
    }
    if (this.more?.has(item) === true) return false
    this.more ??= new Set()
    this.more.add(item)
    return true
  }
}

/** The keys that an item has. */
function keysOf(item: JsonValue, keys: readonly string[]): JsonObject {
  const found: JsonObject = {}
  if (!isObject(item)) return found
  for (const name of keys) {
    const value = ownField(item, name)
    if (value !== undefined) setField(found, name, value)
  }
  return found
}

function keyIdentity(item: JsonValue, keys: readonly string[]): string {
  if (!isObject(item)) return ""
  let text = ""
  for (const name of keys) {
    const value = ownField(item, name)
    // Items that lack the same key count as equal in it.
    text += value === undefined ? "," : `${identity(value)},`
  }
  return text
}

/** A text that is equal for equal values only. Sorts fields. */
function identity(value: JsonValue): string {
  switch (typeof value) {
    case "string":
      return `"${value.length}:${value}`
    case "number":
    case "bigint":
    case "boolean":
      return String(value)
    default:
      if (value === null) return "null"
      if (Array.isArray(value)) return `[${value.map(identity).join(",")}]`
      return `{${Object.keys(value)
        .sort()
        .map((name) => `${identity(name)}=${identity(value[name] ?? null)}`)
        .join(",")}}`
  }
}
