import { expect, it } from "vitest"
import { bytesKept } from "../../test/support/heap.ts"
import { detachString } from "./own-text.ts"
import { parseQuantity } from "./quantity.ts"
import { memoize } from "./memoize.ts"

it("returns an equal string", () => {
  for (const text of ["", "a", 'ü\0\n"\\', "\ud800x", "x".repeat(300), "\u{1f600}"]) expect(detachString(text)).toBe(text)
})

const long = 1_000_000
const few = 50
const hardlyAnything = 5_000_000

/** The last characters of a long string, cut out without a copy as V8 does. */
function endOfLong(index: number): string {
  return `${"x".repeat(long)}the end of text ${index}`.slice(-20)
}

it("releases the string that the text was cut from", () => {
  const { bytes, made } = bytesKept(() => Array.from({ length: few }, (_, index) => detachString(endOfLong(index))))
  expect(made).toHaveLength(few)
  expect(bytes).toBeLessThan(hardlyAnything)
})

it("is used for memoized headers and queries", () => {
  const length = memoize((text) => ({ text }))
  expect(bytesKept(() => Array.from({ length: few }, (_, index) => length(endOfLong(index)))).bytes).toBeLessThan(hardlyAnything)
})

it("is used for memoized quantities", () => {
  const { bytes } = bytesKept(() => {
    for (let index = 0; index < few; index++) parseQuantity(`${"x".repeat(long)}1000000000${String(index).padStart(3, "0")}m`.slice(-14))
  })
  expect(bytes).toBeLessThan(hardlyAnything)
})
