/**
 * The compact descriptor of a shape, as protobufjs reads it (`Root.fromJSON`): flat, one message per type, named as the type with dots
 * as underscores (`core_v1_PodSpec`), fields named `protoName ?? name`. The special scalars are messages of their own.
 */
import type { JsonObject } from "./json.ts"
import type { FieldShape, Scalar, TypeRef, TypeShape } from "./shape.ts"

/** Message name of a type: `core.v1.PodSpec` → `core_v1_PodSpec`. */
export function messageName(typeName: string): string {
  return typeName.replaceAll(".", "_")
}

const plainScalars: Partial<Readonly<Record<Scalar, string>>> = { string: "string", boolean: "bool", int32: "int32", int64: "int64", double: "double", bytes: "bytes" }

/** Messages of the special scalars; catalog README, "Compact form". */
const specialMessages: Readonly<Record<string, JsonObject>> = {
  Time: message({ seconds: { type: "int64", id: 1 }, nanos: { type: "int32", id: 2 } }),
  MicroTime: message({ seconds: { type: "int64", id: 1 }, nanos: { type: "int32", id: 2 } }),
  Duration: message({ duration: { type: "int64", id: 1 } }),
  Quantity: message({ string: { type: "string", id: 1 } }),
  IntOrString: message({ type: { type: "int64", id: 1 }, intVal: { type: "int32", id: 2 }, strVal: { type: "string", id: 3 } }),
  RawExtension: message({ raw: { type: "bytes", id: 1 } }),
  FieldsV1: message({ raw: { type: "bytes", id: 1 } }),
  any: message({ raw: { type: "bytes", id: 1 } }),
}

function message(fields: JsonObject): JsonObject {
  return { edition: "proto2", fields }
}

/** Called for shapes that have no generated descriptor: Status, partial metadata, tests. Same layout as the generated ones. */
export function compactDescriptor(shape: TypeShape): JsonObject {
  const nested: JsonObject = {}
  addMessage(nested, shape)
  return { nested }
}

function addMessage(nested: JsonObject, shape: TypeShape): string {
  const name = messageName(shape.name)
  if (nested[name] !== undefined) return name
  const fields: JsonObject = {}
  nested[name] = message(fields)
  for (const field of shape.fields) {
    if (field.number !== undefined) fields[field.protoName ?? field.name] = fieldDescriptor(nested, field, field.number)
  }
  return name
}

function fieldDescriptor(nested: JsonObject, field: FieldShape, id: number): JsonObject {
  const { type } = field
  if ("list" in type) return { rule: "repeated", type: typeName(nested, type.list), id }
  if ("map" in type) return { keyType: "string", type: typeName(nested, type.map), id }
  return { type: typeName(nested, type), id }
}

function typeName(nested: JsonObject, type: TypeRef): string {
  if ("ref" in type) return addMessage(nested, type.ref())
  if ("wrappedList" in type) {
    const item = typeName(nested, type.wrappedList)
    const name = `${item}_List`
    nested[name] ??= message({ items: { rule: "repeated", type: item, id: 1 } })
    return name
  }
  if (!("scalar" in type)) throw new Error("the compact encoding has no lists of lists or maps of lists without a name")
  const plain = plainScalars[type.scalar]
  if (plain !== undefined) return plain
  nested[type.scalar] ??= specialMessages[type.scalar]
  return type.scalar
}
