/**
 * The size of an object that a hook returned. It is stored, and later sent to hooks with other objects, so it has the
 * limits of a client's object: one with a million values would make every list of its kind fail.
 */
import type { JsonValue } from "../../base/json.ts"
import { documentDepthMax, documentValuesMax, objectFieldsMax } from "../../base/limits.ts"

/**
 * Returns the number of values in a document. Throws an Error that says which limit it exceeds. `before`: the document
 * before conversion, which is older than the limits if it exceeds them.
 */
export function checkedSize(returned: JsonValue | undefined, before: JsonValue): number {
  const { depth, fields, values } = sizeOf(returned ?? null)
  if (values <= documentValuesMax && depth <= documentDepthMax && fields <= objectFieldsMax) return values
  const old = sizeOf(before)
  if (values > Math.max(documentValuesMax, old.values)) throw new Error(`it has more than ${documentValuesMax} values`)
  if (depth > Math.max(documentDepthMax, old.depth)) throw new Error(`it is nested more than ${documentDepthMax} times`)
  if (fields > Math.max(objectFieldsMax, old.fields)) throw new Error(`an object in it has more than ${objectFieldsMax} fields`)
  return values
}

interface Size {
  /** Objects, lists and scalars. */
  readonly values: number
  readonly depth: number
  /** Fields of the largest object. */
  readonly fields: number
}

/** Iterates by level, without recursion: a hook may nest deeper than the stack. */
function sizeOf(document: JsonValue): Size {
  let [values, depth, fields] = [0, 0, 0]
  for (let level: JsonValue[] = [document]; level.length > 0; depth++) {
    const below: JsonValue[] = []
    values += level.length
    for (const value of level) {
      if (typeof value !== "object" || value === null) continue
      const inner = Array.isArray(value) ? value : Object.values(value)
      if (!Array.isArray(value)) fields = Math.max(fields, inner.length)
      for (const one of inner) if (one !== undefined) below.push(one)
    }
    level = below
  }
  // The level of scalars does not count.
  return { values, depth: depth - 1, fields }
}
