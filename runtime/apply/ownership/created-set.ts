/** The field set of an object's creator, built in one walk and in stored order. */
import { hasSurrogate } from "../../base/byte-order.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import type { TypeShape } from "../../schema/shape.ts"
import type { Stages } from "../../base/turns.ts"
import { changedNode } from "./compare.ts"
import { compareValues, fieldElement, selfKey, sortElements } from "./field-set-element.ts"
import { difference, type FieldSet, isLeaf, leaf, nodeAt, sortedFieldSet } from "./field-set.ts"
import { elementOf, filledList, filledMap, formOf, rootNode, typeAt, valueAt } from "./typed-node.ts"
import type { ListForm, MapForm, TypedNode } from "./typed-node.ts"

/**
 * Returns the fields that `compareObjects` finds added or modified between `empty` and `next`, without the fields in
 * `unowned`; sorted. Called for each creation, with the object in which nothing is set.
 */
export function createdSet(shape: TypeShape, empty: JsonObject, next: JsonObject, unowned: FieldSet): FieldSet {
  names.length = 0
  const { map } = rootNode(shape)
  return (map === undefined ? undefined : changedFields(map, { before: empty, after: next }, unowned)) ?? {}
}

/**
 * `createdSet` in stages, for large objects. The nodes of long lists come first, a number of values per stage, so that
 * the walk over the object finds them ready. The object must not change meanwhile.
 */
export function* createdSetStages(shape: TypeShape, empty: JsonObject, next: JsonObject, unowned: FieldSet): Stages<FieldSet> {
  const found: LongList[] = []
  findLongLists(rootNode(shape), next, found)
  const made = new Map<readonly JsonValue[], FieldSet>()
  for (const long of found) {
    const node = yield* itemsNodeStages(long, made)
    made.set(long.items, node)
    yield
  }
  return withMade(made, () => createdSet(shape, empty, next, unowned))
}

/** Items, and values in them, whose nodes are made in one stage. */
const stageValues = 4000

interface LongList {
  readonly list: ListForm
  readonly items: readonly JsonValue[]
}

/** Outer lists come last: the lists in them are ready by then. */
function findLongLists(node: TypedNode, value: JsonValue, found: LongList[]): void {
  const form = formOf(node, value)
  if (form === "list" && node.list !== undefined && node.list.type !== "atomic") {
    const items = filledList(value) ?? []
    const type = node.list.item()
    for (const item of items) if (typeof item === "object" && item !== null) findLongLists(type, item, found)
    if (items.length >= longListItems) found.push({ list: node.list, items })
  } else if (form === "map" && node.map?.atomic === false && isObject(value)) {
    for (const name in value) {
      const field = value[name]
      const type = typeof field === "object" && field !== null ? typeAt(node.map, name) : undefined
      if (field !== undefined && type !== undefined) findLongLists(type, field, found)
    }
  }
}

/** Lists with this many items are made ready in stages. */
const longListItems = 1000

/** Nodes of long lists that are ready, by the list; undefined outside of a walk that has some. */
let ready: ReadonlyMap<readonly JsonValue[], FieldSet> | undefined
/** Nodes of values made so far, to measure the growth of a stage. */
let madeNodes = 0

function withMade<Result>(made: ReadonlyMap<readonly JsonValue[], FieldSet>, walk: () => Result): Result {
  ready = made
  try {
    return walk()
  } finally {
    ready = undefined
  }
}

/** The node of a list that was not there before. */
function* itemsNodeStages({ list, items }: LongList, made: ReadonlyMap<readonly JsonValue[], FieldSet>): Stages<FieldSet> {
  const node = new ItemsNode(list, true)
  for (let at = 0; at < items.length; ) {
    at = withMade(made, () => addSome(node, items, at))
    if (at < items.length) yield
  }
  if (node.inOrder) return node.set
  yield
  const elements = sortElements(Object.keys(node.set))
  const result: FieldSet = {}
  let placed = 0
  for (const element of elements) {
    if (++placed % stageValues === 0) yield
    result[element] = node.set[element]
  }
  return result
}

/** Returns the index after the last item that it added. */
function addSome(node: ItemsNode, items: readonly JsonValue[], from: number): number {
  const end = madeNodes + stageValues
  let at = from
  for (; at < items.length && madeNodes < end; at++) node.add(items[at] ?? null)
  return at
}

/** A value in the empty object and in the new one. */
export interface States<Value extends JsonValue> {
  readonly before: Value
  readonly after: Value
}

/** The node of a value that the empty object lacks, without members of `unowned`, the node at the same path. */
export function wholeMember(node: TypedNode, value: JsonValue, unowned: FieldSet): FieldSet | undefined {
  return less(wholeNode(node, value), unowned)
}

/** The node of a value that is in both; undefined when nothing was set in it. */
export function changedMember(node: TypedNode, { before, after }: States<JsonValue>, unowned: FieldSet | undefined): FieldSet | undefined {
  if (before === after) return undefined
  const form = formOf(node, after)
  if (form === "map" && node.map?.atomic === false && formOf(node, before) === form) {
    const fields = filledMap(after)
    if (fields !== undefined) return changedFields(node.map, { before: filledMap(before) ?? {}, after: fields }, unowned)
  } else if (form === "list" && node.list !== undefined && node.list.type !== "atomic") {
    const items = filledList(after)
    if (items !== undefined && before === null && formOf(node, before) === form) {
      const set = itemsNode(node.list, items, false)
      return isLeaf(set) ? undefined : less(set, unowned)
    }
  } else if (deepEqual(before, after)) return undefined
  // The empty object hardly ever holds such a value.
  const found = changedNode(node, before, after)
  return found === undefined ? undefined : less(sortedFieldSet(found), unowned)
}

