/** Parses the stored JSON of an object that is going to be changed. */
import { sharedSet } from "../apply/ownership/shared-sets.ts"
import { assert } from "../base/assert.ts"
import { type ApiObject, isObject, type JsonObject } from "../base/json.ts"
import { backslash, closeBrace, openBrace, quote } from "../encoding/json/punctuation.ts"
import { parseJson } from "../encoding/json/text.ts"
import type { Stages } from "../base/turns.ts"
import { parseObject } from "./object-codec.ts"

/** The text before a field set in managedFields. It cannot occur inside a string, where quotes are escaped. */
const beforeSet = '"fieldsType":"FieldsV1","fieldsV1":'

/** Replaces a field set that was cut out. No field set is a number. */
const setPlaceholder = 0

/**
 * As `parseObject`, but the field sets in managedFields are shared with other objects: do not modify them in place. The
 * update loop calls this. Field sets are a large part of an object, and most are equal to those of its neighbours.
 */
export function readToChange(json: Buffer): ApiObject {
  const text = json.toString("utf8")
  const { rest, setTexts } = withoutSets(text)
  if (setTexts.length === 0) return objectOf(text)
  const sets: JsonObject[] = []
  for (const setText of setTexts) {
    const set = sharedSet(setText)
    if (set === undefined) return parseObject(json)
    sets.push(set)
  }
  const object = objectOf(rest)
  return putBack(object, sets) ? object : parseObject(json)
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
  if (sets.length === 0 || putBack(object, sets)) return object
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

/** Puts the field sets back. Returns false if any of them was not in the object's own managedFields. */
function putBack(object: ApiObject, sets: readonly JsonObject[]): boolean {
  const entries = object.metadata?.managedFields
  if (entries?.length !== sets.length) return false
  for (const [index, entry] of entries.entries()) {
    if (entry.fieldsV1 !== setPlaceholder) return false
    entry.fieldsV1 = sets[index]
  }
  return true
}

/** Index after the object that begins at `start`; -1 if there is none. */
function endOfObject(text: string, start: number): number {
  if (text.charCodeAt(start) !== openBrace) return -1
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfText(text, at)
    else if (code === openBrace) depth++
    else if (code === closeBrace && --depth === 0) return at + 1
  }
  return -1
}

/** Index of the closing quote of the string that opens at `start`. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) return at
    if (code === backslash) at++
  }
  return text.length
}
