import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { absentKey, fieldKey, readLiteral } from "./field-key.ts"
import type { JsonValue } from "../base/json.ts"
import { compareQuantities, formatQuantity, parseQuantity } from "../base/quantity.ts"
import type { Scalar } from "../schema/shape.ts"

const compare = (left: JsonValue, right: JsonValue, scalar: Scalar): number =>
  Buffer.compare(fieldKey(left, scalar), fieldKey(right, scalar))
const sign = (difference: number | bigint): number => (difference < 0 ? -1 : difference > 0 ? 1 : 0)

describe("fieldKey", () => {
  it("compares doubles as numbers", () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true })
    fc.assert(fc.property(double, double, (left, right) => compare(left, right, "double") === sign(left - right)))
    fc.assert(fc.property(double, (one) => compare(one, one, "double") === 0))
  })

  it("compares integers of any size exactly, with fractions too", () => {
    const whole = fc.oneof(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), fc.bigInt({ min: -20n, max: 20n }))
    fc.assert(fc.property(whole, whole, (left, right) => compare(left, right, "int64") === sign(left - right)))
    expect(compare(9007199254740993n, 9007199254740992, "int64")).toBe(1)
    expect(compare(1, 1.5, "double")).toBe(-1)
    expect(compare(-1, -1.5, "double")).toBe(1)
    expect(compare(100, 1e2, "double")).toBe(0)
  })

  it("compares strings by code points", () => {
    const text = fc.string({ unit: "binary" })
    const points = (value: string): number[] => [...value].map((character) => character.codePointAt(0) ?? 0)
    fc.assert(
      fc.property(text, text, (left, right) => {
        const [one, other] = [points(left), points(right)]
        const at = one.findIndex((point, index) => point !== other[index])
        const expected = at < 0 ? sign(one.length - other.length) : sign((one[at] ?? 0) - (other[at] ?? -1))
        expect(compare(left, right, "string")).toBe(expected)
      }),
    )
  })

  it("compares quantities by amount", () => {
    const quantity = fc
      .tuple(fc.integer({ min: -5000, max: 5000 }), fc.constantFrom("", "m", "k", "Ki", "M", "Mi", "n", "e2", "E"))
      .map(([amount, suffix]) => `${amount}${suffix}`)
    fc.assert(
      fc.property(
        quantity,
        quantity,
        (left, right) => compare(left, right, "Quantity") === compareQuantities(parseQuantity(left), parseQuantity(right)),
      ),
    )
    expect(compare(formatQuantity(parseQuantity("1500m")), "1.5", "Quantity")).toBe(0)
  })

  it("handles durations and times, and separates types of untyped fields", () => {
    expect(compare("90m", "1h", "Duration")).toBe(1)
    expect(compare("2024-01-01T00:00:00Z", "2023-12-31T23:59:59Z", "Time")).toBe(1)
    expect([fieldKey(undefined, "any"), fieldKey(null, "string")]).toEqual([absentKey, absentKey])
    const mixed: JsonValue[] = [false, true, -5, 0, 7, "", "a", { a: 1 }]
    expect(mixed.toReversed().sort((left, right) => compare(left, right, "any"))).toEqual(mixed)
  })
})

describe("readLiteral", () => {
  const same = (literal: string, value: JsonValue, scalar: Scalar): boolean =>
    readLiteral(literal, scalar)?.keys.some((key) => key.equals(fieldKey(value, scalar))) === true
  it("equals the values that it represents", () => {
    expect(same("1", 1, "int32")).toBe(true)
    expect(same("1.0", 1, "int32")).toBe(true)
    expect(same("0.5", "500m", "Quantity")).toBe(true)
    expect(same("2024-01-01T01:00:00+01:00", "2024-01-01T00:00:00Z", "Time")).toBe(true)
    expect(same("2024-01-01T00:00:00.5Z", "2024-01-01T00:00:00.500000Z", "MicroTime")).toBe(true)
    expect(same("60s", "1m0s", "Duration")).toBe(true)
    expect(same("true", true, "boolean")).toBe(true)
    expect(same("true", "true", "string")).toBe(true)
    expect([same("80", 80, "IntOrString"), same("80", "80", "IntOrString"), same("http", "http", "IntOrString")]).toEqual([
      true,
      true,
      true,
    ])
    expect([same("true", true, "any"), same("true", "true", "any")]).toEqual([true, true])
  })

  it.each([
    ["x", "int32"],
    ["1Ki", "int64"],
    ["yes", "boolean"],
    ["x", "Quantity"],
    ["1", "Duration"],
    ["yesterday", "Time"],
    ["", "int32"],
  ] as const)("does not read %j as %s", (text, scalar) => expect(readLiteral(text, scalar)).toBeUndefined())
})
