import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { builtInWillDo } from "./json-built-in.ts"

describe("what is left to the built-in parser", () => {
  it("has no digits that it may round, wherever they stand", () => {
    const piece = fc.oneof(fc.stringMatching(/^[0-9]{1,18}$/), fc.constantFrom(" ", "a", ",", "-", "0."))
    const property = fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("")
      expect(builtInWillDo(text, 1000)).toBe(!/[0-9]{16}/.test(text))
    })
    fc.assert(property, { numRuns: 2000 })
  })

  it.each(["1e400", "1E+300", '"\\ud800"', '"\\uDc00"', "[".repeat(1001)])("is not %s", (text) => {
    expect(builtInWillDo(text, 1000)).toBe(false)
  })
})
