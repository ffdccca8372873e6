import { errorOf, noSuchOverload } from "./error.ts"
import { compareDoubleInteger, compareIntegers } from "./number.ts"
import { Duration, Timestamp } from "./time.ts"
import { Double, type ErrorValue, Uint, type Value } from "./value.ts"

const unordered = errorOf("NaN values cannot be ordered")

/** -1, 0 or 1; an error for values without an order, and for NaN. Numbers of all types have one order. */
export function compare(one: Value, other: Value): number | ErrorValue {
  if (typeof one === "number" && typeof other === "number") return one < other ? -1 : one > other ? 1 : 0
  if (typeof one === "string") return typeof other === "string" ? compareTexts(one, other) : noSuchOverload()
  if (typeof one === "boolean") return typeof other === "boolean" ? Number(one) - Number(other) : noSuchOverload()
  if (one instanceof Timestamp) return other instanceof Timestamp ? compareTimes(one, other) : noSuchOverload()
  if (one instanceof Duration) {
    return other instanceof Duration ? compareIntegers(one.nanos, other.nanos) : noSuchOverload()
  }
  if (one instanceof Uint8Array) {
    return other instanceof Uint8Array ? Math.sign(Buffer.compare(one, other)) : noSuchOverload()
  }
  return compareNumbers(one, other)
}

function compareNumbers(one: Value, other: Value): number | ErrorValue {
  if (one instanceof Double) {
    if (Number.isNaN(one.value)) return unordered
    if (other instanceof Double) {
      if (Number.isNaN(other.value)) return unordered
      return one.value < other.value ? -1 : one.value > other.value ? 1 : 0
    }
    const integer = integerOf(other)
    return integer === undefined ? noSuchOverload() : compareDoubleInteger(one.value, integer)
  }
  const integer = integerOf(one)
  if (integer === undefined) return noSuchOverload()
  if (other instanceof Double) {
    return Number.isNaN(other.value) ? unordered : 0 - compareDoubleInteger(other.value, integer)
  }
  const otherInteger = integerOf(other)
  return otherInteger === undefined ? noSuchOverload() : compareIntegers(integer, otherInteger)
}

function integerOf(value: Value): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value
  return value instanceof Uint ? value.value : undefined
}

const surrogates = /[\ud800-\udfff]/

/** By code points, as UTF-8 bytes are ordered. UTF-16 orders surrogates before U+E000 to U+FFFF. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  if (!surrogates.test(one) && !surrogates.test(other)) return one < other ? -1 : 1
  const length = Math.min(one.length, other.length)
  let at = 0
  while (at < length && one.charCodeAt(at) === other.charCodeAt(at)) at++
  if (at === length) return one.length < other.length ? -1 : 1
  return weight(one.charCodeAt(at)) < weight(other.charCodeAt(at)) ? -1 : 1
}

/** Orders UTF-16 units as the code points they belong to. */
function weight(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

function compareTimes(one: Timestamp, other: Timestamp): number {
  if (one.seconds !== other.seconds) return one.seconds < other.seconds ? -1 : 1
  return one.nanos < other.nanos ? -1 : one.nanos > other.nanos ? 1 : 0
}
