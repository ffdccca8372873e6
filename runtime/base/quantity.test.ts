import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  negateQuantity,
  parseQuantity,
  quantityFault,
  quantityMilliValue,
  quantitySign,
  quantityValue,
  roundUpToMilli,
} from "./quantity.ts"

const suffix = fc.constantFrom("", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-2", "e+1")
const quantityText = fc
  .tuple(fc.constantFrom("", "-", "+"), fc.nat(), fc.option(fc.nat(99_999)), suffix)
  .map(([sign, whole, fraction, unit]) => `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${unit}`)

// Recorded from the reference server.
test.each([
  ["0.1", "100m"],
  ["1.5", "1500m"],
  ["1.5Gi", "1536Mi"],
  ["1024", "1024"],
  ["1024Ki", "1Mi"],
  ["1.1Ki", "1126400m"],
  ["0.5Ki", "512"],
  ["+5", "+5"],
  ["1.123G", "1.123G"],
  ["1000m", "1"],
  ["0.1m", "100u"],
  ["0.0000000001", "1n"],
  ["1024Ei", "9223372036854775807"],
  ["-1.1Ki", "-1126400m"],
  ["1e4", "10e3"],
  ["12E3", "12E3"],
  ["1E", "1E"],
  ["010", "010"],
  ["0Ki", "0"],
  ["-", "0"],
])("%s is stored as %s", (text, stored) => {
  expect(canonicalQuantity(text)).toBe(stored)
})

test("keeps the suffix of values beyond E", () => {
  expect(canonicalQuantity("1000E")).toBe("1000E")
})

test.each(["", "abc", "1.2.3", "1 m", "1KI"])("refuses %s", (text) => {
  expect(quantityFault(text)).toMatch(/^quantities must match the regular expression/)
})

test.each(["--1", "1e", "1e1000000000", "5mm"])("refuses the suffix of %s", (text) => {
  expect(quantityFault(text)).toBe("unable to parse quantity's suffix")
})

test("reads numbers, and null as zero", () => {
  expect(canonicalQuantity(2)).toBe("2")
  expect(canonicalQuantity(0.25)).toBe("250m")
  expect(canonicalQuantity(null)).toBe("0")
  expect(quantityFault(true)).toBeDefined()
})

describe("any quantity", () => {
  test("of up to three digits is canonical, whatever its suffix", () => {
    const suffixes = ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]
    for (const suffix of suffixes) {
      for (const digits of ["0", "1", "7", "9", "10", "100", "500", "999", "1000", "1024", "05", "+5"]) {
        const text = `${digits}${suffix}`
        expect(canonicalQuantity(text), text).toBe(formatQuantity(parseQuantity(text)))
      }
    }
  })

  test("keeps its value and its text when written and read again", () => {
    fc.assert(
      fc.property(quantityText, (text) => {
        const quantity = parseQuantity(text)
        const written = formatQuantity(quantity)
        expect(compareQuantities(parseQuantity(written), quantity)).toBe(0)
        expect(canonicalQuantity(written)).toBe(written)
      }),
    )
  })

  test("adds and compares like the number it represents", () => {
    fc.assert(
      fc.property(quantityText, quantityText, (leftText, rightText) => {
        const [left, right] = [parseQuantity(leftText), parseQuantity(rightText)]
        const difference = addQuantities(left, negateQuantity(right))
        expect(quantitySign(difference)).toBe(compareQuantities(left, right))
        expect(compareQuantities(addQuantities(difference, right), left)).toBe(0)
      }),
    )
  })
})

test("rounds whole and thousandth units away from zero", () => {
  expect(quantityValue(parseQuantity("1500m"))).toBe(2n)
  expect(quantityValue(parseQuantity("-1500m"))).toBe(-2n)
  expect(quantityMilliValue(parseQuantity("1.5"))).toBe(1500n)
  expect(quantityMilliValue(parseQuantity("1n"))).toBe(1n)
  expect(formatQuantity(roundUpToMilli(parseQuantity("1.0001")))).toBe("1001m")
  expect(formatQuantity(roundUpToMilli(parseQuantity("+5")))).toBe("+5")
})
