/**
 * Facts for strategic merge patch from the schema: how a field merges, and the type of its value or of its list items.
 */
import type { FieldShape, TypeRef, TypeShape } from "../schema/shape.ts"
import { patchFault } from "./patch-fault.ts"

/** The schema of an object being merged: a type, a map whose values have one type, or unknown. */
export type PatchSchema = TypeShape | { readonly values: TypeRef } | undefined

/** A field of an object being merged. */
export interface FieldSchema {
  /** For messages: `core.v1.PodSpec.containers`. */
  readonly field: string
  /** The schema of the field's object, or of its list items. */
  readonly schema: PatchSchema
  readonly strategy: "merge" | "replace" | undefined
  /** The field that identifies the items of the list. */
  readonly mergeKey: string | undefined
}

const fieldsOfShapes = new WeakMap<TypeShape, ReadonlyMap<string, FieldShape>>()

/** By JSON name; includes the fields of inline types. */
function fieldsOf(shape: TypeShape): ReadonlyMap<string, FieldShape> {
  const known = fieldsOfShapes.get(shape)
  if (known !== undefined) return known
  const fields = new Map<string, FieldShape>()
  for (const field of shape.fields) {
    if (field.inline === true && "ref" in field.type) {
      for (const [name, inner] of fieldsOf(field.type.ref())) fields.set(name, inner)
    } else fields.set(field.name, field)
  }
  fieldsOfShapes.set(shape, fields)
  return fields
}

/**
 * Throws ApiError 422 for a field that the type does not have. Only a directive can name one, since stored objects hold
 * none.
 */
export function fieldSchemaOf(schema: PatchSchema, name: string): FieldSchema {
  if (schema === undefined) return { field: name, schema: undefined, strategy: undefined, mergeKey: undefined }
  if ("values" in schema) return { field: name, schema: schemaOf(schema.values), strategy: undefined, mergeKey: undefined }
  const field = fieldsOf(schema).get(name)
  if (field === undefined) {
    if (schema.preserveUnknown === true) return fieldSchemaOf(undefined, name)
    throw patchFault(`unable to find api field in struct ${schema.name} for the json field ${JSON.stringify(name)}`)
  }
  return {
    field: `${schema.name}.${name}`,
    schema: schemaOf(field.type),
    strategy: field.patch?.includes("merge") === true ? "merge" : field.patch?.includes("replace") === true ? "replace" : undefined,
    mergeKey: field.mergeKey,
  }
}

function schemaOf(type: TypeRef): PatchSchema {
  if ("ref" in type) return type.ref()
  if ("list" in type) return schemaOf(type.list)
  if ("wrappedList" in type) return schemaOf(type.wrappedList)
  return "map" in type ? { values: type.map } : undefined
}
