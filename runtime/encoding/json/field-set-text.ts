/**
 * The texts of field sets (FieldsV1). Both encodings of an object hold them, most writes leave most of them as they
 * were, and their names have quotes to escape: they would be half of the cost of writing an object.
 */
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { isObject } from "../../base/json.ts"
import { stringify } from "./text.ts"

/**
 * The texts of sets that many objects share, and of the larger parts of sets: the set of a write shares most parts with
 * the one before. No code changes a set in place, so its text is that of its lifetime.
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

/** The parts are those of the fields of an object: metadata, spec and the like. */
function textOfParts(set: JsonObject): string {
  return objectText(set, (_element, part) => (isObject(part) ? partText(part) : stringify(part)))
}

function objectText(object: JsonObject, textOf: (name: string, value: JsonValue) => string): string {
  let text = "{"
  for (const name in object) {
    const value = object[name]
    if (value === undefined) continue
    if (text.length > 1) text += ","
    text += `${JSON.stringify(name)}:${textOf(name, value)}`
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
  let text = "["
  for (const entry of entries) {
    if (text.length > 1) text += ","
    text += entryText(entry)
  }
  return `${text}]`
}

function entryText(entry: JsonObject): string {
  return objectText(entry, (name, value) => (name === "fieldsV1" ? fieldSetText(value) : stringify(value)))
}
