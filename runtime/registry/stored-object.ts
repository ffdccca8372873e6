/** An object's stored JSON, read to be changed. */
import { sharedSet } from "../apply/ownership/shared-sets.ts"
import { assert } from "../base/assert.ts"
import { type ApiObject, isObject, type JsonObject } from "../base/json.ts"
import { backslash, closeBrace, openBrace, quote } from "../encoding/json/punctuation.ts"
import { parseJson } from "../encoding/json/text.ts"
import type { Stages } from "../base/turns.ts"
import { parseObject } from "./object-codec.ts"

/** As an owner's entry is written. It can be no part of a text, where quotes are escaped. */
const beforeSet = '"fieldsType":"FieldsV1","fieldsV1":'

/** Stands where a set was: no set is a number. */
const taken = 0

/**
 * As `parseObject`, but the sets of the object's owners are shared with other objects and may not be changed in place. Called by the update loop:
 * much of an owned object are its owners' sets, and few of them are unlike those of its neighbours.
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

/** The same in stages: each long set by itself, and what is left. Called for large objects. */
export function* readingToChange(json: Buffer): Stages<ApiObject> {
  // The bytes may be gone after a turn.
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

/** The text of an object with a number in the place of each set of its owners, and the texts of these. */
function withoutSets(text: string): { readonly rest: string; readonly setTexts: readonly string[] } {
  const setTexts: string[] = []
  let rest = ""
  let from = 0
  for (let at = text.indexOf(beforeSet); at >= 0; at = text.indexOf(beforeSet, from)) {
    const start = at + beforeSet.length
    const end = endOfObject(text, start)
    // Whoever parses it says what is wrong.
    if (end < 0) return { rest: text, setTexts: [] }
    setTexts.push(text.slice(start, end))
    rest += text.slice(from, start) + taken
    from = end
  }
  return { rest: rest + text.slice(from), setTexts }
}

function objectOf(text: string): ApiObject {
  const { value } = parseJson(text)
  assert(isObject(value), "a stored value is an object")
  return value
}

/** Puts the sets in the places they were taken from; false when some stood elsewhere than in the object's own metadata. */
function putBack(object: ApiObject, sets: readonly JsonObject[]): boolean {
  const owners = object.metadata?.managedFields
  if (owners?.length !== sets.length) return false
  for (const [index, owner] of owners.entries()) {
    if (owner.fieldsV1 !== taken) return false
    owner.fieldsV1 = sets[index]
  }
  return true
}

/** Behind the object that begins at `start`; -1 when there is none. */
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

/** The closing quote of the text whose opening quote is at `start`. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) return at
    if (code === backslash) at++
  }
  return text.length
}
