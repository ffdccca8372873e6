/**
 * The difference between two states of an object, as field sets. Runs on every write; equal parts cost one comparison.
 */
import { deepEqual } from "../../encoding/field-path.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { fieldElement, selfKey } from "./field-set-element.ts"
import { leaf, unionOfNodes } from "./field-set.ts"
import type { FieldSet } from "./field-set.ts"
import { elementOf, filledList, filledMap, formOf, rootNode, typeAt, valueAt } from "./typed-node.ts"
import type { Form, ListForm, MapForm, TypedNode } from "./typed-node.ts"

/** No field is in more than one of the sets. */
export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/**
 * Called with the state before and after a write, both decoded to the same shape. Linear in the size of the objects.
 */
export function compareObjects(shape: TypeShape, old: JsonObject, next: JsonObject): Comparison {
  const { added = {}, modified = {}, removed = {} } = change(rootNode(shape), old, next) ?? {}
  return { added, modified, removed }
}

/**
 * Like `compareObjects`, for whole objects with their managedFields, which have no manager themselves. Called on every
 * write except an apply that creates.
 */
export function compareStates(shape: TypeShape, old: JsonObject, next: JsonObject): Comparison {
  const { map } = rootNode(shape)
  const found = map === undefined ? undefined : changeOfFields(map, old, next, owners)
  const { added = {}, modified = {}, removed = {} } = found ?? {}
  return { added, modified, removed }
}

/** A field to skip: this one, or one within it. */
export interface Omitted {
  readonly field: string
  readonly inner?: Omitted
}

/** The managed fields of a whole object. */
export const owners: Omitted = { field: "metadata", inner: { field: "managedFields" } }

/**
 * Returns the added or modified fields of a value as the node of its path; undefined for none. Called by walks that
 * begin below the root.
 */
export function changedNode(node: TypedNode, old: JsonValue, next: JsonValue): FieldSet | undefined {
  const { added, modified } = change(node, old, next) ?? {}
  return added === undefined || modified === undefined ? (added ?? modified) : unionOfNodes(added, modified)
}

/** The nodes of one path in the three sets; absent where the set has no member at or below the path. */
export interface NodeChange {
  added?: FieldSet
  modified?: FieldSet
  removed?: FieldSet
}

const modifiedLeaf: NodeChange = { modified: leaf }

/** Returns undefined when nothing differs. A value whose form has changed is compared in both forms. */
export function change(node: TypedNode, old: JsonValue, next: JsonValue): NodeChange | undefined {
  if (old === next) return undefined
  const before = formOf(node, old)
  const after = formOf(node, next)
  const changed = changeIn(after, node, old, next)
  return before === after ? changed : joined(changeIn(before, node, old, next), changed)
}

function joined(left: NodeChange | undefined, right: NodeChange | undefined): NodeChange | undefined {
  if (left === undefined) return right
  const result: NodeChange = { ...left }
  for (const part of parts) {
    const node = right?.[part]
    if (node !== undefined) result[part] = unionOfNodes(result[part] ?? node, node)
  }
  return result
}

const parts = ["added", "modified", "removed"] as const

/** A container that is empty on either side is compared as a plain value: empty, null and absent differ. */
function changeIn(form: Form, node: TypedNode, old: JsonValue, next: JsonValue): NodeChange | undefined {
  if (form === "list" && node.list !== undefined && node.list.type !== "atomic") {
    const [before, after] = [filledList(old), filledList(next)]
    if (before !== undefined || after !== undefined) return changeOfItems(node.list, before ?? [], after ?? [])
  } else if (form === "map" && node.map !== undefined && !node.map.atomic) {
    const [before, after] = [filledMap(old), filledMap(next)]
    if (before !== undefined || after !== undefined) return changeOfFields(node.map, before ?? {}, after ?? {})
  }
  return deepEqual(old, next) ? undefined : modifiedLeaf
}

/** Adds the changes of an element to its parent's changes. */
export function put(into: NodeChange | undefined, element: string, changed: NodeChange | undefined): NodeChange | undefined {
  if (changed === undefined) return into
  const result = into ?? {}
  for (const part of parts) {
    const node = changed[part]
    if (node === undefined) continue
    const set = result[part] ?? {}
    set[element] = node
    result[part] = set
  }
  return result
}

function changeOfFields(map: MapForm, old: JsonObject, next: JsonObject, omitted?: Omitted): NodeChange | undefined {
  let result: NodeChange | undefined
  let shared = 0
  for (const name in next) {
    const after = next[name]
    if (after === undefined || (omitted !== undefined && isOmitted(omitted, name))) continue
    const before = valueAt(old, name)
    if (before !== undefined) shared++
    if (before === after) continue
    const type = typeAt(map, name)
    if (type === undefined) continue
    const inner = omitted?.field === name ? omitted.inner : undefined
    const changed = before === undefined ? { added: whole(type, after) } : changeBut(inner, type, before, after)
    result = put(result, fieldElement(name), changed)
  }
  for (const name in old) if (old[name] !== undefined && !(omitted !== undefined && isOmitted(omitted, name))) shared--
  return shared === 0 ? result : changeOfLostFields(map, old, next, { found: result, omitted })
}

