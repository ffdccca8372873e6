import { expect, test } from "vitest"
import { explain } from "./explain.ts"
import { dialect } from "./load/dialect.ts"

test("a keyword is told with its place, value and example", () => {
  expect(explain("mergeKey")).toEqual({
    text: `mergeKey: in a field
  With patchStrategy merge: the field that tells items apart.
  Value: the name of a field
  Example:
    ports: {type: "[]Port", number: 1, patchStrategy: merge, mergeKey: port, doc: Ports to open.}`,
  })
})

test("a word that means several things is told once for each", () => {
  const explanation = explain("type")
  expect("text" in explanation && explanation.text.split("\n\n").map((part) => part.split("\n")[0])).toEqual([
    "type: in a column (required)",
    "type: in a field (required)",
    "type: a function of expressions",
  ])
})

test("functions, macros and formats are told, too", () => {
  for (const word of ["startsWith", "existsOne", "dns-label"]) expect(explain(word)).toHaveProperty("text")
})

test("an unknown word names the nearest", () => {
  expect(explain("defualt")).toEqual({ fault: expect.stringContaining('did you mean "default"?') })
})

test("every keyword explains itself", () => {
  for (const { word } of dialect) expect(explain(word)).toHaveProperty("text")
})
