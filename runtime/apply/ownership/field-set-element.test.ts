import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { canonicalText, fieldElement, sortElements } from "./field-set-element.ts"

const name = fc.oneof(fc.string({ unit: "grapheme" }), fc.stringMatching(/^[ -~]{0,4}$/), fc.constantFrom("a", "a b", "a!", 'a"', "a\\"))

describe("elements of keyed lists", () => {
  it("are sorted by their keys, whatever escapes these need", () => {
    const property = fc.property(fc.uniqueArray(name), (names) => {
      const byBytes = [...names].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
      const elements = (of: readonly string[]): string[] => of.map((text) => `k:{"name":${canonicalText(text)}}`)
      expect(sortElements(elements(names))).toEqual(elements(byBytes))
    })
    fc.assert(property, { numRuns: 500 })
  })
})

describe("elements of fields", () => {
  it("are the same each time", () => {
    const names = ["a", "x".repeat(100), "__proto__", "constructor"]
    for (let round = 0; round < 2; round++) expect(names.map(fieldElement)).toEqual(names.map((text) => `f:${text}`))
    for (let index = 0; index < 10_000; index++) expect(fieldElement(`name-${index}`)).toBe(`f:name-${index}`)
    expect(names.map(fieldElement)).toEqual(names.map((text) => `f:${text}`))
  })
})
