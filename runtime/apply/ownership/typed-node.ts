/**
 * Types as field ownership sees them: which values are owned whole and which in parts. Built once per shape, from facts
 * of the schema; specification section 9.3 (list types, map types, struct types).
 */
import { isObject } from "../../base/json.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { detachString } from "../../base/own-text.ts"
import { listKindOf, type ListMerge } from "../../schema/list-merge.ts"
import type { FieldShape, Scalar, TypeRef, TypeShape } from "../../schema/shape.ts"
import { itemElementsMax } from "../../base/limits.ts"
import { canonicalText } from "./field-set-element.ts"

/** A value may have any of the forms present. Only values without a declared type have more than one. */
export interface TypedNode {
  readonly scalar: ScalarForm | undefined
  readonly list: ListForm | undefined
  readonly map: MapForm | undefined
}

/** The type of a plain value; `any` accepts all three. */
export type ScalarForm = "string" | "number" | "boolean" | "any"

export interface ListForm {
  /** `atomic`: owned whole. `set`: items are identified by value. `map`: items are identified by their key fields. */
  readonly type: "atomic" | "set" | "map"
  readonly item: () => TypedNode
  /** Sorted by name; empty unless `type` is `map`. */
  readonly keys: () => readonly ListKey[]
}

export interface ListKey {
  readonly name: string
  /** `"name":`, as in the element. */
  readonly label: string
  /** The label within the text of a set, where its quotes are escaped. */
  readonly escapedLabel: string
  /** Used when an item lacks the field. */
  readonly default: JsonValue | undefined
  /** Cached elements of items without another key, by value: most recur, and concatenating strings is not free. */
  readonly known: ElementCache
}

/** The cache of one keyed list, by the value of its key. */
class ElementCache {
  private readonly elements = new Map<string, string>()
  private missed = 0

  get(value: string): string | undefined {
    return this.elements.get(value)
  }

  /**
   * Whether one more may be cached. A full cache is cleared, but only after many more misses: caching the elements of a
   * list of 20,000 items one after the other takes longer than building them.
   */
  get hasRoom(): boolean {
    if (this.elements.size < itemElementsMax) return true
    if (++this.missed < 16 * itemElementsMax) return false
    this.missed = 0
    this.elements.clear()
    return true
  }

  keep(value: string, element: string): void {
    this.elements.set(value, element)
  }
}

export interface MapForm {
  /** Owned whole. */
  readonly atomic: boolean
  /** Declared fields. */
  readonly fields: () => ReadonlyMap<string, TypedNode>
  /** The type of undeclared fields; undefined where the type allows none. */
  readonly values: TypedNode | undefined
}

/** The names of the forms. */
export type Form = "scalar" | "list" | "map"

/**
 * Returns the form in which a node reads a value. Null, or a value that fits no form, is read in the first of map,
 * scalar, list.
 */
export function formOf(node: TypedNode, value: JsonValue): Form {
  if (typeof value !== "object") {
    if (node.scalar !== undefined) return "scalar"
  } else if (Array.isArray(value)) {
    if (node.list !== undefined) return "list"
  } else if (value !== null && node.map !== undefined) return "map"
  return node.map !== undefined ? "map" : node.scalar !== undefined ? "scalar" : "list"
}

/** The type of a field or map value; undefined when the type does not allow the name. */
export function typeAt(map: MapForm, name: string): TypedNode | undefined {
  return map.fields().get(name) ?? map.values
}

/** Reads a field of a map; undefined when absent. Names such as `constructor` or `__proto__` are ordinary. */
export function valueAt(object: JsonObject, name: string): JsonValue | undefined {
  const value = object[name]
  return value !== undefined && name in Object.prototype && !Object.hasOwn(object, name) ? undefined : value
}

/**
 * Returns the value when it is an object with fields, else undefined: empty, null and misfits are owned and merged
 * alike.
 */
export function filledMap(value: JsonValue | undefined): JsonObject | undefined {
  if (!isObject(value)) return undefined
  for (const name in value) if (value[name] !== undefined) return value
  return undefined
}

/** Returns the value when it is a list with items, else undefined. */
export function filledList(value: JsonValue | undefined): JsonValue[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined
}

/**
 * Returns the path element of an item of a set or keyed list. Undefined when the item lacks a key or is not a plain
 * value.
 */
export function elementOf(list: ListForm, item: JsonValue): string | undefined {
  if (list.type === "set") return typeof item === "object" ? undefined : `v:${canonicalText(item)}`
  if (!isObject(item)) return undefined
  const keys = list.keys()
  const only = keys.length === 1 ? keys[0] : undefined
  if (only !== undefined) return elementOfOne(only, keyValue(item, only))
  let text = "k:{"
  for (const key of keys) {
    const value = keyValue(item, key)
    if (value === undefined) return undefined
    if (text.length > 3) text += ","
    text += key.label + canonicalText(value)
  }
  return `${text}}`
}

/** A null in place of a key that has a default is a value of its own, as in the reference. */
export function keyValue(item: JsonObject, key: ListKey): JsonValue | undefined {
  const value = valueAt(item, key.name)
  if (key.default === undefined) return value ?? undefined
  return value === undefined ? key.default : value
}

const knownValueCharactersMax = 64

function elementOfOne(key: ListKey, value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined
  const isShort = typeof value === "string" && value.length <= knownValueCharactersMax
  const before = isShort ? key.known.get(value) : undefined
  if (before !== undefined) return before
  if (!isShort || !key.known.hasRoom) return `k:{${key.label}${canonicalText(value)}}`
  const own = detachString(value)
  const element = `k:{${key.label}${canonicalText(own)}}`
  key.known.keep(own, element)
  return element
}

