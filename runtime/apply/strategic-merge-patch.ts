/**
 * Strategic merge patch (`application/strategic-merge-patch+json`): a merge patch that uses the schema. Lists are
 * merged by key or as sets where the field says so, instead of being replaced, and directives in the patch control the
 * rest.
 *
 *     {"$patch": "replace", ...}             this object replaces the stored one; "delete" empties it
 *     [{"$patch": "delete", "name": "a"}]    drops an item; [{"$patch": "replace"}, ...] replaces the list
 *     "$retainKeys": ["a", "b"]              fields not named are dropped before merging
 *     "$deleteFromPrimitiveList/f": [...]    drops values of the list `f`
 *     "$setElementOrder/f": [...]            the order of the list `f` afterwards
 *
 * Results, including the order of list items, are the reference server's. Neither argument is changed; unchanged parts
 * are shared. Null in a patch removes a field.
 */
import { badRequest } from "../base/errors.ts"
import { copyFields, ownField } from "../encoding/field-path.ts"
import { setField, stringify } from "../encoding/json/text.ts"
import { isObject } from "../base/json.ts"
import type { JsonObject, JsonValue } from "../base/json.ts"
import { forceDictionaryMode, manyFields } from "../encoding/json/many-fields.ts"
import type { TypeShape } from "../schema/shape.ts"
import { itemKey, keyText, mergeOrder, reorder } from "./merge-order.ts"
import { patchFault } from "./patch-fault.ts"
import { fieldSchemaOf } from "./patch-schema.ts"
import type { PatchSchema, FieldSchema } from "./patch-schema.ts"

const directive = "$patch"
const retainKeys = "$retainKeys"
const deleteFromList = "$deleteFromPrimitiveList"
const setElementOrder = "$setElementOrder"

/**
 * Applies a patch and returns the new object. Called inside the update loop, once per attempt; `shape` is the kind's.
 * Throws ApiError 400 for malformed directives, 422 for a patch that does not fit the object.
 */
export function applyStrategicMergePatch(shape: TypeShape, object: JsonObject, patch: JsonValue): JsonObject {
  if (!isObject(patch)) throw badRequest("a strategic merge patch must be a JSON object")
  return mergeObject(object, patch, shape)
}

function mergeObject(original: JsonObject, patch: JsonObject, schema: PatchSchema): JsonObject {
  const command = ownField(patch, directive)
  if (command !== undefined) return replacedObject(patch, command)
  const result = retained(original, patch)
  const ordered = new Set<string>()
  for (const name of Object.keys(patch)) {
    if (name.startsWith(setElementOrder)) ordered.add(applyElementOrder(result, patch, name, schema))
  }
  for (const name of Object.keys(patch)) {
    if (name.startsWith(setElementOrder) || name === retainKeys || ordered.has(name)) continue
    if (name.startsWith(deleteFromList)) deleteValues(result, patch, name)
    else mergeField(result, name, patch[name] ?? null, schema)
  }
  return result
}

function replacedObject(patch: JsonObject, command: JsonValue): JsonObject {
  if (command === "delete") return {}
  if (command !== "replace") throw patchFault(`unknown patch type: ${stringify(command)}: $patch of an object must be replace or delete`)
  return without(patch, [directive])
}

function without(object: JsonObject, names: readonly string[]): JsonObject {
  const result = copyFields(object)
  for (const name of names) delete result[name]
  return result
}

/** Copies `original` with only the fields in `$retainKeys`, if the patch has it. */
function retained(original: JsonObject, patch: JsonObject): JsonObject {
  const list = ownField(patch, retainKeys)
  if (list === undefined) return copyFields(original)
  if (!Array.isArray(list) || list.some((name) => typeof name === "object"))
    throw badRequest("invalid patch format of retainKeys: it must be a list of field names")
  const kept = new Set(list)
  for (const name of Object.keys(patch)) {
    const exempt = name === retainKeys || patch[name] === null || name.startsWith(deleteFromList) || name.startsWith(setElementOrder)
    if (!exempt && !kept.has(name))
      throw badRequest(`invalid patch format of retainKeys: ${JSON.stringify(name)} is patched but not listed`)
  }
  return without(
    original,
    Object.keys(original).filter((name) => !kept.has(name)),
  )
}

function mergeField(result: JsonObject, name: string, change: JsonValue, schema: PatchSchema): void {
  const before = ownField(result, name)
  if (change === null) delete result[name]
  else if (isObject(before) && isObject(change)) {
    const place = fieldSchemaOf(schema, name)
    setField(result, name, place.strategy === "replace" ? change : mergeObject(before, change, place.schema))
  } else if (Array.isArray(before) && Array.isArray(change)) setField(result, name, mergeList(before, change, fieldSchemaOf(schema, name)))
  else {
    const value = plain(change)
    if (value === undefined) delete result[name]
    else setField(result, name, value)
  }
}

