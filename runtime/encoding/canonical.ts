/** Canonical forms of the plain scalars: integers of a given width and base64 text. */
import type { JsonValue } from "../base/json.ts"

const int32Max = 2 ** 31 - 1
const int64Min = -(2n ** 63n)
const int64Max = 2n ** 63n - 1n

/**
 * Returns the number, as `bigint` where a double would lose digits. Undefined when the value is not an integer of that
 * width.
 */
export function canonicalInteger(width: "int32" | "int64", value: JsonValue): number | bigint | undefined {
  if (typeof value === "number") {
    if (!Number.isInteger(value)) return undefined
    if (width === "int32") return value <= int32Max && value >= -int32Max - 1 ? value : undefined
    return Number.isSafeInteger(value) ? value : canonicalInteger(width, BigInt(value))
  }
  if (typeof value !== "bigint" || value < int64Min || value > int64Max) return undefined
  const narrow = Number(value)
  if (Number.isSafeInteger(narrow)) return canonicalInteger(width, narrow)
  return width === "int64" ? value : undefined
}

/**
 * Returns the double nearest to a number, in the form in which a decoded document has it: a `bigint` of the digits that
 * JSON shows when it is whole and beyond the safe integers. An object from a request then equals the stored one.
 */
export function canonicalDouble(value: number | bigint): number | bigint {
  const double = Number(value)
  if (!Number.isInteger(double) || Number.isSafeInteger(double)) return double
  const text = String(double)
  return text.includes("e") ? double : BigInt(text)
}

/** Names the type that `canonicalInteger` accepts, for messages. */
export function expectedInteger(width: "int32" | "int64"): string {
  return width === "int32" ? `a whole number from ${-int32Max - 1} to ${int32Max}` : `a whole number from ${int64Min} to ${int64Max}`
}

const equals = 0x3d

/**
 * Returns standard base64 with padding, as the reference writes it. Line breaks and stray bits are accepted and
 * dropped. Undefined when the text is not base64.
 */
export function canonicalBase64(text: string): string | undefined {
  const compact = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, "") : text
  const length = compact.length
  if (length % 4 !== 0) return undefined
  if (length === 0) return ""
  const padding = compact.charCodeAt(length - 1) !== equals ? 0 : compact.charCodeAt(length - 2) !== equals ? 1 : 2
  for (let index = 0; index < length - padding; index++) {
    if (!isBase64Digit(compact.charCodeAt(index))) return undefined
  }
  return padding === 0 ? compact : Buffer.from(compact, "base64").toString("base64")
}

function isBase64Digit(code: number): boolean {
  return (
    (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2f
  )
}
