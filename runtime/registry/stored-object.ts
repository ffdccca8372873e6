/** An object's stored JSON, read to be changed. */
import { sharedSet } from "../apply/ownership/shared-sets.ts"
import { assert } from "../assert.ts"
import { type ApiObject, isObject, type JsonObject } from "../kit/json.ts"
import { parseJson } from "../kit/json-text.ts"
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
  const sets: JsonObject[] = []
  let rest = ""
  let from = 0
  for (let at = text.indexOf(beforeSet); at >= 0; at = text.indexOf(beforeSet, from)) {
    const start = at + beforeSet.length
    const end = endOfObject(text, start)
    const set = end < 0 ? undefined : sharedSet(text.slice(start, end))
    if (set === undefined) return parseObject(json)
    sets.push(set)
    rest += text.slice(from, start) + taken
    from = end
  }
  const object = objectOf(sets.length === 0 ? text : rest + text.slice(from))
  return sets.length === 0 || putBack(object, sets) ? object : parseObject(json)
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
  if (text.charCodeAt(start) !== 0x7b) return -1
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = endOfText(text, at)
    else if (code === 0x7b) depth++
    else if (code === 0x7d && --depth === 0) return at + 1
  }
  return -1
}

/** The closing quote of the text whose opening quote is at `start`. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at
    if (code === 0x5c) at++
  }
  return text.length
}