/**
 * A value with nothing to merge with: drops its nulls, and objects that hold a directive, which have nothing to act on.
 * Undefined when nothing remains.
 */
function plain(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(plain).filter((item) => item !== undefined)
  if (!isObject(value)) return value
  if ((ownField(value, directive) ?? null) !== null) return undefined
  return mapFields(value, (field) => (field === null ? undefined : plain(field)))
}

/** The same for a list with a given order, where a null counts as a value and as a directive. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined)
  if (!isObject(value)) return value
  return Object.hasOwn(value, directive) ? undefined : mapFields(value, withoutDirectives)
}

function mapFields(object: JsonObject, change: (field: JsonValue) => JsonValue | undefined): JsonObject {
  const result: JsonObject = {}
  const names = Object.keys(object)
  if (names.length >= manyFields) forceDictionaryMode(result)
  for (const name of names) {
    const field = object[name]
    const kept = field === undefined ? undefined : change(field)
    if (kept !== undefined) setField(result, name, kept)
  }
  return result
}

function mergeList(original: readonly JsonValue[], patch: readonly JsonValue[], place: FieldSchema): JsonValue[] {
  if (place.strategy !== "merge") return [...patch]
  if (original.length === 0 && patch.length === 0) return []
  if (!ofObjects([...original, ...patch], place.field)) return mergeValues(original, patch)
  if (place.mergeKey === undefined) throw patchFault(`cannot merge lists without merge key for ${place.field}`)
  return mergeItems(original, patch, { ...place, mergeKey: place.mergeKey })
}

/** Whether the items are objects (true) or scalars (false). A mixture, or nested lists, cannot be merged. */
function ofObjects(items: readonly JsonValue[], field: string): boolean {
  if (items.some(Array.isArray)) throw patchFault(`lists of lists are not supported: ${field}`)
  const type = (item: JsonValue): string => (item === null ? "null" : typeof item === "bigint" ? "number" : typeof item)
  const types = new Set(items.map(type))
  if (types.size > 1 || types.has("null")) throw patchFault(`list element types are not identical: ${field}`)
  return types.has("object")
}

/** Merges lists of scalars as sets. */
function mergeValues(original: readonly JsonValue[], patch: readonly JsonValue[]): JsonValue[] {
  const inPatch = new Set(patch.map(keyText))
  const known = new Set<string>()
  const merged = [...original, ...patch].filter((value) => !known.has(keyText(value)) && known.add(keyText(value)))
  return mergeOrder({
    patched: reorder(
      merged.filter((value) => inPatch.has(keyText(value))),
      patch,
      keyText,
    ),
    untouched: merged.filter((value) => !inPatch.has(keyText(value))),
    original,
    key: keyText,
  })
}

function mergeItems(original: readonly JsonValue[], patch: readonly JsonValue[], place: FieldSchema & { mergeKey: string }): JsonValue[] {
  const key = itemKey(place.mergeKey, place.field)
  const { kept, changes, replaced } = applyItemDirectives(original, patch, place.mergeKey, key)
  if (replaced) return reorder(changes, changes, key)
  const merged = [...kept]
  const positions = new Map<string, number>()
  merged.forEach((item, index) => {
    const text = key(item)
    if (!positions.has(text)) positions.set(text, index)
  })
  for (const change of changes) {
    const position = positions.get(key(change))
    if (position === undefined) positions.set(key(change), merged.push(change) - 1)
    else merged[position] = mergeItem(merged[position], change, place.schema)
  }
  const inPatch = new Set(changes.map(key))
  return mergeOrder({
    patched: reorder(
      merged.filter((item) => inPatch.has(key(item))),
      changes,
      key,
    ),
    untouched: reorder(
      merged.filter((item) => !inPatch.has(key(item))),
      kept,
      key,
    ),
    original: kept,
    key,
  })
}

function mergeItem(before: JsonValue | undefined, change: JsonObject, schema: PatchSchema): JsonObject {
  return mergeObject(isObject(before) ? before : {}, change, schema)
}

