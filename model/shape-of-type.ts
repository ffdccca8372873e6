/** The shape of a type of the model: the same data that the generator prints into `shape.ts`. */
import type { FieldShape, TypeRef, TypeShape } from "../runtime/schema/shape.ts"
import type { FieldModel, Model, TypeRefModel } from "./model.ts"

const known = new WeakMap<Model, Map<string, TypeShape>>()

/**
 * Returns the shape of the type with that unique name, the same object for each call. Throws for a name that the model
 * does not have, which the loader has ruled out.
 */
export function shapeOfType(model: Model, name: string): TypeShape {
  const shapes = known.get(model) ?? new Map<string, TypeShape>()
  known.set(model, shapes)
  const found = shapes.get(name)
  if (found !== undefined) return found
  const type = model.types.get(name)
  if (type === undefined) throw new Error(`the model has no type ${name}`)
  const shape: TypeShape = {
    name,
    fields: type.fields.map((field) => fieldShape(model, field)),
    ...(type.preserveUnknown && { preserveUnknown: true }),
    ...(type.structType !== undefined && { struct: type.structType }),
  }
  shapes.set(name, shape)
  return shape
}

function fieldShape(model: Model, field: FieldModel): FieldShape {
  const { name, number, protoName, listType, mapKeys, mapType, structType, patch, mergeKey, default: value } = field
  return {
    name,
    type: typeRef(model, field.type),
    ...(number !== undefined && { number }),
    ...(protoName !== undefined && { protoName }),
    ...(field.inline && { inline: true }),
    ...(field.pointer && { pointer: true }),
    ...(field.keepEmpty && { keepEmpty: true }),
    ...(field.required !== false && { required: true }),
    ...(listType !== undefined && { listType }),
    ...(mapKeys !== undefined && { mapKeys }),
    ...(mapType !== undefined && { mapType }),
    ...(structType !== undefined && { structType }),
    ...(patch !== undefined && { patch }),
    ...(mergeKey !== undefined && { mergeKey }),
    ...(value !== undefined && { default: value }),
  }
}

function typeRef(model: Model, type: TypeRefModel): TypeRef {
  if ("scalar" in type) return type
  if ("list" in type) return { list: typeRef(model, type.list) }
  if ("map" in type) return { map: typeRef(model, type.map) }
  if ("wrappedList" in type) return { wrappedList: typeRef(model, type.wrappedList) }
  const { ref } = type
  return { ref: () => shapeOfType(model, ref) }
}
