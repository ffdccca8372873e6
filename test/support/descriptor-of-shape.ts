/**
 * The protobuf descriptor of a type, in the reflection JSON of protobufjs, derived from its shape: with it, protobufjs
 * reads and writes the server's bytes.
 */
import { isObject, type JsonObject } from "../../runtime/base/json.ts"
import { isMessageScalar, scalarMessages } from "../../runtime/schema/scalar-messages.ts"
import type { FieldShape, Scalar, TypeRef, TypeShape } from "../../runtime/schema/shape.ts"

/** Scalars with another name in protobuf. */
const scalarNames: Partial<Readonly<Record<Scalar, string>>> = { boolean: "bool" }

/**
 * Packages follow the dots of type names. Fields are named `protoName ?? name`. Every message is proto2: present zero
 * values are written and lists are not packed.
 */
export function descriptorOfShape(shape: TypeShape): JsonObject {
  const messages = new Map<string, JsonObject>()
  addMessage(messages, shape)
  const root: JsonObject = { nested: {} }
  for (const [name, fields] of messages) place(root, name.split("."), fields)
  return root
}

function place(scope: JsonObject, [name, ...rest]: readonly string[], fields: JsonObject): void {
  if (name === undefined) return
  const nested = isObject(scope.nested) ? scope.nested : {}
  scope.nested = nested
  if (rest.length === 0) {
    nested[name] = { edition: "proto2", fields }
    return
  }
  const inner = isObject(nested[name]) ? nested[name] : {}
  nested[name] = inner
  place(inner, rest, fields)
}

function addMessage(messages: Map<string, JsonObject>, shape: TypeShape): string {
  if (messages.has(shape.name)) return shape.name
  const fields: JsonObject = {}
  messages.set(shape.name, fields)
  for (const field of shape.fields) {
    if (field.number !== undefined) fields[field.protoName ?? field.name] = fieldDescriptor(messages, field, field.number)
  }
  return shape.name
}

function fieldDescriptor(messages: Map<string, JsonObject>, field: FieldShape, id: number): JsonObject {
  const { type } = field
  if ("list" in type) return { rule: "repeated", type: typeName(messages, type.list), id }
  if ("map" in type) return { keyType: "string", type: typeName(messages, type.map), id }
  return { type: typeName(messages, type), id }
}

function typeName(messages: Map<string, JsonObject>, type: TypeRef): string {
  if ("ref" in type) return addMessage(messages, type.ref())
  if ("union" in type) return addMessage(messages, type.union())
  if ("wrappedList" in type) {
    const item = typeName(messages, type.wrappedList)
    const name = `lists.${item.replaceAll(".", "_")}`
    messages.set(name, { items: { rule: "repeated", type: item, id: 1 } })
    return name
  }
  if (!("scalar" in type)) throw new Error("protobuf has no lists of lists or maps of lists without a name")
  if (isMessageScalar(type.scalar)) return addMessage(messages, scalarMessages[type.scalar])
  return scalarNames[type.scalar] ?? type.scalar
}
