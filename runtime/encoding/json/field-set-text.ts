/**
 * The texts of field sets (FieldsV1). Both encodings of an object hold them, most writes leave most of them as they
 * were, and their names have quotes to escape: they would be half of the cost of writing an object.
 */
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { isObject } from "../../base/json.ts"
import { stringify } from "./text.ts"

/** The texts of sets that many objects share. No code changes a set in place, so its text is that of its lifetime. */
const shared = new WeakMap<JsonObject, string>()

/** The sets whose texts were made last: an object has its two encodings one after the other. */
const latest: { set: JsonObject | undefined; text: string }[] = Array.from({ length: 4 }, () => ({ set: undefined, text: "" }))
let place = 0

/** The JSON of a set. Called by every encoding of an object, for each manager. */
export function fieldSetText(set: JsonValue): string {
  if (!isObject(set)) return stringify(set)
  for (const made of latest) if (made.set === set) return made.text
  const known = shared.get(set)
  if (known !== undefined) return known
  const made = latest[place++ % latest.length]
  const text = stringify(set)
  if (made !== undefined) {
    made.set = set
    made.text = text
  }
  return text
}

/** Called with a set that was parsed from `text`, which this server has written, and that many objects share. */
export function keepFieldSetText(set: JsonObject, text: string): void {
  shared.set(set, text)
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
  let text = "{"
  for (const name in entry) {
    const value = entry[name]
    if (value === undefined) continue
    if (text.length > 1) text += ","
    text += `${JSON.stringify(name)}:${name === "fieldsV1" ? fieldSetText(value) : stringify(value)}`
  }
  return `${text}}`
}
