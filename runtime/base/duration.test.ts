import fc from "fast-check"
import { expect, test } from "vitest"
import { durationFault, formatDuration, parseDuration } from "./duration.ts"

test.each([
  ["1h30m", "1h30m0s"],
  ["90s", "1m30s"],
  ["1.5s", "1.5s"],
  ["500ms", "500ms"],
  ["0.001s", "1ms"],
  ["1500us", "1.5ms"],
  ["2ns", "2ns"],
  ["0", "0s"],
  ["-2h", "-2h0m0s"],
  [".5m", "30s"],
])("%s is written as %s", (text, written) => {
  expect(formatDuration(parseDuration(text))).toBe(written)
})

test.each([
  ["", 'time: invalid duration ""'],
  ["5", 'time: missing unit in duration "5"'],
  ["5d", 'time: unknown unit "d" in duration "5d"'],
  ["s", 'time: invalid duration "s"'],
  ["5constructor", 'time: unknown unit "constructor" in duration "5constructor"'],
  ["9999999999h", 'time: invalid duration "9999999999h"'],
])("refuses %s", (text, message) => {
  expect(durationFault(text)).toBe(message)
})

test("any 64-bit number of nanoseconds survives a round trip", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (nanoseconds) => {
      expect(parseDuration(formatDuration(nanoseconds))).toBe(nanoseconds)
    }),
  )
})
