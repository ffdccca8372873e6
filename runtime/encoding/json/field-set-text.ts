/**
 * The texts of field sets (FieldsV1). Both encodings of an object hold them, most writes leave most of them unchanged,
 * and their names have quotes to escape: writing them each time would be half of the cost of writing an object.
 */
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { isObject } from "../../base/json.ts"
import { stringify } from "./text.ts"

/**
 * The texts of sets that many objects share, and of the larger parts of sets: the set of a write shares most parts with
 * the one before. No code changes a set in place, so its text stays the same for its lifetime.
 */
const kept = new WeakMap<JsonObject, string>()
/** Shorter texts of parts are not worth an entry. */
const keptPartCharacters = 256

/** The sets whose texts were made last: an object has its two encodings one after the other. */
const latest: { set: JsonObject | undefined; text: string }[] = Array.from({ length: 4 }, () => ({ set: undefined, text: "" }))
let place = 0

/** The JSON of a set. Called by every encoding of an object, for each manager. */
export function fieldSetText(set: JsonValue): string {
  if (!isObject(set)) return stringify(set)
  for (const made of latest) if (made.set === set) return made.text
  const known = kept.get(set)
  if (known !== undefined) return known
  const made = latest[place++ % latest.length]
  const text = textOfParts(set)
  if (made !== undefined) {
    made.set = set
    made.text = text
  }
  return text
}

/** The parts are the sets of the object's fields: metadata, spec and the like. */
function textOfParts(set: JsonObject): string {
  let text = "{"
  for (const element in set) {
    const part = set[element]
    if (part === undefined) continue
    if (text.length > 1) text += ","
    text += `${JSON.stringify(element)}:${isObject(part) ? partText(part) : stringify(part)}`
  }
  return `${text}}`
}

function partText(part: JsonObject): string {
  const known = kept.get(part)
  if (known !== undefined) return known
  const text = stringify(part)
  if (text.length >= keptPartCharacters) kept.set(part, text)
  return text
}

/** Called with a set that many objects share, and its text. */
export function keepFieldSetText(set: JsonObject, text: string): void {
  kept.set(set, text)
}

/** The JSON of the entries of `metadata.managedFields`. */
export function managedFieldsText(entries: readonly JsonObject[]): string {
  return managedFieldsPieces(entries).join("")
}

/** The same JSON in pieces: the texts of sets are long, and joining them copies them. */
export function managedFieldsPieces(entries: readonly JsonObject[]): string[] {
  const pieces: string[] = []
  let text = "["
  for (const [index, entry] of entries.entries()) {
    text += index === 0 ? "{" : ",{"
    let isFirst = true
    for (const name in entry) {
      const value = entry[name]
      if (value === undefined) continue
      text += `${isFirst ? "" : ","}${JSON.stringify(name)}:`
      isFirst = false
      if (name !== "fieldsV1") text += stringify(value)
      else {
        pieces.push(text, fieldSetText(value))
        text = ""
      }
    }
    text += "}"
  }
  pieces.push(`${text}]`)
  return pieces
}
