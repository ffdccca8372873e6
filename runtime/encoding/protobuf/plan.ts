/**
 * Encoding plans: the shape of a type combined with its message, built once per kind, so that encoding and decoding
 * need no look-ups.
 */
import protobuf from "protobufjs"
import type { FieldShape, Scalar, TypeRef, TypeShape } from "../../schema/shape.ts"

export type MessageOperation = Scalar | "list" | "map" | "object" | "wrappedList"

export interface MessageNode {
  readonly operation: MessageOperation
  readonly item: MessageNode | undefined
  /** For objects; a thunk because types may be recursive. */
  readonly plan: () => MessagePlan
  /** Names of fields 1, 2 and 3 in the message of a special scalar, or of the wrapper of a list. */
  readonly names: readonly string[]
}

export interface MessageField {
  readonly json: string
  readonly property: string
  readonly number: number
  readonly node: MessageNode
  readonly pointer: boolean
  readonly inline: boolean
}

export interface MessagePlan {
  /** Sorted as in the shape. */
  readonly fields: readonly MessageField[]
  /** Sorted by number, the order of encoding. */
  readonly byNumber: readonly MessageField[]
}

/** Called once per kind. Throws when `shape` and `type` disagree; both come from one schema. */
export function messagePlanOf(shape: TypeShape, type: protobuf.Type): MessagePlan {
  return planIn(shape, type, new Map())
}

/** `known`: types whose plan exists or is being built. */
function planIn(shape: TypeShape, type: protobuf.Type, known: Map<TypeShape, MessagePlan>): MessagePlan {
  const existing = known.get(shape)
  if (existing !== undefined) return existing
  const fields: MessageField[] = []
  const byNumber: MessageField[] = []
  const plan: MessagePlan = { fields, byNumber }
  known.set(shape, plan)
  for (const field of shape.fields) if (field.number !== undefined) fields.push(planField(field, field.number, fieldOf(type, field), known))
  byNumber.push(...fields.toSorted((one, other) => one.number - other.number))
  return plan
}

function fieldOf(type: protobuf.Type, field: FieldShape): protobuf.Field {
  const found = type.fields[field.protoName ?? field.name]
  if (found === undefined || found.id !== field.number)
    throw new Error(`message ${type.name} has no field ${field.name} of number ${field.number}`)
  return found.resolve()
}

function planField(field: FieldShape, number: number, reflected: protobuf.Field, known: Map<TypeShape, MessagePlan>): MessageField {
  return {
    json: field.name,
    property: reflected.name,
    number,
    node: nodeOf(field.type, reflected.resolvedType, known),
    pointer: field.pointer === true,
    inline: field.inline === true,
  }
}

function nodeOf(type: TypeRef, reflected: protobuf.Type | protobuf.Enum | null, known: Map<TypeShape, MessagePlan>): MessageNode {
  if ("list" in type) return { operation: "list", item: nodeOf(type.list, reflected, known), plan: noPlan, names: [] }
  if ("map" in type) return { operation: "map", item: nodeOf(type.map, reflected, known), plan: noPlan, names: [] }
  const names = reflected instanceof protobuf.Type ? [1, 2, 3].map((id) => reflected.fieldsById[id]?.name ?? "") : []
  if ("wrappedList" in type) {
    const items = reflected instanceof protobuf.Type ? (reflected.fieldsById[1]?.resolve().resolvedType ?? null) : null
    return { operation: "wrappedList", item: nodeOf(type.wrappedList, items, known), plan: noPlan, names }
  }
  if ("scalar" in type) return { operation: type.scalar, item: undefined, plan: noPlan, names }
  let plan: MessagePlan | undefined
  const resolve = (): MessagePlan => {
    if (!(reflected instanceof protobuf.Type)) throw new Error(`the descriptor has no message for ${type.ref().name}`)
    plan ??= planIn(type.ref(), reflected, known)
    return plan
  }
  return { operation: "object", item: undefined, plan: resolve, names }
}

function noPlan(): MessagePlan {
  throw new Error("only objects have fields")
}

/** The node of the items of a list or the values of a map. */
export function messageItemOf(node: MessageNode): MessageNode {
  if (node.item === undefined) throw new Error("lists and maps have items")
  return node.item
}
