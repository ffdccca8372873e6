/** Integers of 64 bits: arithmetic that reports overflow. Results are `number` where that type is exact. */
import { int64OfNumber } from "../../runtime/base/number-text.ts"
import { Double, ErrorValue, Uint } from "./value.ts"

export type Integer = number | bigint

export const intMin = -(2n ** 63n)
export const intMax = 2n ** 63n - 1n
export const uintMax = 2n ** 64n - 1n

const intOverflow = new ErrorValue("integer overflow")
const uintOverflow = new ErrorValue("unsigned integer overflow")
const divisionByZero = new ErrorValue("division by zero")
const modulusByZero = new ErrorValue("modulus by zero")

/** The int of a bigint within 64 bits, in its canonical form. */
export function intOf(value: bigint): Integer {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value
}

/** The uint of a bigint from 0 to 2^64 - 1. */
export function uintOf(value: bigint | number): Uint {
  return new Uint(typeof value === "bigint" ? intOf(value) : value)
}

function checkedInt(value: bigint): Integer | ErrorValue {
  return value < intMin || value > intMax ? intOverflow : intOf(value)
}

function checkedUint(value: bigint): Uint | ErrorValue {
  return value < 0n || value > uintMax ? uintOverflow : uintOf(value)
}

export function addInts(one: Integer, other: Integer): Integer | ErrorValue {
  if (typeof one === "number" && typeof other === "number") {
    const sum = one + other
    if (Number.isSafeInteger(sum)) return sum
  }
  return checkedInt(BigInt(one) + BigInt(other))
}

export function subtractInts(one: Integer, other: Integer): Integer | ErrorValue {
  if (typeof one === "number" && typeof other === "number") {
    const difference = one - other
    if (Number.isSafeInteger(difference)) return difference
  }
  return checkedInt(BigInt(one) - BigInt(other))
}

export function multiplyInts(one: Integer, other: Integer): Integer | ErrorValue {
  if (typeof one === "number" && typeof other === "number") {
    const product = one * other
    // Adding zero makes -0 plain: an int has one zero.
    if (Number.isSafeInteger(product)) return product + 0
  }
  return checkedInt(BigInt(one) * BigInt(other))
}

/** Rounds toward zero. */
export function divideInts(one: Integer, other: Integer): Integer | ErrorValue {
  if (other === 0) return divisionByZero
  if (typeof one === "number" && typeof other === "number") return (one - (one % other)) / other + 0
  return checkedInt(BigInt(one) / BigInt(other))
}

/** Has the sign of the dividend. */
export function moduloInts(one: Integer, other: Integer): Integer | ErrorValue {
  if (other === 0) return modulusByZero
  if (typeof one === "number" && typeof other === "number") return (one % other) + 0
  if (other === -1 && one === intMin) return intOverflow
  return intOf(BigInt(one) % BigInt(other))
}

export function negateInt(one: Integer): Integer | ErrorValue {
  return typeof one === "number" ? 0 - one : checkedInt(-one)
}

export function addUints(one: Uint, other: Uint): Uint | ErrorValue {
  return checkedUint(BigInt(one.value) + BigInt(other.value))
}

export function subtractUints(one: Uint, other: Uint): Uint | ErrorValue {
  return checkedUint(BigInt(one.value) - BigInt(other.value))
}

export function multiplyUints(one: Uint, other: Uint): Uint | ErrorValue {
  return checkedUint(BigInt(one.value) * BigInt(other.value))
}

export function divideUints(one: Uint, other: Uint): Uint | ErrorValue {
  return other.value === 0 ? divisionByZero : uintOf(BigInt(one.value) / BigInt(other.value))
}

export function moduloUints(one: Uint, other: Uint): Uint | ErrorValue {
  return other.value === 0 ? modulusByZero : uintOf(BigInt(one.value) % BigInt(other.value))
}

/** `int(double)`: truncates toward zero. Both ends of the range are refused, as in the reference. */
export function intOfDouble(value: number): Integer | ErrorValue {
  return int64OfNumber(value) ?? intOverflow
}

export function uintOfDouble(value: number): Uint | ErrorValue {
  if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) return uintOverflow
  return uintOf(BigInt(Math.trunc(value)))
}

export function uintOfInt(value: Integer): Uint | ErrorValue {
  return value < 0 ? uintOverflow : new Uint(value)
}

export function intOfUint(value: Uint): Integer | ErrorValue {
  return value.value > intMax ? intOverflow : value.value
}

/** -1, 0 or 1, as if both were of unlimited size. */
export function compareIntegers(one: Integer, other: Integer): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** As in the reference, compares after converting the integer to a double. Neither is NaN. */
export function compareDoubleInteger(double: number, integer: Integer): number {
  const other = Number(integer)
  return double < other ? -1 : double > other ? 1 : 0
}

/** The integer that a number denotes as an index or a key; undefined when it has a fraction or is no number. */
export function losslessInteger(value: unknown): Integer | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value
  if (value instanceof Uint) return value.value
  if (value instanceof Double && Number.isInteger(value.value) && Math.abs(value.value) < 2 ** 64) {
    return intOf(BigInt(value.value))
  }
  return undefined
}
