/** What the published schemas say of a field besides its type and limits. */
import type { JsonObject } from "../runtime/base/json.ts"
import type { FieldModel } from "./model.ts"

/**
 * Returns the published schema of a field, of which `schema` has everything but nullable. Called for each property of
 * both document versions. As custom resources are published: version 3 has `nullable: true`; version 2 has no such
 * word, so the schema loses its type, without which kubectl accepts null. Null is also one of the values of an enum.
 */
export function withNullable(field: FieldModel, schema: JsonObject, version: "v2" | "v3"): JsonObject {
  if (field.nullable !== true) return schema
  const words = Array.isArray(schema["enum"]) ? { enum: [...schema["enum"], null] } : {}
  if (version === "v3") return { ...schema, ...words, nullable: true }
  const { type: _type, items: _items, $ref: _reference, ...rest } = schema
  return { ...rest, ...words }
}

/** Whether a document lists the field as required. Version 2 does not: there a required field is never null. */
export function mayBeRequired(field: FieldModel, version: "v2" | "v3"): boolean {
  return version === "v3" || field.nullable !== true
}
