import { ListValue, MapValue, OpaqueValue, type Result } from "./value.ts"

/** Up to this length a loop is faster than a pattern. */
const shortText = 24
const surrogate = /[\ud800-\udbff]/

/** The number of code points. A half of a surrogate pair counts as one. */
export function codePoints(text: string): number {
  if (text.length > shortText && !surrogate.test(text)) return text.length
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0xd800 || unit > 0xdbff) continue
    const next = text.charCodeAt(at + 1)
    if (next >= 0xdc00 && next <= 0xdfff) {
      count--
      at++
    }
  }
  return count
}

/** The size from which run-time costs are computed: the result of size(), and 1 for other values and for errors. */
export function sizeOf(value: Result): number {
  if (typeof value === "string") return codePoints(value)
  if (value instanceof ListValue || value instanceof MapValue || value instanceof OpaqueValue) return value.size
  return value instanceof Uint8Array ? value.length : 1
}
