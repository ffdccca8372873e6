/** `compare.ts` in stages, for large objects: the same changes, found in the same order. */
import { deepEqual } from "../../encoding/field-path.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import type { Stages } from "../../base/turns.ts"
import type { TypeShape } from "../../schema/shape.ts"
import {
  addByElement,
  change,
  changeOfItem,
  type Comparison,
  isOmitted,
  type NodeChange,
  type Omitted,
  owners,
  put,
  type SameElementItems,
  whole,
  wholeItem,
} from "./compare.ts"
import { fieldElement, selfKey } from "./field-set-element.ts"
import { type FieldSet, leaf } from "./field-set.ts"
import { largeValues, sizeOf, StageWork } from "./stage-work.ts"
import { filledList, filledMap, formOf, type ListForm, type MapForm, rootNode, typeAt, type TypedNode, valueAt } from "./typed-node.ts"

/** `compareStates` in stages. The objects must not change meanwhile. */
export function* comparingStages(shape: TypeShape, old: JsonObject, next: JsonObject): Stages<Comparison> {
  const { map } = rootNode(shape)
  const found = map === undefined ? undefined : yield* changeOfFields(map, { old, next, omitted: owners }, new StageWork())
  const { added = {}, modified = {}, removed = {} } = found ?? {}
  return { added, modified, removed }
}

interface States<Value> {
  readonly old: Value
  readonly next: Value
}

interface FieldStates extends States<JsonObject> {
  readonly omitted?: Omitted | undefined
}

function* changeOfFields(map: MapForm, states: FieldStates, work: StageWork): Stages<NodeChange | undefined> {
  const { old, next, omitted } = states
  let result: NodeChange | undefined
  for (const name in next) {
    const after = next[name]
    if (after === undefined || (omitted !== undefined && isOmitted(omitted, name))) continue
    const before = valueAt(old, name)
    const size = sizeOf(before) + sizeOf(after)
    if (work.isOver(size)) yield
    const type = before === after ? undefined : typeAt(map, name)
    if (type === undefined) continue
    const inner = omitted?.field === name ? omitted.inner : undefined
    let changed: NodeChange | undefined
    if (before === undefined) changed = { added: size < largeValues ? whole(type, after) : yield* largeWhole(type, after, work) }
    else if (size < largeValues && inner === undefined) changed = change(type, before, after)
    else changed = yield* largeChange(type, { old: before, next: after, omitted: inner }, work)
    result = put(result, fieldElement(name), changed)
  }
  return yield* changeOfLostFields(map, { states, found: result }, work)
}

function* changeOfLostFields(
  map: MapForm,
  { states, found }: { readonly states: FieldStates; readonly found: NodeChange | undefined },
  work: StageWork,
): Stages<NodeChange | undefined> {
  const { old, next, omitted } = states
  let result = found
  for (const name in old) {
    if (work.isOver(1)) yield
    const before = old[name]
    if (before === undefined || valueAt(next, name) !== undefined || (omitted !== undefined && isOmitted(omitted, name))) continue
    const type = typeAt(map, name)
    if (type === undefined) continue
    const size = sizeOf(before)
    result = put(result, fieldElement(name), { removed: size < largeValues ? whole(type, before) : yield* largeWhole(type, before, work) })
  }
  return result
}

interface ValueStates extends States<JsonValue> {
  readonly omitted?: Omitted | undefined
}

/** `change` of a value that has many values in it, or of one without the field `omitted`. */
function* largeChange(node: TypedNode, { old, next, omitted }: ValueStates, work: StageWork): Stages<NodeChange | undefined> {
  const form = formOf(node, next)
  if (form === formOf(node, old)) {
    if (form === "map" && node.map?.atomic === false) {
      const [before, after] = [filledMap(old), filledMap(next)]
      const isFilled = omitted === undefined ? before !== undefined || after !== undefined : before !== undefined && after !== undefined
      if (isFilled) return yield* changeOfFields(node.map, { old: before ?? {}, next: after ?? {}, omitted }, work)
    } else if (form === "list" && node.list !== undefined && node.list.type !== "atomic") {
      const [before, after] = [filledList(old), filledList(next)]
      if (before !== undefined || after !== undefined)
        return yield* changeOfItems(node.list, { old: before ?? [], next: after ?? [] }, work)
    }
  }
  return change(node, old, next)
}

function* changeOfItems(list: ListForm, { old, next }: States<JsonValue[]>, work: StageWork): Stages<NodeChange | undefined> {
  // Most lists of an object do not change.
  if (deepEqual(old, next)) return undefined
  const before = yield* itemsByElement(list, old, work)
  const after = yield* itemsByElement(list, next, work)
  let result: NodeChange | undefined
  for (const [element, twins] of after) {
    const former = before.get(element)
    const size = sizeOf(twins) + sizeOf(former)
    if (work.isOver(size)) yield
    let changed: NodeChange | undefined
    if (former === undefined) changed = { added: size < largeValues ? wholeItem(list, twins) : yield* largeItem(list, twins, work) }
    else if (size < largeValues || twins.length > 1 || former.length > 1) changed = changeOfItem(list, former, twins)
    else changed = yield* largeChange(list.item(), { old: former[0] ?? null, next: twins[0] ?? null }, work)
    result = put(result, element, changed)
  }
  for (const [element, twins] of before) {
    const size = sizeOf(twins)
    if (work.isOver(size)) yield
    if (after.has(element)) continue
    result = put(result, element, { removed: size < largeValues ? wholeItem(list, twins) : yield* largeItem(list, twins, work) })
  }
  return result
}

function* itemsByElement(list: ListForm, items: readonly JsonValue[], work: StageWork): Stages<ReadonlyMap<string, JsonValue[]>> {
  const found = new Map<string, JsonValue[]>()
  for (const item of items) {
    if (work.isOver(itemValues)) yield
    addByElement(found, list, item)
  }
  return found
}

/** An item costs as much to find by its element as this many values. */
const itemValues = 2

/** `whole` of a value that has many values in it. */
function* largeWhole(node: TypedNode, value: JsonValue, work: StageWork): Stages<FieldSet> {
  const form = formOf(node, value)
  const items = form === "list" && node.list?.type !== "atomic" ? filledList(value) : undefined
  const object = form === "map" && node.map?.atomic === false ? filledMap(value) : undefined
  const set: FieldSet = { [selfKey]: leaf }
  if (items !== undefined && node.list !== undefined) {
    for (const [element, twins] of yield* itemsByElement(node.list, items, work)) {
      const size = sizeOf(twins)
      if (work.isOver(size)) yield
      set[element] = size < largeValues ? wholeItem(node.list, twins) : yield* largeItem(node.list, twins, work)
    }
    return set
  }
  if (object === undefined || node.map === undefined) return whole(node, value)
  for (const name in object) {
    const field = object[name]
    const size = sizeOf(field)
    if (work.isOver(size)) yield
    const type = field === undefined ? undefined : typeAt(node.map, name)
    if (field === undefined || type === undefined) continue
    set[fieldElement(name)] = size < largeValues ? whole(type, field) : yield* largeWhole(type, field, work)
  }
  return set
}

function* largeItem(list: ListForm, twins: SameElementItems, work: StageWork): Stages<FieldSet> {
  const item = twins[0]
  return item === undefined || twins.length > 1 ? leaf : yield* largeWhole(list.item(), item, work)
}
