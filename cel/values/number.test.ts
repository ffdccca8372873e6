import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  addInts,
  addUints,
  divideInts,
  intMax,
  intMin,
  intOf,
  intOfDouble,
  moduloInts,
  multiplyInts,
  multiplyUints,
  negateInt,
  subtractInts,
  subtractUints,
  uintMax,
  uintOf,
  uintOfDouble,
} from "./number.ts"
import { ErrorValue, Uint } from "./value.ts"

const edges = [0n, 1n, -1n, 2n ** 31n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n), intMax, intMin]
const int64 = fc.oneof(fc.bigInt({ min: intMin, max: intMax }), fc.constantFrom(...edges), fc.integer().map(BigInt))
const uint64 = fc.oneof(fc.bigInt({ min: 0n, max: uintMax }), fc.constantFrom(0n, 1n, 2n ** 53n, uintMax))

/** A result as a bigint; undefined for an error. */
function exact(result: number | bigint | Uint | ErrorValue): bigint | undefined {
  if (result instanceof ErrorValue) return undefined
  const value = result instanceof Uint ? result.value : result
  expect(typeof value === "number").toBe(value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER)
  return BigInt(value)
}

function within(value: bigint, min: bigint, max: bigint): bigint | undefined {
  return value < min || value > max ? undefined : value
}

describe("64-bit integers", () => {
  it.each([
    ["+", addInts, (one: bigint, other: bigint) => one + other],
    ["-", subtractInts, (one: bigint, other: bigint) => one - other],
    ["*", multiplyInts, (one: bigint, other: bigint) => one * other],
    ["/", divideInts, (one: bigint, other: bigint) => (other === 0n ? intMax + 1n : one / other)],
  ])("compute %s as exact numbers do, and report overflow", (_, operation, expected) => {
    fc.assert(
      fc.property(int64, int64, (one, other) => {
        expect(exact(operation(intOf(one), intOf(other)))).toBe(within(expected(one, other), intMin, intMax))
      }),
    )
  })

  it("compute a remainder with the sign of the dividend", () => {
    fc.assert(
      fc.property(int64, int64, (one, other) => {
        const refused = other === 0n || (one === intMin && other === -1n)
        expect(exact(moduloInts(intOf(one), intOf(other)))).toBe(refused ? undefined : one % other)
      }),
    )
  })

  it.each([
    ["+", addUints, (one: bigint, other: bigint) => one + other],
    ["-", subtractUints, (one: bigint, other: bigint) => one - other],
    ["*", multiplyUints, (one: bigint, other: bigint) => one * other],
  ])("compute %s without a sign", (_, operation, expected) => {
    fc.assert(
      fc.property(uint64, uint64, (one, other) => {
        expect(exact(operation(uintOf(one), uintOf(other)))).toBe(within(expected(one, other), 0n, uintMax))
      }),
    )
  })

  it("have one zero", () => {
    for (const zero of [multiplyInts(0, -1), divideInts(0, -1), moduloInts(-4, 2)]) expect(Object.is(zero, 0)).toBe(true)
  })

  it("take doubles that are in range", () => {
    expect(intOfDouble(-1.9)).toBe(-1)
    expect(intOfDouble(2 ** 62)).toBe(2n ** 62n)
    for (const value of [2 ** 63, -(2 ** 63), Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(intOfDouble(value)).toBeInstanceOf(ErrorValue)
    }
    expect(uintOfDouble(1.9)).toEqual(new Uint(1))
    expect(uintOfDouble(2 ** 63)).toEqual(new Uint(2n ** 63n))
    for (const value of [2 ** 64, -1, -0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(uintOfDouble(value)).toBeInstanceOf(ErrorValue)
    }
  })

  it("have one zero, whichever operation makes it", () => {
    for (const zero of [negateInt(0), multiplyInts(-1, 0), divideInts(0, -1), divideInts(-1, 2), moduloInts(-2, 2), subtractInts(0, 0)]) {
      expect(zero).toBe(0)
    }
  })
})
