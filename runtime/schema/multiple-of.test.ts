import { expect, test } from "vitest"
import { isMultipleOf } from "./multiple-of.ts"

test.each([
  [6, 3, true],
  [7, 3, false],
  [-6, 3, true],
  [0, 0.1, true],
  [0.3, 0.1, true],
  [-0.3, 0.1, true],
  [0.35, 0.1, false],
  [4.02, 0.01, true],
  [1e21, 7, false],
  [1e-7, 1e-8, true],
  [1.5e300, 0.5, true],
  [5, 2.5, true],
  [9_007_199_254_740_993n, 2, false],
  [9_007_199_254_740_994n, 2, true],
  [Number.NaN, 1, false],
] as const)("%s is a multiple of %s: %s", (value, step, expected) => {
  expect(isMultipleOf(value, step)).toBe(expected)
})
