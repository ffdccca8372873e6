/** Removes the fields of a set from an object, or keeps only these. */
import { copyFields } from "../../encoding/field-path.ts"
import { setField } from "../../encoding/json/text.ts"
import { isObject } from "../../base/json.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { selfKey } from "./field-set-element.ts"
import { isLeaf, isMember, leaf, nodeAt } from "./field-set.ts"
import type { FieldSet } from "./field-set.ts"
import { elementOf, filledList, filledMap, formOf, rootNode, typeAt, valueAt } from "./typed-node.ts"
import type { ListForm, MapForm, TypedNode } from "./typed-node.ts"

/**
 * Removes the members of a set, each with everything below it. A container that loses its last content becomes null,
 * which decoding drops for built-in kinds; a custom object may not have it where its schema allows no null. Called with
 * the fields that a manager no longer applies. Shares unchanged parts.
 */
export function removeFields(shape: TypeShape, object: JsonObject, set: FieldSet): JsonObject {
  const rest = without(rootNode(shape), object, set)
  return isObject(rest) ? rest : {}
}

function without(node: TypedNode, value: JsonValue, set: FieldSet): JsonValue {
  switch (formOf(node, value)) {
    case "map": {
      const object = node.map?.atomic === false ? filledMap(value) : undefined
      return object === undefined || node.map === undefined ? null : withoutFields(node.map, object, set)
    }
    case "list": {
      const items = node.list?.type === "atomic" ? undefined : filledList(value)
      return items === undefined || node.list === undefined ? null : withoutItems(node.list, items, set)
    }
    default:
      return value
  }
}

function withoutFields(map: MapForm, object: JsonObject, set: FieldSet): JsonObject | null {
  const changes = new Map<string, JsonValue | undefined>()
  for (const element in set) {
    const node = element.startsWith("f:") ? nodeAt(set, element) : undefined
    if (node === undefined) continue
    const name = element.slice(2)
    const value = valueAt(object, name)
    if (value === undefined) continue
    const rest = restOf(typeAt(map, name), value, node)
    if (rest !== value) changes.set(name, rest)
  }
  if (changes.size === 0) return object
  const result: JsonObject = {}
  for (const name in object) {
    const value = changes.has(name) ? changes.get(name) : object[name]
    if (value !== undefined) setField(result, name, value)
  }
  return filledMap(result) ?? null
}

/** Returns undefined when the whole value is removed. */
function restOf(type: TypedNode | undefined, value: JsonValue, set: FieldSet): JsonValue | undefined {
  if (isMember(set)) return undefined
  return type === undefined ? value : without(type, value, set)
}

function withoutItems(list: ListForm, items: JsonValue[], set: FieldSet): JsonValue {
  const rest: JsonValue[] = []
  let same = true
  for (const item of items) {
    const element = elementOf(list, item)
    const node = element === undefined ? undefined : nodeAt(set, element)
    const kept = node === undefined ? item : restOf(list.item(), item, node)
    same &&= kept === item
    if (kept !== undefined) rest.push(kept)
  }
  if (same) return items
  return rest.length > 0 ? rest : null
}

/**
 * Keeps only the members of a set: plain and atomic values whole, and members of other containers. A container without
 * content becomes null. Called to recover the fields that a manager applied. The empty set keeps nothing.
 */
export function keepFields(shape: TypeShape, object: JsonObject, set: FieldSet): JsonObject {
  const kept = only(rootNode(shape), object, set)
  return isObject(kept) ? kept : {}
}

function only(node: TypedNode, value: JsonValue, set: FieldSet): JsonValue {
  switch (formOf(node, value)) {
    case "map": {
      const object = filledMap(value)
      if (object === undefined || node.map === undefined) return null
      return node.map.atomic ? object : onlyFields(node.map, object, set)
    }
    case "list": {
      const items = filledList(value)
      if (items === undefined || node.list === undefined) return null
      return node.list.type === "atomic" ? items : onlyItems(node.list, items, set)
    }
    default:
      return value
  }
}

function onlyFields(map: MapForm, object: JsonObject, set: FieldSet): JsonObject | null {
  const result: JsonObject = {}
  for (const name in object) {
    const value = object[name]
    const type = typeAt(map, name)
    const node = nodeAt(set, `f:${name}`)
    if (value !== undefined && type !== undefined && node !== undefined) setField(result, name, only(type, value, node))
  }
  return filledMap(result) ?? null
}

function onlyItems(list: ListForm, items: readonly JsonValue[], set: FieldSet): JsonValue {
  const kept: JsonValue[] = []
  for (const item of items) {
    const element = elementOf(list, item)
    const node = element === undefined ? undefined : nodeAt(set, element)
    if (node !== undefined) kept.push(only(list.item(), item, node))
  }
  return kept.length > 0 ? kept : null
}

/**
 * Adds the named fields on the way to each member as members; fields of maps and list items stay unchanged. Called
 * before the fields of a set are removed from an object, so that a struct is removed with the last of its fields.
 */
export function withNamedFieldsAsMembers(shape: TypeShape, set: FieldSet): FieldSet {
  return named(rootNode(shape), set)
}

function named(node: TypedNode | undefined, set: FieldSet): FieldSet {
  if (node === undefined) return set
  let result: FieldSet | undefined
  for (const element in set) {
    const child = element === selfKey ? undefined : nodeAt(set, element)
    if (child === undefined || isLeaf(child)) continue
    const next = namedNode(node, element, child)
    if (next === child) continue
    result ??= copyFields(set)
    result[element] = next
  }
  return result ?? set
}

function namedNode(node: TypedNode, element: string, child: FieldSet): FieldSet {
  if (element.startsWith("k:")) return named(node.list?.item(), child)
  if (!element.startsWith("f:") || node.map === undefined) return child
  const name = element.slice(2)
  const inner = named(typeAt(node.map, name), child)
  if (selfKey in inner || !node.map.fields().has(name)) return inner
  const member = copyFields(inner)
  member[selfKey] = leaf
  return member
}
