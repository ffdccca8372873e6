/** Shapes prepared for passes over documents: one cached plan per shape, so that a pass needs no look-ups. */
import { listKindOf } from "../schema/list-merge.ts"
import type { FieldShape, Scalar, TypeRef, TypeShape } from "../schema/shape.ts"

/** How a pass handles a value, by the kind of its type. */
export type ShapeOperation = Scalar | "constant" | "list" | "map" | "object" | "union"

/** A type as a pass uses it; `plan` is built on first use, since types may be recursive. */
export interface ShapeNode {
  readonly operation: ShapeOperation
  readonly item: ShapeNode | undefined
  readonly shape: (() => TypeShape) | undefined
  readonly typeText: () => string
  /** The value of a constant. */
  readonly constant: string | undefined
  plan: ShapePlan | undefined
}

/** A field as a pass uses it; the fields of inline types are listed among the parent's. */
export interface ShapeField {
  readonly name: string
  /** Position among the fields of the plan, which is the order of writing. */
  readonly index: number
  readonly node: ShapeNode
  readonly pointer: boolean
  /** Null is kept; without it null is absent. */
  readonly nullable: boolean
  /** An absent field is written with a value. */
  readonly fills: boolean
  readonly keepEmpty: boolean
  /** A list that is owned whole. */
  readonly isAtomicList: boolean
  /** Every object inherits a property of that name. */
  readonly inherited: boolean
}

/** The fields of an object type. */
export interface ShapePlan {
  readonly name: string
  readonly fields: readonly ShapeField[]
  /** The fields with `fills`, in order. */
  readonly fills: readonly ShapeField[]
  readonly byName: ReadonlyMap<string, ShapeField>
  readonly preserveUnknown: boolean
}

const plans = new WeakMap<TypeShape, ShapePlan>()

/** Returns the cached plan of a shape. Called at the start of every pass. */
export function shapePlanOf(shape: TypeShape): ShapePlan {
  const known = plans.get(shape)
  if (known !== undefined) return known
  const fields = shape.fields
    .flatMap((field) => (field.inline === true ? inlineFields(field) : [planField(field)]))
    .map((field, index) => ({ ...field, index }))
  const plan: ShapePlan = {
    name: shape.name,
    fields,
    fills: fields.filter(({ fills }) => fills),
    byName: new Map(fields.map((field) => [field.name, field])),
    preserveUnknown: shape.preserveUnknown === true,
  }
  plans.set(shape, plan)
  return plan
}

function inlineFields(field: FieldShape): readonly ShapeField[] {
  if (!("ref" in field.type)) throw new Error(`inline field ${field.name} is no object`)
  return shapePlanOf(field.type.ref()).fields
}

const alwaysWritten: ReadonlySet<ShapeOperation> = new Set<ShapeOperation>([
  "object",
  "Time",
  "MicroTime",
  "Quantity",
  "IntOrString",
  "Duration",
  "RawExtension",
  "constant",
])

function planField(field: FieldShape): ShapeField {
  const node = field.constant === undefined ? nodeOf(field.type) : constantNode(field.constant)
  const pointer = field.pointer === true
  const keepEmpty = field.keepEmpty === true
  const fills = keepEmpty || (!pointer && alwaysWritten.has(node.operation))
  const nullable = field.nullable === true
  const isAtomicList = node.operation === "list" && listKindOf(field).type === "atomic"
  return { name: field.name, index: 0, node, pointer, nullable, fills, keepEmpty, isAtomicList, inherited: field.name in {} }
}

function constantNode(constant: string): ShapeNode {
  return { operation: "constant", item: undefined, shape: undefined, typeText: () => scalarTexts.string, constant, plan: undefined }
}

function nodeOf(type: TypeRef): ShapeNode {
  if ("scalar" in type)
    return {
      operation: type.scalar,
      item: undefined,
      shape: undefined,
      typeText: () => scalarTexts[type.scalar],
      constant: undefined,
      plan: undefined,
    }
  if ("ref" in type)
    return {
      operation: "object",
      item: undefined,
      shape: type.ref,
      typeText: () => shortName(type.ref().name),
      constant: undefined,
      plan: undefined,
    }
  if ("union" in type)
    return {
      operation: "union",
      item: undefined,
      shape: type.union,
      typeText: () => shortName(type.union().name),
      constant: undefined,
      plan: undefined,
    }
  if ("map" in type) {
    const item = nodeOf(type.map)
    return {
      operation: "map",
      item,
      shape: undefined,
      typeText: () => `map[string]${item.typeText()}`,
      constant: undefined,
      plan: undefined,
    }
  }
  const item = nodeOf("list" in type ? type.list : type.wrappedList)
  return { operation: "list", item, shape: undefined, typeText: () => `[]${item.typeText()}`, constant: undefined, plan: undefined }
}

const scalarTexts: Readonly<Record<Scalar, string>> = {
  string: "string",
  boolean: "bool",
  int32: "int32",
  int64: "int64",
  double: "float64",
  bytes: "bytes",
  Time: "Time",
  MicroTime: "MicroTime",
  Duration: "Duration",
  Quantity: "Quantity",
  IntOrString: "IntOrString",
  RawExtension: "object",
  FieldsV1: "FieldsV1",
  any: "any",
}

/** Shortens `core.v1.PodSpec` to `v1.PodSpec`. */
export function shortName(name: string): string {
  return name.split(".").slice(-2).join(".")
}

/** The plan of an object type, or of a union, whose fields are its members. */
export function planOfNode(node: ShapeNode): ShapePlan {
  if (node.plan === undefined) {
    if (node.shape === undefined) throw new Error("a type without fields has no plan")
    node.plan = shapePlanOf(node.shape())
  }
  return node.plan
}

/** The type of a list's items or a map's values. */
export function shapeItemOf(node: ShapeNode): ShapeNode {
  if (node.item === undefined) throw new Error("a list or map type names its items")
  return node.item
}

/** `apiVersion` and `kind`, which every object has and no shape needs to name. */
export function isTypeMeta(name: string): boolean {
  return name === "kind" || name === "apiVersion"
}
