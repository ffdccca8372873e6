/** How much a config map or a secret holds: the values' bytes, keys not counted (catalog validation.yaml: ConfigMap, Secret). */
import { isObject, type JsonValue } from "../../kit/json.ts"

/** The most that the values of one config map or secret may come to. */
export const contentBytesMax = 1024 * 1024

/** Bytes of the values of a map of texts; 0 for an absent map. */
export function textBytes(map: JsonValue | undefined): number {
  return sum(map, (text) => Buffer.byteLength(text))
}

/** Bytes that the values of a map of base64 texts stand for; 0 for an absent map. */
export function encodedBytes(map: JsonValue | undefined): number {
  return sum(map, (text) => Buffer.byteLength(text, "base64"))
}

function sum(map: JsonValue | undefined, bytes: (text: string) => number): number {
  if (!isObject(map)) return 0
  let total = 0
  // Of many fields `Object.values` takes twice as long.
  for (const name in map) {
    const value = map[name]
    if (typeof value === "string") total += bytes(value)
  }
  return total
}
