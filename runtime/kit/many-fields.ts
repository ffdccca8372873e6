/**
 * Objects with thousands of fields whose names are whole numbers. The engine keeps such fields in an array or in a hash table, and looks again and again at
 * which of them suits: about 15 times as much memory as an array of them all would take is where it cannot decide, and 200,000 fields take 0.7 s.
 */
import type { JsonObject } from "./json.ts"

/** Fields from which it pays to say what the object becomes. */
export const manyFields = 1024

/** The largest number that is kept that way; an object that ever had it keeps its numbers in a hash table for good. */
const farName = "4294967294"

/** Called before, or while, many fields are set. */
export function expectManyFields(object: JsonObject): void {
  if (Object.hasOwn(object, farName)) return
  object[farName] = null
  delete object[farName]
}
