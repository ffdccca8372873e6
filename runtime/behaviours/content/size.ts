/**
 * The size of a config map or secret: the bytes of its values, without keys (catalog validation.yaml: ConfigMap,
 * Secret).
 */
type Texts = Readonly<Record<string, string>> | undefined

/** Limit on the values of one config map or secret together. */
export const contentBytesMax = 1024 * 1024

/** Bytes of the values of a map of texts; 0 for an absent map. */
export function textBytes(map: Texts): number {
  return sum(map, (text) => Buffer.byteLength(text))
}

/** Decoded bytes of the values of a map of base64 texts; 0 for an absent map. */
export function encodedBytes(map: Texts): number {
  return sum(map, (text) => Buffer.byteLength(text, "base64"))
}

function sum(map: Texts, bytes: (text: string) => number): number {
  let total = 0
  // With many fields `Object.values` takes twice as long.
  for (const name in map) {
    const value = map[name]
    if (value !== undefined) total += bytes(value)
  }
  return total
}
