/** Descriptions of definitions, without sentences that the fields referring to them have too. */
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
 * Returns the text of a type without the sentences that a field of the type has too, in the same or more words: kubectl
 * explain prints the text of a field and then the text of its type. Empty when nothing remains. Called for each
 * published definition with the fields that hold the type.
 */
export function remainingText(doc: string, fields: readonly FieldModel[]): string {
  if (fields.length === 0) return doc
  const said = fields.flatMap((field) => sentencesOf(field.doc).map(wordsOf))
  return sentencesOf(doc)
    .filter((sentence) => !said.some((words) => wordsOf(sentence).every((word) => words.includes(word))))
    .join(" ")
}

function sentencesOf(doc: string): readonly string[] {
  return doc.split(/(?<=\.)\s+/)
}

/** Words that do not change the meaning of a sentence: `the pod`, `a pod`, `every pod`. */
const small: ReadonlySet<string> = new Set(["a", "an", "the", "its", "each", "every", "that", "this"])

function wordsOf(sentence: string): readonly string[] {
  return sentence
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "" && !small.has(word))
}
