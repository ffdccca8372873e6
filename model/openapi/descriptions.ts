/** The texts of definitions beside those of the fields that refer to them. */
import type { FieldModel, TypeRefModel } from "../model.ts"
import type { OpenApiSource } from "./source.ts"

/** Returns the fields by the type that they, their items or their values hold. Called once per document. */
export function fieldsByType(types: OpenApiSource["types"]): ReadonlyMap<string, readonly FieldModel[]> {
  const found = new Map<string, FieldModel[]>()
  for (const type of types.values()) {
    for (const field of type.fields) {
      const held = heldType(field.type)
      if (held !== undefined) found.set(held, [...(found.get(held) ?? []), field])
    }
  }
  return found
}

function heldType(type: TypeRefModel): string | undefined {
  if ("ref" in type) return type.ref
  const part = "list" in type ? type.list : "map" in type ? type.map : "wrappedList" in type ? type.wrappedList : undefined
  return part === undefined ? undefined : heldType(part)
}

/**
 * Returns the text of a type without the sentences that all `fields` of the type say already: kubectl explain prints
 * the text of a field and then that of its type. Empty when nothing remains. Called for each published definition.
 */
export function remainingText(doc: string, fields: readonly FieldModel[]): string {
  if (fields.length === 0) return doc
  return sentencesOf(doc)
    .filter((sentence) => !fields.every((field) => sentencesOf(field.doc).includes(sentence)))
    .join(" ")
}

function sentencesOf(doc: string): readonly string[] {
  return doc.split(/(?<=\.)\s+/)
}
