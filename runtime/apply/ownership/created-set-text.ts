/**
 * The field set of an object's creator as the text that is stored. Objects of one template have the same set, so a set
 * is found by its text and need not be built: building it would take twice as long as writing the text.
 */
import { hasSurrogate } from "../../base/byte-order.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { isObject } from "../../base/json.ts"
import { fieldSetText } from "../../encoding/json/field-set-text.ts"
import { keepSettledOwnership, settledOwnership } from "../../encoding/settled.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { changedMember, type States, wholeMember } from "./created-set.ts"
import { compareValues, fieldElement } from "./field-set-element.ts"
import { type FieldSet, isLeaf, nodeAt } from "./field-set.ts"
import { elementOf, filledList, filledMap, formOf, keyValue, rootNode, typeAt, valueAt } from "./typed-node.ts"
import type { ListForm, ListKey, MapForm, TypedNode } from "./typed-node.ts"
import { fieldElementsMax } from "../../base/limits.ts"

/** Objects with more fields are rare: no plan of theirs is kept, and an order of many names needs a sort. */
const fewNames = 32
const leafText = "{}"
const memberText = '{".":{}'

/** Thrown when the set itself is needed: for an item that is there twice, or names in an order that needs a sort. */
const needsSet = new Error("the text of a field set needs the set")

/**
 * The text of `createdSet`, with the same arguments. Called for each creation. Undefined for objects, few, whose set
 * has to be built.
 */
export function createdSetText(shape: TypeShape, empty: JsonObject, next: JsonObject, unowned: FieldSet): string | undefined {
  const { map } = rootNode(shape)
  if (map === undefined) return undefined
  names.length = 0
  try {
    return changedFieldsText(map, { before: empty, after: next }, unowned) ?? leafText
  } catch (error) {
    if (error === needsSet) return undefined
    throw error
  }
}

/** Undefined when nothing was set. */
function changedFieldsText(map: MapForm, { before, after }: States<JsonObject>, unowned: FieldSet | undefined): string | undefined {
  let text = ""
  const first = names.length
  pushNames(after)
  for (let at = first; at < names.length; at++) {
    const name = names[at] ?? ""
    const value = after[name]
    const type = value === undefined ? undefined : typeAt(map, name)
    if (value === undefined || type === undefined) continue
    const not = unowned === undefined ? undefined : nodeAt(unowned, fieldElement(name))
    if (not !== undefined && typeof value !== "object" && isLeaf(not)) continue
    const member = settledText(type, { before: valueAt(before, name), after: value }, not)
    if (member !== undefined) text += (text === "" ? "{" : ",") + fieldText(name) + member
  }
  names.length = first
  return text === "" ? undefined : `${text}}`
}

interface MemberStates {
  readonly before: JsonValue | undefined
  readonly after: JsonValue
}

/** As `memberOf`. The text of a settled value is made once: its field is always compared with the same empty object. */
function settledText(type: TypedNode, states: MemberStates, unowned: FieldSet | undefined): string | undefined {
  const { after } = states
  if (!isObject(after)) return memberOf(type, states, unowned)
  const known = settledOwnership(after)
  if (known !== undefined) return known
  const text = memberOf(type, states, unowned)
  if (text !== undefined) keepSettledOwnership(after, text)
  return text
}

function memberOf(type: TypedNode, { before, after }: MemberStates, unowned: FieldSet | undefined): string | undefined {
  if (before === undefined) return unowned === undefined ? wholeText(type, after) : textOf(wholeMember(type, after, unowned))
  if (before === after) return undefined
  const form = formOf(type, after)
  if (form === formOf(type, before)) {
    const fields = form === "map" && type.map?.atomic === false ? filledMap(after) : undefined
    if (fields !== undefined && type.map !== undefined)
      return changedFieldsText(type.map, { before: filledMap(before) ?? {}, after: fields }, unowned)
    const list = form === "list" && type.list?.type !== "atomic" ? type.list : undefined
    const items = list === undefined || before !== null || unowned !== undefined ? undefined : filledList(after)
    if (list !== undefined && items !== undefined) return itemsText(list, items, false)
  }
  return textOf(changedMember(type, { before, after }, unowned))
}

function textOf(node: FieldSet | undefined): string | undefined {
  return node === undefined ? undefined : fieldSetText(node)
}