/** Removes the members of `unowned`, the node at the same path. */
function less(node: FieldSet, unowned: FieldSet | undefined): FieldSet | undefined {
  return unowned === undefined ? node : nodeAt(difference({ node }, { node: unowned }), "node")
}

function changedFields(map: MapForm, { before, after }: States<JsonObject>, unowned: FieldSet | undefined): FieldSet | undefined {
  let set: FieldSet | undefined
  const first = names.length
  const inOrder = pushNames(after)
  for (let at = first; at < names.length; at++) {
    const name = names[at] ?? ""
    const value = after[name]
    const type = value === undefined ? undefined : typeAt(map, name)
    if (value === undefined || type === undefined) continue
    const element = fieldElement(name)
    const not = unowned === undefined ? undefined : nodeAt(unowned, element)
    if (not !== undefined && typeof value !== "object" && isLeaf(not)) continue
    const former = valueAt(before, name)
    const whole = former === undefined ? wholeNode(type, value) : undefined
    const node = former === undefined ? whole && less(whole, not) : changedMember(type, { before: former, after: value }, not)
    if (node === undefined) continue
    set ??= {}
    set[element] = node
  }
  names.length = first
  return set === undefined || inOrder ? set : sorted(set)
}

/** Field names of the objects from the root to the current one: one stack for the whole walk. */
const names: string[] = []
const fewNames = 32

/**
 * Pushes the field names of an object; returns whether they are sorted. Many unsorted names are sorted later, as
 * elements.
 */
function pushNames(object: JsonObject): boolean {
  const first = names.length
  let inOrder = true
  for (const name in object) {
    let at = names.length
    const before = names[at - 1]
    if (inOrder && at > first && before !== undefined && before >= name) inOrder = at - first < fewNames
    inOrder &&= !hasSurrogate(name)
    for (; inOrder && at > first; at--) {
      const before = names[at - 1]
      if (before === undefined || before < name) break
      names[at] = before
    }
    names[at] = name
  }
  return inOrder
}

/** The node of a new value: all its fields and items, and their containers. */
function wholeNode(node: TypedNode, value: JsonValue): FieldSet {
  madeNodes++
  const form = formOf(node, value)
  if (form === "scalar") return leaf
  if (form === "list") {
    const items = node.list === undefined || node.list.type === "atomic" ? undefined : filledList(value)
    return items === undefined || node.list === undefined ? leaf : (ready?.get(items) ?? itemsNode(node.list, items, true))
  }
  const object = node.map?.atomic === false ? filledMap(value) : undefined
  return object === undefined || node.map === undefined ? leaf : fieldsNode(node.map, object)
}

function fieldsNode(map: MapForm, object: JsonObject): FieldSet {
  const set: FieldSet = { [selfKey]: leaf }
  const first = names.length
  const inOrder = pushNames(object)
  for (let at = first; at < names.length; at++) {
    const name = names[at] ?? ""
    const value = object[name]
    const type = value === undefined ? undefined : typeAt(map, name)
    if (value !== undefined && type !== undefined) set[fieldElement(name)] = wholeNode(type, value)
  }
  names.length = first
  return inOrder ? set : sorted(set)
}

/** `member`: the list itself is a member. Items with the same element are owned as one, without their fields. */
function itemsNode(list: ListForm, items: readonly JsonValue[], member: boolean): FieldSet {
  const node = new ItemsNode(list, member)
  for (const item of items) node.add(item)
  return node.inOrder ? node.set : sorted(node.set)
}

/** The node of a list, item by item. */
class ItemsNode {
  readonly set: FieldSet
  /** The elements came in the order in which they are stored. */
  inOrder = true
  private readonly type: TypedNode
  private last: JsonValue | undefined

  constructor(
    private readonly list: ListForm,
    member: boolean,
  ) {
    this.set = member ? { [selfKey]: leaf } : {}
    this.type = list.item()
  }

  add(item: JsonValue): void {
    const { last, list, set } = this
    const element = elementOf(list, item)
    if (element === undefined) return
    this.inOrder &&= last === undefined || comesBefore(list, last, item)
    this.last = item
    set[element] = element in set ? leaf : wholeNode(this.type, item)
  }
}

/** Whether an item's element sorts before another item's element; false proves nothing. */
function comesBefore(list: ListForm, left: JsonValue, right: JsonValue): boolean {
  if (list.type === "set") return compareValues(left, right) < 0
  if (!isObject(left) || !isObject(right)) return false
  for (const { name } of list.keys()) {
    const one = valueAt(left, name)
    const other = valueAt(right, name)
    if (one === undefined || other === undefined) return false
    const order = compareValues(one, other)
    if (order !== 0) return order < 0
  }
  return false
}

function sorted(set: FieldSet): FieldSet {
  const result: FieldSet = {}
  for (const element of sortElements(Object.keys(set))) result[element] = set[element]
  return result
}