/** Whether the field itself is skipped, not only one within it. */
export function isOmitted({ field, inner }: Omitted, name: string): boolean {
  return inner === undefined && field === name
}

function changeBut(omitted: Omitted | undefined, node: TypedNode, old: JsonValue, next: JsonValue): NodeChange | undefined {
  const fields = omitted === undefined || node.map?.atomic !== false ? undefined : node.map
  const [before, after] = fields === undefined ? [] : [filledMap(old), filledMap(next)]
  return fields === undefined || before === undefined || after === undefined
    ? change(node, old, next)
    : changeOfFields(fields, before, after, omitted)
}

function changeOfLostFields(
  map: MapForm,
  old: JsonObject,
  next: JsonObject,
  { found, omitted }: { found: NodeChange | undefined; omitted: Omitted | undefined },
): NodeChange | undefined {
  let result = found
  for (const name in old) {
    const before = old[name]
    if (before === undefined || valueAt(next, name) !== undefined || (omitted !== undefined && isOmitted(omitted, name))) continue
    const type = typeAt(map, name)
    if (type !== undefined) result = put(result, fieldElement(name), { removed: whole(type, before) })
  }
  return result
}

/** The node of a value that is only on one side: all its fields and items, and their containers. */
export function whole(node: TypedNode, value: JsonValue): FieldSet {
  const form = formOf(node, value)
  if (form === "list" && node.list !== undefined && node.list.type !== "atomic") {
    return itemsOf(node.list, filledList(value) ?? [])
  }
  const object = form === "map" && node.map?.atomic === false ? filledMap(value) : undefined
  if (object === undefined || node.map === undefined) return leaf
  const set: FieldSet = { [selfKey]: leaf }
  for (const name in object) {
    const field = object[name]
    const type = field === undefined ? undefined : typeAt(node.map, name)
    if (field !== undefined && type !== undefined) set[fieldElement(name)] = whole(type, field)
  }
  return set
}

function itemsOf(list: ListForm, items: readonly JsonValue[]): FieldSet {
  if (items.length === 0) return leaf
  const set: FieldSet = { [selfKey]: leaf }
  for (const [element, twins] of itemsByElement(list, items)) set[element] = wholeItem(list, twins)
  return set
}

/** One item or, where several have the same element, all of them in their order. */
export type SameElementItems = readonly JsonValue[]

function itemsByElement(list: ListForm, items: readonly JsonValue[]): Map<string, JsonValue[]> {
  const found = new Map<string, JsonValue[]>()
  for (const item of items) addByElement(found, list, item)
  return found
}

/** Adds an item to the items of its element; leaves out an item without an element. */
export function addByElement(found: Map<string, JsonValue[]>, list: ListForm, item: JsonValue): void {
  const element = elementOf(list, item)
  if (element === undefined) return
  const twins = found.get(element)
  if (twins === undefined) found.set(element, [item])
  else twins.push(item)
}

/** Items with the same element are owned as one, without their fields. */
export function wholeItem(list: ListForm, twins: SameElementItems): FieldSet {
  const item = twins[0]
  return item === undefined || twins.length > 1 ? leaf : whole(list.item(), item)
}

function changeOfItems(list: ListForm, old: JsonValue[], next: JsonValue[]): NodeChange | undefined {
  // Most lists of an object do not change.
  if (deepEqual(old, next)) return undefined
  const before = itemsByElement(list, old)
  const after = itemsByElement(list, next)
  let result: NodeChange | undefined
  for (const [element, twins] of after) {
    const former = before.get(element)
    result = put(result, element, former === undefined ? { added: wholeItem(list, twins) } : changeOfItem(list, former, twins))
  }
  for (const [element, twins] of before) {
    if (!after.has(element)) result = put(result, element, { removed: wholeItem(list, twins) })
  }
  return result
}

/** Compares the items of one element; each list has at least one. */
export function changeOfItem(list: ListForm, old: SameElementItems, next: SameElementItems): NodeChange | undefined {
  const [before, after] = [old[0], next[0]]
  if (before === undefined || after === undefined) return undefined
  if (old.length === 1 && next.length === 1) return change(list.item(), before, after)
  if (old.length > 1 && next.length > 1) {
    return old.length === next.length && old.every((item, index) => deepEqual(item, next[index])) ? undefined : modifiedLeaf
  }
  // From several items to one: the items' own member is removed and the fields of the one are added; and vice versa.
  return old.length > 1 ? { added: whole(list.item(), after), removed: leaf } : { added: leaf, removed: whole(list.item(), before) }
}
