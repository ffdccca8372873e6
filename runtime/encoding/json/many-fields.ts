/**
 * Objects with thousands of fields whose names are integers. V8 keeps such fields in an array or in a hash table and
 * reconsiders the choice as they grow. Where an array would take about 15 times as much memory as the fields, it keeps
 * switching, and 200,000 fields take 0.7 s.
 */
import type { JsonObject } from "../../base/json.ts"

/** From this many fields on, it pays to fix the representation. */
export const manyFields = 1024

/** The largest integer name. An object that ever had it keeps its integer fields in a hash table for good. */
const dictionaryModeKey = "4294967294"

/** Fixes the representation as a hash table. Called before, or while, many fields are set. */
export function forceDictionaryMode(object: JsonObject): void {
  if (Object.hasOwn(object, dictionaryModeKey)) return
  object[dictionaryModeKey] = null
  delete object[dictionaryModeKey]
}
