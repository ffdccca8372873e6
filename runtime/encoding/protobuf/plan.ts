/**
 * Encoding plans: the fields of a type by number, with the facts that encoding and decoding need of each, so that
 * neither looks them up. Built from the shape of the type at its first use.
 */
import { isMessageScalar, scalarMessages } from "../../schema/scalar-messages.ts"
import type { FieldShape, Scalar, TypeRef, TypeShape } from "../../schema/shape.ts"
import { wireType } from "./writer.ts"

export type MessageOperation = Scalar | "list" | "map" | "object" | "union" | "wrappedList"

export interface MessageNode {
  readonly operation: MessageOperation
  readonly item: MessageNode | undefined
  /** The fields of an object, a union or a scalar that is a message; a thunk because types may be recursive. */
  readonly plan: () => MessagePlan
  /** The wire type of a value; for a list, the wire type of an item. */
  readonly wireType: number
}

export interface MessageField {
  readonly json: string
  /** The name in descriptors, for errors. */
  readonly name: string
  readonly number: number
  readonly node: MessageNode
  readonly pointer: boolean
  readonly inline: boolean
  /** Many messages may have the same value (`settled.ts`). */
  readonly shared: boolean
}

export interface MessagePlan {
  /** Sorted by number, the order of encoding. */
  readonly byNumber: readonly MessageField[]
  /** Fields of `byNumber` that are written also when an object has no value for them. */
  readonly always: readonly MessageField[]
  /** All but the inlined ones, by their names in JSON. */
  readonly named: ReadonlyMap<string, MessageField>
  /** Lists and maps that are not pointers: decoding creates a container for each, present or not. */
  readonly containers: readonly MessageField[]
  /** Returns the field with that number. */
  readonly field: (number: number) => MessageField | undefined
}

/** Plans by shape. Kinds share the types that they have in common. */
const plans = new WeakMap<TypeShape, MessagePlan>()

/** Called at the first use of a type. Throws for types that protobuf cannot hold: lists or maps in each other. */
export function messagePlanOf(shape: TypeShape): MessagePlan {
  let plan = plans.get(shape)
  if (plan === undefined) {
    plan = makePlan(shape)
    plans.set(shape, plan)
  }
  return plan
}

function makePlan(shape: TypeShape): MessagePlan {
  const byNumber = shape.fields
    .flatMap((field) => (field.number === undefined ? [] : [planField(field, field.number)]))
    .sort((one, other) => one.number - other.number)
  return {
    byNumber,
    always: byNumber.filter(({ inline, node, pointer }) => inline || (!pointer && hasZero(node))),
    named: new Map(byNumber.flatMap((field) => (field.inline ? [] : [[field.json, field]]))),
    containers: byNumber.filter(({ node, pointer }) => !pointer && (node.operation === "list" || node.operation === "map")),
    field: finder(byNumber),
  }
}

/** Whether a value of this type that is absent is written as zero. */
function hasZero({ operation }: MessageNode): boolean {
  return !withoutZero.has(operation)
}

const withoutZero: ReadonlySet<MessageOperation> = new Set(["list", "map", "union", "wrappedList", "any", "bytes", "FieldsV1"])

/** Numbers below this are looked up in an array; a type may have larger ones. */
const arrayNumbersMax = 256

function finder(byNumber: readonly MessageField[]): MessagePlan["field"] {
  if ((byNumber.at(-1)?.number ?? 0) >= arrayNumbersMax) {
    const fields = new Map(byNumber.map((field) => [field.number, field]))
    return (number) => fields.get(number)
  }
  const fields: (MessageField | undefined)[] = new Array((byNumber.at(-1)?.number ?? 0) + 1).fill(undefined)
  for (const field of byNumber) fields[field.number] = field
  return (number) => (number < fields.length ? fields[number] : undefined)
}

function planField(field: FieldShape, number: number): MessageField {
  return {
    json: field.name,
    name: field.protoName ?? field.name,
    number,
    node: nodeOf(field.type),
    pointer: field.pointer === true,
    inline: field.inline === true,
    shared: field.selfContained === true,
  }
}

function nodeOf(type: TypeRef): MessageNode {
  if ("list" in type) {
    const item = singleOf(type.list)
    return { operation: "list", item, plan: noPlan, wireType: item.wireType }
  }
  if ("map" in type) return { operation: "map", item: singleOf(type.map), plan: noPlan, wireType: wireType.bytes }
  return singleOf(type)
}

function singleOf(type: TypeRef): MessageNode {
  if ("scalar" in type) return scalarNode(type.scalar)
  if ("wrappedList" in type) return { operation: "wrappedList", item: singleOf(type.wrappedList), plan: noPlan, wireType: wireType.bytes }
  if ("ref" in type) return messageNode("object", type.ref)
  if ("union" in type) return messageNode("union", type.union)
  throw new Error("the compact encoding has no lists of lists or maps of lists without a name")
}

function messageNode(operation: "object" | "union", shape: () => TypeShape): MessageNode {
  let plan: MessagePlan | undefined
  const resolve = (): MessagePlan => {
    plan ??= messagePlanOf(shape())
    return plan
  }
  return { operation, item: undefined, plan: resolve, wireType: wireType.bytes }
}

function scalarNode(scalar: Scalar): MessageNode {
  const plan = isMessageScalar(scalar) ? () => messagePlanOf(scalarMessages[scalar]) : noPlan
  return { operation: scalar, item: undefined, plan, wireType: wireTypes[scalar] ?? wireType.bytes }
}

/** Scalars that are not length-delimited. */
const wireTypes: Partial<Readonly<Record<Scalar, number>>> = {
  boolean: wireType.varint,
  int32: wireType.varint,
  int64: wireType.varint,
  double: wireType.fixed64,
}

function noPlan(): MessagePlan {
  throw new Error("only messages have fields")
}

/** The node of the items of a list or the values of a map. */
export function messageItemOf(node: MessageNode): MessageNode {
  if (node.item === undefined) throw new Error("lists and maps have items")
  return node.item
}