/** Scalars and lists of undeclared type. Written out, because it is a possible `values` of `untyped`. */
const untypedScalar: TypedNode = { scalar: "any", list: undefined, map: undefined }
const noKeys = (): readonly ListKey[] => []
const noFields = (): ReadonlyMap<string, TypedNode> => new Map()

/** A value of undeclared type that is owned whole. */
const untypedAtomic: TypedNode = {
  scalar: "any",
  list: { type: "atomic", item: () => untypedAtomic, keys: noKeys },
  map: {
    atomic: true,
    fields: noFields,
    get values() {
      return untypedAtomic
    },
  },
}

/** A value of undeclared type: objects are owned field by field, lists whole. */
export const untyped: TypedNode = {
  scalar: "any",
  list: { type: "atomic", item: () => untypedAtomic, keys: noKeys },
  map: {
    atomic: false,
    fields: noFields,
    get values() {
      return untyped
    },
  },
}

const string: TypedNode = { scalar: "string", list: undefined, map: undefined }
const number: TypedNode = { scalar: "number", list: undefined, map: undefined }

const scalars: Readonly<Record<Scalar, TypedNode>> = {
  string,
  bytes: string,
  Duration: string,
  boolean: { scalar: "boolean", list: undefined, map: undefined },
  int32: number,
  int64: number,
  double: number,
  Time: untypedScalar,
  MicroTime: untypedScalar,
  Quantity: untypedScalar,
  IntOrString: untypedScalar,
  RawExtension: untypedAtomic,
  FieldsV1: { scalar: undefined, list: undefined, map: untyped.map },
  any: untyped,
}

const roots = new WeakMap<TypeShape, TypedNode>()

/**
 * The type of a whole object: its shape, and the two fields that every object has. Called at the start of every walk.
 */
export function rootNode(shape: TypeShape): TypedNode {
  const known = roots.get(shape)
  if (known !== undefined) return known
  const fields = once(() => new Map([["apiVersion", string], ["kind", string], ...fieldsOf(shape)]))
  const node: TypedNode = { scalar: undefined, list: undefined, map: { atomic: false, fields, values: valuesOf(shape) } }
  roots.set(shape, node)
  return node
}

const granularStructs = new WeakMap<TypeShape, TypedNode>()
const atomicStructs = new WeakMap<TypeShape, TypedNode>()

/** The field's own declaration takes precedence over the struct's. */
function structNode(shape: TypeShape, field: FieldShape | undefined): TypedNode {
  const atomic = (field?.structType ?? field?.mapType ?? shape.struct) === "atomic"
  const nodes = atomic ? atomicStructs : granularStructs
  const known = nodes.get(shape)
  if (known !== undefined) return known
  const map: MapForm = { atomic, fields: once(() => fieldsOf(shape)), values: valuesOf(shape) }
  const node: TypedNode = { scalar: undefined, list: undefined, map }
  nodes.set(shape, node)
  return node
}

function valuesOf(shape: TypeShape): TypedNode | undefined {
  // The reference publishes a struct without fields as an object of which nothing is known.
  return shape.preserveUnknown === true || shape.fields.length === 0 ? untyped : undefined
}

function fieldsOf(shape: TypeShape): Map<string, TypedNode> {
  return new Map(flatFields(shape).map((field) => [field.name, nodeOfType(field.type, field)]))
}

/** Lists the fields of inline types among the parent's fields. */
function flatFields(shape: TypeShape): readonly FieldShape[] {
  return shape.fields.flatMap((field) => (field.inline === true && "ref" in field.type ? flatFields(field.type.ref()) : [field]))
}

/** `field` is the field that holds the type directly; items and map values have none. */
function nodeOfType(type: TypeRef, field: FieldShape | undefined): TypedNode {
  if ("scalar" in type) return scalars[type.scalar]
  if ("ref" in type) return structNode(type.ref(), field)
  if ("map" in type) {
    const atomic = (field?.mapType ?? type.mapType) === "atomic"
    const map: MapForm = { atomic, fields: noFields, values: nodeOfType(type.map, undefined) }
    return { scalar: undefined, list: undefined, map }
  }
  if ("list" in type) return { scalar: undefined, list: listForm(type.list, field ?? type), map: undefined }
  // The reference's schema has no type for a union either.
  if ("union" in type) return untyped
  return { scalar: undefined, list: listForm(type.wrappedList, field), map: undefined }
}

function listForm(item: TypeRef, merge: ListMerge | undefined): ListForm {
  const { type, keys } = listKindOf(merge)
  return { type, item: once(() => nodeOfType(item, undefined)), keys: once(() => keys.map((name) => listKey(item, name))) }
}

/**
 * A key field that is written even when empty defaults to its zero value in items that lack it, as in the reference's
 * schema.
 */
function listKey(item: TypeRef, name: string): ListKey {
  const field = "ref" in item ? flatFields(item.ref()).find((candidate) => candidate.name === name) : undefined
  const zero = field?.keepEmpty === true && field.pointer !== true ? zeroOf(field.type) : undefined
  const label = `${canonicalText(name)}:`
  const escapedLabel = JSON.stringify(label).slice(1, -1)
  return { name, label, escapedLabel, default: field?.default ?? zero, known: new ElementCache() }
}

function zeroOf(type: TypeRef): JsonValue | undefined {
  const form = "scalar" in type ? scalars[type.scalar].scalar : undefined
  return form === "string" ? "" : form === "number" ? 0 : form === "boolean" ? false : undefined
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}
