/** The identity of an item in a list with keys. */
import type { JsonObject } from "../../base/json.ts"
import { ownField } from "../../encoding/field-path.ts"

/** A text that is equal for items with equal keys; undefined when a key is missing or not a scalar. */
export function listKey(item: JsonObject, keys: readonly string[]): string | undefined {
  let text = ""
  for (const key of keys) {
    const value = ownField(item, key)
    if (value === undefined || value === null || typeof value === "object") return undefined
    text += typeof value === "string" ? `\0${JSON.stringify(value)}` : `\0${typeof value}${String(value)}`
  }
  return text
}