/** The text of a new value: all its fields and items, and their containers. */
function wholeText(node: TypedNode, value: JsonValue): string {
  const form = formOf(node, value)
  if (form === "scalar") return leafText
  if (form === "list") {
    const items = node.list === undefined || node.list.type === "atomic" ? undefined : filledList(value)
    return items === undefined || node.list === undefined ? leafText : (itemsText(node.list, items, true) ?? leafText)
  }
  const object = node.map?.atomic === false ? filledMap(value) : undefined
  return object === undefined || node.map === undefined ? leafText : fieldsText(node.map, object)
}

function fieldsText(map: MapForm, object: JsonObject): string {
  const { start, children } = planOf(map, object)
  let text = start
  for (const { name, type, end } of children) text += wholeText(type, object[name] ?? null) + end
  return text
}

/** `member`: the list itself is a member. Undefined when the text is empty. */
function itemsText(list: ListForm, items: readonly JsonValue[], member: boolean): string | undefined {
  const keys = list.type === "map" ? list.keys() : []
  const [key] = keys
  const texts = key !== undefined && keys.length === 1 ? namedTexts(list, key, items) : undefined
  const joined = (texts ?? keyedTexts(list, items)).join(",")
  if (joined === "") return member ? `${memberText}}` : undefined
  return `${member ? `${memberText},` : "{"}${joined}}`
}

/** Characters that neither the element nor the text around it escapes, and that sort as their bytes do. */
const plainKey = /^[\w.:/-]*$/

/** The texts, in order, of items that have one key, a plain text, as most do; undefined for others. */
function namedTexts(list: ListForm, key: ListKey, items: readonly JsonValue[]): string[] | undefined {
  const type = list.item()
  const { map } = type
  if (map === undefined || map.atomic || key.name in Object.prototype) return undefined
  const named: { readonly name: string; readonly item: JsonObject }[] = []
  let inOrder = true
  // All names come before any text: lists within lists would be written twice at each level.
  for (const item of items) {
    const name = isObject(item) ? item[key.name] : undefined
    if (typeof name !== "string" || !isObject(item) || !plainKey.test(name)) return undefined
    inOrder &&= named.length === 0 || (named.at(-1)?.name ?? "") < name
    named.push({ name, item })
  }
  if (!inOrder) {
    named.sort((one, other) => (one.name < other.name ? -1 : 1))
    for (let at = 1; at < named.length; at++) if (named[at - 1]?.name === named[at]?.name) throw needsSet
  }
  return named.map(({ name, item }) => `"k:{${key.escapedLabel}\\"${name}\\"}":${fieldsText(map, item)}`)
}

function keyedTexts(list: ListForm, items: readonly JsonValue[]): string[] {
  const type = list.item()
  const keyed: JsonValue[] = []
  const texts: string[] = []
  let inOrder = true
  for (const item of items) {
    const element = elementOf(list, item)
    if (element === undefined) continue
    const last = keyed.at(-1)
    inOrder &&= last === undefined || compareItems(list, last, item) < 0
    keyed.push(item)
    texts.push(`${JSON.stringify(element)}:${wholeText(type, item)}`)
  }
  return inOrder ? texts : ordered(list, keyed, texts)
}

/** The texts in the order of their items. */
function ordered(list: ListForm, items: readonly JsonValue[], texts: readonly string[]): string[] {
  const places = items.map((_, place) => place)
  places.sort((one, other) => compareItems(list, items[one] ?? null, items[other] ?? null))
  for (let at = 1; at < places.length; at++)
    if (compareItems(list, items[places[at - 1] ?? 0] ?? null, items[places[at] ?? 0] ?? null) === 0) throw needsSet
  return places.map((place) => texts[place] ?? "")
}

/** Compares as elements are sorted: by the values of the keys, in the order of their names. */
function compareItems(list: ListForm, left: JsonValue, right: JsonValue): number {
  if (list.type === "set") return compareValues(left, right)
  if (!isObject(left) || !isObject(right)) throw needsSet
  for (const key of list.keys()) {
    const order = compareValues(keyOf(left, key), keyOf(right, key))
    if (order !== 0) return order
  }
  return 0
}

function keyOf(item: JsonObject, key: ListKey): JsonValue {
  return keyValue(item, key) ?? null
}