/** Applies `$patch` in the items of a patch list. `replaced`: `changes` is the whole new list. */
function applyItemDirectives(
  original: readonly JsonValue[],
  patch: readonly JsonValue[],
  mergeKey: string,
  key: (item: JsonValue) => string,
): { kept: JsonValue[]; changes: JsonObject[]; replaced: boolean } {
  const deleted = new Set<string>()
  const changes: JsonObject[] = []
  let replaced = false
  for (const item of patch.filter(isObject)) {
    const command = ownField(item, directive)
    if (command === undefined) changes.push(item)
    else if (command === "delete") deleted.add(key(item))
    else if (command === "replace") replaced = true
    else if (command === "merge") throw patchFault("merging lists cannot yet be specified in the patch")
    else throw patchFault(`unknown patch type: ${stringify(command)}: $patch of a list item must be delete or replace`)
  }
  // An item without the key cannot be the one to delete; it is refused later, when items are matched.
  const matches = (item: JsonValue): boolean => isObject(item) && Object.hasOwn(item, mergeKey) && deleted.has(key(item))
  return { kept: original.filter((item) => !matches(item)), changes, replaced }
}

function deleteValues(result: JsonObject, patch: JsonObject, directiveName: string): void {
  const name = listName(directiveName, deleteFromList, "primitive list")
  // No list has an empty name, so nothing is deleted; the reference accepts it too.
  if (name === "") return
  const values = patch[directiveName]
  const before = ownField(result, name)
  if (values === null) delete result[name]
  if (!Array.isArray(before) || !Array.isArray(values)) return
  if (ofObjects([...before, ...values], name)) throw patchFault(`${directiveName} deletes scalars, but ${name} holds objects`)
  const deleted = new Set(values.map(keyText))
  setField(
    result,
    name,
    before.filter((value) => !deleted.has(keyText(value))),
  )
}

/** `$setElementOrder/ports` → `ports`. */
function listName(directiveName: string, prefix: string, what: string): string {
  const name = directiveName.slice(prefix.length + 1)
  if (directiveName[prefix.length] !== "/")
    throw badRequest(`invalid patch format of ${what}: ${JSON.stringify(directiveName)} must be "${prefix}/<field>"`)
  return name
}

/** Merges the list of a `$setElementOrder` directive and sorts it accordingly; returns the list's name. */
function applyElementOrder(result: JsonObject, patch: JsonObject, directiveName: string, schema: PatchSchema): string {
  const name = listName(directiveName, setElementOrder, "setElementOrder list")
  const order = patch[directiveName]
  if (!Array.isArray(order)) throw patchFault(`expected a list in ${JSON.stringify(directiveName)}`)
  const original = listAt(result, name)
  const change = listAt(patch, name)
  const place = fieldSchemaOf(schema, name)
  const key = place.mergeKey === undefined ? keyText : itemKey(place.mergeKey, name)
  if (change !== undefined) checkOrder(change, order, key, name)
  if (original === undefined && change === undefined) return name
  if (!original?.length && !change?.length) throw patchFault(`${JSON.stringify(directiveName)} orders the list ${name}, which is empty`)
  const merged = mergedForOrder(original, change, place)
  const listed = new Set(order.map(key))
  const sorted = mergeOrder({
    patched: reorder(
      merged.filter((item) => listed.has(key(item))),
      order,
      key,
    ),
    untouched: reorder(
      merged.filter((item) => !listed.has(key(item))),
      original ?? [],
      key,
    ),
    original: original ?? [],
    key,
  })
  setField(result, name, sorted)
  return name
}

function listAt(object: JsonObject, name: string): JsonValue[] | undefined {
  const value = ownField(object, name)
  if (value === undefined || Array.isArray(value)) return value
  throw patchFault(`expected a list in ${JSON.stringify(name)} as $setElementOrder names it`)
}

function mergedForOrder(original: JsonValue[] | undefined, change: JsonValue[] | undefined, place: FieldSchema): JsonValue[] {
  if (change === undefined) return original ?? []
  if (original !== undefined) return mergeList(original, change, place)
  const added = withoutDirectives(change)
  return Array.isArray(added) ? added : []
}

/** Every item of the patch must be in the order list, in the same sequence; skips items with a directive. */
function checkOrder(change: readonly JsonValue[], order: readonly JsonValue[], key: (item: JsonValue) => string, name: string): void {
  if (order.length === 0) return
  const wanted = change.filter((item) => !isObject(item) || ownField(item, directive) !== "delete")
  let found = 0
  let at = 0
  while (found < wanted.length && at < order.length) {
    const item = wanted[found] ?? null
    if (isObject(item) && Object.hasOwn(item, directive)) found += 1
    else if (key(item) === key(order[at++] ?? null)) found += 1
  }
  if (found < wanted.length) throw patchFault(`The order in patch list ${JSON.stringify(name)} doesn't match its ${setElementOrder} list`)
}
