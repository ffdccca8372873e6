import { expect, test } from "vitest"
import { explain } from "./explain.ts"
import { dialect } from "./load/dialect.ts"

test("prints a keyword with its place, value and example", () => {
  expect(explain("mergeKey")).toEqual({
    text: `mergeKey: in a field
  With patchStrategy merge: the field that identifies items.
  Value: the name of a field
  Example:
    ports: {type: "[]Port", number: 1, patchStrategy: merge, mergeKey: port, doc: Ports to open.}`,
  })
})

test("prints every meaning of a word", () => {
  const explanation = explain("type")
  expect("text" in explanation && explanation.text.split("\n\n").map((part) => part.split("\n")[0])).toEqual([
    "type: in a column (required)",
    "type: in a field (required without fields)",
    "type: a function of expressions",
  ])
})

test("prints functions, macros and formats", () => {
  for (const word of ["startsWith", "existsOne", "dns-label"]) expect(explain(word)).toHaveProperty("text")
})

test("an unknown word suggests the nearest", () => {
  expect(explain("defualt")).toEqual({ fault: expect.stringContaining('did you mean "default"?') })
})

test("every keyword has an explanation", () => {
  for (const { word } of dialect) expect(explain(word)).toHaveProperty("text")
})