/**
 * The fixed pieces of the text of an object that has these fields of its type, in this order. Most objects of a type
 * have the fields of others, so that their names are not sorted and written again.
 */
interface Plan {
  /** Up to the first child. */
  readonly start: string
  readonly children: readonly PlannedChild[]
}

/** A field whose text depends on its value. */
interface PlannedChild {
  readonly name: string
  readonly type: TypedNode
  /** From its text to the text of the next child, or to the end. */
  readonly end: string
}

/** Characters of all plans, with what their entries take: a kind with all its fields has some thousands. */
const planCharactersMax = 1024 * 1024
/** Approximate size of an entry besides its texts. */
const plannedEntryCharacters = 200

/** Plans by the fields of objects, one field after the other. */
interface PlanNode {
  readonly next: Map<string, PlanNode>
  plan: Plan | undefined
}

let planned = new WeakMap<MapForm, PlanNode>()
/** Characters of the names and texts that plans hold. */
let plannedCharacters = 0

function planOf(map: MapForm, object: JsonObject): Plan {
  let node: PlanNode = planned.get(map) ?? rootOf(map)
  let fields = 0
  for (const name in object) {
    if (object[name] === undefined) continue
    if (++fields > fewNames) return makePlan(map, object)
    node = node.next.get(name) ?? nodeAfter(node, name)
  }
  node.plan ??= keptPlan(map, object)
  return node.plan
}

function rootOf(map: MapForm): PlanNode {
  const node: PlanNode = { next: new Map(), plan: undefined }
  planned.set(map, node)
  return node
}

function nodeAfter(node: PlanNode, name: string): PlanNode {
  countCharacters(name.length)
  const next: PlanNode = { next: new Map(), plan: undefined }
  node.next.set(name, next)
  return next
}

function keptPlan(map: MapForm, object: JsonObject): Plan {
  const plan = makePlan(map, object)
  countCharacters(plan.children.reduce((sum, { end }) => sum + end.length, plan.start.length))
  return plan
}

/** All plans are forgotten when there are too many. */
function countCharacters(characters: number): void {
  plannedCharacters += plannedEntryCharacters + characters
  if (plannedCharacters <= planCharactersMax) return
  planned = new WeakMap()
  plannedCharacters = 0
}

function makePlan(map: MapForm, object: JsonObject): Plan {
  const texts = [memberText]
  const children: { readonly name: string; readonly type: TypedNode }[] = []
  const first = names.length
  pushNames(object)
  for (let at = first; at < names.length; at++) {
    const name = names[at] ?? ""
    const type = object[name] === undefined ? undefined : typeAt(map, name)
    if (type === undefined) continue
    texts[texts.length - 1] += `,${fieldText(name)}`
    if (isAlwaysLeaf(type)) texts[texts.length - 1] += leafText
    else {
      children.push({ name, type })
      texts.push("")
    }
  }
  names.length = first
  texts[texts.length - 1] += "}"
  return { start: texts[0] ?? "", children: children.map((child, place) => ({ ...child, end: texts[place + 1] ?? "" })) }
}

/** Whether values of a type are owned whole, whatever they are. */
function isAlwaysLeaf({ list, map }: TypedNode): boolean {
  return (list === undefined || list.type === "atomic") && (map === undefined || map.atomic)
}

const knownFields = new Map<string, string>()
const knownNameCharactersMax = 64

/** The element of a field with its colon, as text within the set. Cached as elements are. */
function fieldText(name: string): string {
  const known = knownFields.get(name)
  if (known !== undefined) return known
  const text = `${JSON.stringify(`f:${name}`)}:`
  if (name.length > knownNameCharactersMax) return text
  if (knownFields.size >= fieldElementsMax) knownFields.clear()
  knownFields.set(name, text)
  return text
}

/** Field names of the objects from the root to the current one: one stack for the whole walk. */
const names: string[] = []

/** Pushes the field names of an object, sorted by their bytes. */
function pushNames(object: JsonObject): void {
  const first = names.length
  for (const name in object) {
    if (hasSurrogate(name)) throw needsSet
    let at = names.length
    for (; at > first; at--) {
      const before = names[at - 1]
      if (before === undefined || before < name) break
      if (at - first > fewNames) throw needsSet
      names[at] = before
    }
    names[at] = name
  }
}
