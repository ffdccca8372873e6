/** Parses the stored JSON of an object that is going to be changed. */
import { sharedSet } from "../apply/ownership/shared-sets.ts"
import { assert } from "../base/assert.ts"
import { type ApiObject, isObject, type JsonObject } from "../base/json.ts"
import { endOfObject } from "../encoding/json/end-of-object.ts"
import { isPlaceholder, withPlaceholders } from "../encoding/json/placeholders.ts"
import { parseJson } from "../encoding/json/text.ts"
import type { SettledTexts } from "../encoding/settled-texts.ts"
import type { FoundValue } from "../encoding/written-texts.ts"
import type { Stages } from "../base/turns.ts"
import { parseObject } from "./object-codec.ts"

/** The text before a field set in managedFields. It cannot occur inside a string, where quotes are escaped. */
const beforeSet = '"fieldsType":"FieldsV1","fieldsV1":'

/** Replaces a field set that was cut out. No field set is a number. */
const setPlaceholder = 0

/**
 * As `parseObject`, but the field sets in managedFields and the settled value are shared with other objects: do not
 * modify them in place. The update loop and deletions call this. Field sets are most of an object, and most equal the
 * field sets of neighbouring objects. `settled`: the known values of the kind's field. Absent: the kind has none.
 */
export function readToChange(json: Buffer, settled?: SettledTexts): ApiObject {
  const value = settled?.findStored(json)
  const text = value === undefined ? json.toString("utf8") : withPlaceholders(json, [value])
  const { rest, setTexts } = withoutSets(text)
  const sets: JsonObject[] = []
  for (const setText of setTexts) {
    const set = sharedSet(setText)
    if (set === undefined) return parseObject(json)
    sets.push(set)
  }
  const object = objectOf(rest)
  return putBack(object, sets) && putValueBack(object, settled, value) ? object : parseObject(json)
}

/** As `readToChange`, in stages: one for each field set, and one for the rest. Called for large objects. */
export function* readingToChange(json: Buffer): Stages<ApiObject> {
  // The bytes may be overwritten after a turn.
  const text = json.toString("utf8")
  const { rest, setTexts } = withoutSets(text)
  const sets: JsonObject[] = []
  for (const setText of setTexts) {
    yield
    const set = sharedSet(setText)
    sets.push(set ?? objectOf(setText))
  }
  yield
  const object = objectOf(rest)
  if (putBack(object, sets)) return object
  yield
  return objectOf(text)
}

/** Cuts the field sets out of the text, leaving a number in the place of each, and returns both. */
function withoutSets(text: string): { readonly rest: string; readonly setTexts: readonly string[] } {
  const setTexts: string[] = []
  let rest = ""
  let from = 0
  for (let at = text.indexOf(beforeSet); at >= 0; at = text.indexOf(beforeSet, from)) {
    const start = at + beforeSet.length
    const end = endOfObject(text, start)
    // The parser reports the fault.
    if (end < 0) return { rest: text, setTexts: [] }
    setTexts.push(text.slice(start, end))
    rest += text.slice(from, start) + setPlaceholder
    from = end
  }
  return { rest: rest + text.slice(from), setTexts }
}

function objectOf(text: string): ApiObject {
  const { value } = parseJson(text)
  assert(isObject(value), "a stored value is an object")
  return value
}

/** Puts the settled value back. Returns false if it was another field of that name than the object's own. */
function putValueBack(object: ApiObject, settled: SettledTexts | undefined, found: FoundValue | undefined): boolean {
  if (settled === undefined || found === undefined) return true
  if (!isPlaceholder(object[settled.field])) return false
  object[settled.field] = found.value
  return true
}

/** Puts the field sets back. Returns false if any of them was not in the object's own managedFields. */
function putBack(object: ApiObject, sets: readonly JsonObject[]): boolean {
  if (sets.length === 0) return true
  const entries = object.metadata?.managedFields
  if (entries?.length !== sets.length) return false
  for (const [index, entry] of entries.entries()) {
    if (entry.fieldsV1 !== setPlaceholder) return false
    entry.fieldsV1 = sets[index]
  }
  return true
}
