/**
 * Checks of numbers. The reference compares integers as int64, with limits truncated to integers: it refuses an integer
 * above `maximum: 2.5` as above 2. Limits beyond int64 become its ends, like the reference's on arm64; on amd64 they
 * become the smallest int64.
 */
import type { Failure } from "../../base/failure.ts"
import { aboveMaximum, belowMinimum, factorNotPositive, noMultiple } from "./faults.ts"
import { floatText } from "../../base/go-text.ts"
import type { NumberLimits } from "./plan.ts"

const int64Max = 2n ** 63n - 1n
const int64Min = -(2n ** 63n)
const int64End = 2 ** 63

/**
 * Whether the reference decodes a number as int64; it decodes all others as float64. Our decoder reads integers beyond
 * 2^53 as bigint, so a larger number was written with a fraction or an exponent.
 */
export function isInt64(value: number | bigint): boolean {
  return typeof value === "bigint" ? value >= int64Min && value <= int64Max : Number.isSafeInteger(value)
}

/** Calls `fail` for each limit that the number exceeds. */
export function checkNumber(value: number | bigint, limits: NumberLimits, name: () => string, fail: (failure: Failure) => void): void {
  const isInteger = isInt64(value)
  const number = isInteger ? value : Number(value)
  const limit = isInteger ? truncated : itself
  if (limits.multipleOf !== undefined) checkFactor(number, limit(limits.multipleOf), isInteger, name, fail)
  if (limits.minimum !== undefined) {
    const minimum = limit(limits.minimum)
    if (number < minimum || (limits.exclusiveMinimum && number === minimum))
      fail(belowMinimum(name(), number, textOf(minimum, isInteger), limits.exclusiveMinimum))
  }
  if (limits.maximum !== undefined) {
    const maximum = limit(limits.maximum)
    if (number > maximum || (limits.exclusiveMaximum && number === maximum))
      fail(aboveMaximum(name(), number, textOf(maximum, isInteger), limits.exclusiveMaximum))
  }
}

function textOf(limit: number | bigint, isInteger: boolean): string {
  return isInteger ? String(limit) : floatText(Number(limit))
}

function itself(limit: number): number {
  return limit
}

/** Exact within int64: a number if safe, else bigint. */
function truncated(limit: number): number | bigint {
  if (limit >= int64End) return int64Max
  if (limit < -int64End) return int64Min
  const whole = Math.trunc(limit)
  return Number.isSafeInteger(whole) ? whole : BigInt(whole)
}

function checkFactor(
  value: number | bigint,
  factor: number | bigint,
  isInteger: boolean,
  name: () => string,
  fail: (failure: Failure) => void,
): void {
  if (factor <= 0) fail(factorNotPositive(name(), factor))
  else if (!(isInteger ? isIntegerMultiple(value, factor) : isFloatMultiple(Number(value), Number(factor))))
    fail(noMultiple(name(), value, textOf(factor, isInteger)))
}

function isIntegerMultiple(value: number | bigint, factor: number | bigint): boolean {
  return typeof value === "number" && typeof factor === "number" ? value % factor === 0 : BigInt(value) % BigInt(factor) === 0n
}

/** Divides as the reference does, with its tolerance of a relative error of 1e-9. */
function isFloatMultiple(value: number, factor: number): boolean {
  const times = factor < 1 ? (1 / factor) * value : value / factor
  if (!(Math.abs(times) <= Number.MAX_SAFE_INTEGER)) return false
  const whole = Math.trunc(times)
  if (times === whole) return true
  if (whole <= 0) return false
  return (times - whole) / (times + whole) < 1e-9
}
