import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isSafeForJsonParse, parsePlain } from "./built-in.ts"

describe("what the built-in parser may read", () => {
  it("has no digits that it may round, wherever they are", () => {
    const piece = fc.oneof(fc.stringMatching(/^[0-9]{1,18}$/), fc.constantFrom(" ", "a", ",", "-", "0."))
    const property = fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("")
      expect(isSafeForJsonParse(text, 1000)).toBe(!/[0-9]{16}/.test(text))
    })
    fc.assert(property, { numRuns: 2000 })
  })

  it("may have any number of containers within the allowed depth", () => {
    const level = fc.constantFrom("{", "}", "[", "]", ",", '"a"', '"{[\\\\"', '"\\"]["')
    const property = fc.property(fc.array(level, { minLength: 8, maxLength: 40 }), (pieces) => {
      const text = pieces.join("")
      const unquoted = text.replace(/"(?:[^"\\]|\\.)*"/g, "")
      let [depth, deepest] = [0, 0]
      for (const character of unquoted) {
        if ("{[".includes(character)) deepest = Math.max(deepest, ++depth)
        else if ("}]".includes(character)) depth--
      }
      const brackets = text.replace(/[^{[]/g, "").length
      expect(isSafeForJsonParse(text, 3)).toBe(text.length <= 3 || brackets <= 3 || deepest <= 3)
    })
    fc.assert(property, { numRuns: 2000 })
    expect(isSafeForJsonParse(`[${"{},".repeat(2000)}{}]`, 1000)).toBe(true)
  })

  it.each(["1e400", "1E+300", "[-1.5e999]", '{"a":1e0999}', "[1, 2E1000]", '"\\ud800"', '"\\uDc00"', "[".repeat(1001)])(
    "is not %s",
    (text) => {
      expect(isSafeForJsonParse(text, 1000)).toBe(false)
    },
  )
})

describe("bodies that the built-in parser reads", () => {
  const bounds = { maxDepth: 100, maxValues: 1000 }
  const isPlain = (value: unknown): boolean => parsePlain(JSON.stringify(value), bounds) !== undefined

  it.each([
    { image: "registry.example.com/a:1.27.0" },
    { podIP: "10.1.2.3", hostIPs: ["10.0.0.1"] },
    { fieldsV1: { 'k:{"name":"a"}': { ".": {} } }, note: 'a "quoted": text' },
    { path: "a\\", at: "b" },
  ])("hold texts with points and quotes: %j", (value) => expect(isPlain(value)).toBe(true))

  it.each([
    '{"a":1.5}',
    '{"a": 1e3}',
    "[1,2.0]",
    "[ -1.5 ]",
    "1.5",
    '{"a" :1}',
    '{"a":1,"a":1}',
    '{"a":"\\"","a":"\\""}',
    '{"a\\\\":1,"a\\\\":2}',
  ])("hold no number with a fraction or an exponent, and no repeated field: %s", (text) => expect(parsePlain(text, bounds)).toBeUndefined())
})
