import { RE2JS } from "re2js"
import { describe, expect, it } from "vitest"
import { Pattern, PatternFault, patternOf, patternSteps, SearchExceeded } from "./pattern.ts"
import { patternCharactersMax, patternSizeMax, patternStepsMax } from "./pattern-limits.ts"
import { patternSize } from "./pattern-size.ts"

function compiled(source: string): Pattern {
  const pattern = patternOf(source)
  if (pattern instanceof PatternFault) throw new Error(pattern.message)
  return pattern
}

/** Patterns of published definitions, and some with all of the syntax. */
const usual = [
  "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
  "^([0-9]+(\\.[0-9]+)?(s|m|h)){1,4}$",
  "^[\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]{0,255}$",
  "[]a-]{3}[^]b]{2,}[[:alpha:]]{4}",
  "\\Qa{1000}\\E{3}",
  "(?i)(?P<name>x{0,10}y){0,9}",
  "((a{10}){10}){10}",
  "a**b{,3}{x}",
]

/** Texts that make a search of a simple engine long. */
const hostile: readonly (readonly [pattern: string, text: string])[] = [
  ["(a|b)*a(a|b){500}c", "abbab".repeat(20_000)],
  ["a[ab]{1000}c", "abbaabab".repeat(10_000)],
  ["(.*,){50}P", "1,2,3".repeat(100_000)],
  ["[\\pL\\pN]{0,300}.{300}x", "aä1ζ字".repeat(80_000)],
  ["a.*b|a", "a".repeat(400_000)],
  [`(a?){1000}${"a".repeat(1000)}`, "a".repeat(1000)],
  ["(a*)*b", "a".repeat(400_000)],
  ["", "a".repeat(400_000)],
]

/** A step beyond the limit is one character of a search, along all ways. */
const lastStepMax = 6 * patternSizeMax + 8

describe("patterns", () => {
  it("matches as the engine does, also where it counts", () => {
    const texts = ["", "a", "abc-1.b", "1.5h3m", "axaxx", "Žluťoučký kůň 1/2", "xXy".repeat(30), "a{1000}"]
    for (const source of ["a|b*", "x+?", "(x|xx)+y", "\\bk\\S*", "[^a-c]+", "$", "a*", ...usual.slice(0, 4)]) {
      const engine = RE2JS.compile(source)
      for (const short of texts) {
        for (const text of [short, short.repeat(200)]) {
          expect(compiled(source).test(text), source).toBe(engine.test(text))
          const matches = [...engine.matchAll(text)].map(([found]) => found ?? "")
          expect(compiled(source).first(text), source).toBe(matches[0] ?? "")
          if (!source.endsWith("*") && source !== "$") expect(compiled(source).all(text), source).toEqual(matches)
        }
      }
    }
  })

  it("estimates the size of a program from its text", () => {
    for (const source of [...usual.slice(0, -1), "a{3}", "(ab){3,}", "x{0,1000}"]) {
      const size = RE2JS.compile(source).programSize()
      expect(patternSize(source), source).toBeGreaterThan(size / 2)
      expect(patternSize(source), source).toBeLessThan(size * 8 + 10)
    }
  })

  it("takes what published definitions have, and refuses larger ones before it compiles them", () => {
    for (const source of usual.slice(0, -1)) expect(patternOf(source)).toBeInstanceOf(Pattern)
    const before = patternSteps()
    for (const source of [
      "x{0,1000}".repeat(10),
      "((ab?){30}c){30}".repeat(5),
      `[${"\\pL".repeat(patternCharactersMax / 3)}]`,
      "(".repeat(1e6),
      // Every character of a range is looked at when case is ignored: 4 ms each.
      `(?i)[${"a-\\x{10ffff}".repeat(10)}]`,
      `(?mi:[${"a-😀".repeat(10)}])`,
    ]) {
      expect(patternOf(source)).toMatchObject({ message: expect.stringContaining("the pattern is too large") })
    }
    expect(patternSteps()).toBe(before)
  })

  it("counts what reading classes takes, once where they are repeated", () => {
    const long = Array.from({ length: 8000 }, (_, index) => String.fromCharCode(0x400 + 2 * index)).join("")
    expect(patternSize(`[${long}]`)).toBeGreaterThan(long.length / 8)
    expect(patternSize(`[${long}]{0,100}`)).toBeLessThan(long.length)
    expect(patternSize("[\\pL]")).toBeGreaterThan(50)
    expect(patternSize("(?i)[A-Z\\x61-\\x{7a}]")).toBeLessThan(20)
    const before = patternSteps()
    expect(compiled(`[${long}]`).test("a")).toBe(false)
    expect(patternSteps() - before).toBeGreaterThan(10 * long.length)
  })

  it("ends every search after so many steps", () => {
    for (const [source, text] of hostile) {
      const pattern = compiled(source)
      for (const search of [() => pattern.test(text), () => pattern.first(text), () => pattern.all(text)]) {
        const before = patternSteps()
        try {
          search()
        } catch (error) {
          expect(error).toBeInstanceOf(SearchExceeded)
        }
        expect(patternSteps() - before, source).toBeLessThan(patternStepsMax + lastStepMax)
      }
    }
    expect(() => compiled("a.*b|a").all("a".repeat(400_000))).toThrow(SearchExceeded)
  })

  it("searches long texts in time in proportion to them", () => {
    const base64 = compiled("^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$")
    expect(base64.test("abcd".repeat(750_000))).toBe(true)
    expect(base64.test(`${"abcd".repeat(750_000)}!`)).toBe(false)
  })

  it("does not let a search that ended limit the next one", () => {
    expect(() => compiled("a.*b|a").all("a".repeat(400_000))).toThrow(SearchExceeded)
    for (let round = 0; round < 20; round++) expect(RE2JS.compile("a.*b|c").test("a".repeat(100_000))).toBe(false)
  })
})
