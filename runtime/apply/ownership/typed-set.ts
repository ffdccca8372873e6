/** The fields that an object sets, which its applier owns. */
import type { JsonObject, JsonValue } from "../../base/json.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { fieldElement, selfKey } from "./field-set-element.ts"
import { leaf, nodeOf } from "./field-set.ts"
import type { FieldSet } from "./field-set.ts"
import { elementOf, filledList, filledMap, formOf, rootNode } from "./typed-node.ts"
import type { ListForm, MapForm, TypedNode } from "./typed-node.ts"

/**
 * Returns the set of all leaves, list items and map entries of an object; specification section 9.3. Called with an
 * applied configuration, the last applied one, and objects to prune. Of repeated items of a set or keyed list, only the
 * item itself is a member.
 */
export function fieldSetOf(shape: TypeShape, object: JsonObject): FieldSet {
  return below(rootNode(shape), object) ?? {}
}

/** `own`: the value itself is a member, as plain and atomic values are. Else the members below it, if any. */
type Ownership = "own" | FieldSet | undefined

function ownedBy(node: TypedNode, value: JsonValue): Ownership {
  switch (formOf(node, value)) {
    case "scalar":
      return "own"
    case "list":
      return node.list?.type === "atomic" ? "own" : below(node, value)
    default:
      return node.map?.atomic === true ? "own" : below(node, value)
  }
}

function below(node: TypedNode, value: JsonValue): FieldSet | undefined {
  if (Array.isArray(value)) return node.list === undefined ? undefined : belowList(node.list, value)
  const object = filledMap(value)
  return object === undefined || node.map === undefined ? undefined : belowMap(node.map, object)
}

function belowMap(map: MapForm, object: JsonObject): FieldSet | undefined {
  const declared = map.fields()
  let set: FieldSet | undefined
  for (const name in object) {
    const value = object[name]
    if (value === undefined) continue
    const field = declared.get(name)
    const type = field ?? map.values
    if (type === undefined) continue
    // A struct field is owned through its content; a map entry, and an empty value, is owned itself.
    const entry = memberOf(ownedBy(type, value), field === undefined || value === null || isEmptyMap(value))
    if (entry === undefined) continue
    set ??= {}
    set[fieldElement(name)] = entry
  }
  return set
}

function isEmptyMap(value: JsonValue): boolean {
  return typeof value === "object" && !Array.isArray(value) && filledMap(value) === undefined
}

function memberOf(owned: Ownership, member: boolean): FieldSet | undefined {
  return owned === "own" ? leaf : nodeOf(member, owned)
}

function belowList(list: ListForm, value: JsonValue[]): FieldSet | undefined {
  const items = filledList(value)
  if (items === undefined) return undefined
  const type = list.item()
  const set: FieldSet = {}
  for (const item of items) {
    const element = elementOf(list, item)
    if (element === undefined) continue
    set[element] = element in set || list.type === "set" ? leaf : itemNode(type, item)
  }
  return set
}

function itemNode(type: TypedNode, item: JsonValue): FieldSet {
  const owned = ownedBy(type, item)
  return owned === "own" || owned === undefined ? leaf : { [selfKey]: leaf, ...owned }
}
