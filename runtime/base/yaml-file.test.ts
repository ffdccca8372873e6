import { expect, test } from "vitest"
import { parse } from "yaml"
import { parseYamlFile } from "./yaml-file.ts"

test.each(["", "a: 1\nb: [x, {c: ~}]\n", '{"a": {"a": {"a": "1"}}}', "1: a\n'1': b\n", "base: &b {x: 1}\nother: *b\n"])(
  "a document is read as the library reads it: %j",
  (text) => {
    const { document } = parseYamlFile(text)
    expect(document.errors).toEqual([])
    expect(document.toJS()).toEqual(parse(text))
  },
)

test.each([
  ["a: 1\nb: 2\na: 3\n", 3, 1],
  ["- {x: 1, 'x': 2}", 1, 10],
  ["a:\n  b: {c: 1, d: 2}\n  b: 1", 3, 3],
])("a repeated key is a fault with its place, as the library's: %j", (text, line, col) => {
  const { document, lines } = parseYamlFile(text)
  expect(document.errors.map(({ code, pos }) => [code, lines.linePos(pos[0])])).toEqual([["DUPLICATE_KEY", { line, col }]])
  expect(() => parse(text)).toThrow(/unique/)
})

test("the keys of a map are not compared with each other, which would take quadratic time", () => {
  expect(parseYamlFile("a: 1").document.options.uniqueKeys).toBe(false)
})

test("a fault of the syntax comes before a repeated key", () => {
  expect(parseYamlFile("a: 1\na: 2\nb: }").document.errors.map(({ code }) => code)).toEqual(["UNEXPECTED_TOKEN", "DUPLICATE_KEY"])
})

test("a text that would crash the process is refused", () => {
  expect(() => parseYamlFile("a:\n  ".concat("[".repeat(250_000)))).toThrow("line 2 is nested too deeply")
})
