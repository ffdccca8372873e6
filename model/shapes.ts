/** The shapes of a model's types, as generated code holds them, for checks of the generator that decode a value. */
import type { FieldShape, TypeRef, TypeShape } from "../runtime/schema/shape.ts"
import type { FieldModel, TypeModel, TypeRefModel } from "./model.ts"

/** The parts of a type that its shape needs. */
export type ShapeSource = Pick<TypeModel, "fields" | "preserveUnknown">

/**
 * Returns a function from the unique name of a type to its shape. Shapes are built on first use and kept. `sourceOf`
 * is called once per type; it must know every type that a field refers to.
 */
export function shapesOf(sourceOf: (name: string) => ShapeSource): (name: string) => TypeShape {
  const known = new Map<string, TypeShape>()
  const shapeOf = (name: string): TypeShape => {
    const kept = known.get(name)
    if (kept !== undefined) return kept
    const { fields, preserveUnknown } = sourceOf(name)
    const made: TypeShape = { name, fields: fields.map((field) => fieldShape(field, shapeOf)), ...(preserveUnknown && { preserveUnknown }) }
    known.set(name, made)
    return made
  }
  return shapeOf
}

/** The parts of a field that decoding and the compact encoding read. */
export function fieldShape(field: FieldModel, shapeOf: (name: string) => TypeShape): FieldShape {
  const { name, number, inline, pointer, nullable, keepEmpty, constant } = field
  return {
    name,
    type: typeRef(field.type, shapeOf),
    ...(number !== undefined && { number }),
    ...(inline && { inline }),
    ...(pointer && { pointer }),
    ...(nullable && { nullable }),
    ...(keepEmpty && { keepEmpty }),
    ...(constant !== undefined && { constant }),
  }
}

function typeRef(type: TypeRefModel, shapeOf: (name: string) => TypeShape): TypeRef {
  if ("scalar" in type) return { scalar: type.scalar }
  if ("list" in type) return { list: typeRef(type.list, shapeOf) }
  if ("map" in type) return { map: typeRef(type.map, shapeOf) }
  if ("wrappedList" in type) return { wrappedList: typeRef(type.wrappedList, shapeOf) }
  if ("union" in type) {
    const { union } = type
    return { union: () => shapeOf(union) }
  }
  const name = type.ref
  return { ref: () => shapeOf(name) }
}
