/**
 * The size of a config map or secret: the bytes of its values, without keys (catalog validation.yaml: ConfigMap,
 * Secret).
 */
import { isObject, type JsonValue } from "../../base/json.ts"

/** Limit on the values of one config map or secret together. */
export const contentBytesMax = 1024 * 1024

/** Bytes of the values of a map of texts; 0 for an absent map. */
export function textBytes(map: JsonValue | undefined): number {
  return sum(map, (text) => Buffer.byteLength(text))
}

/** Decoded bytes of the values of a map of base64 texts; 0 for an absent map. */
export function encodedBytes(map: JsonValue | undefined): number {
  return sum(map, (text) => Buffer.byteLength(text, "base64"))
}

function sum(map: JsonValue | undefined, bytes: (text: string) => number): number {
  if (!isObject(map)) return 0
  let total = 0
  // With many fields `Object.values` takes twice as long.
  for (const name in map) {
    const value = map[name]
    if (typeof value === "string") total += bytes(value)
  }
  return total
}
