import { describe, expect, test } from "vitest"
import type { JsonObject } from "../base/json.ts"
import { parseJson } from "../encoding/json/text.ts"
import type { TypeShape } from "../schema/shape.ts"
import { atOnce } from "../base/turns.ts"
import { type DocumentPatch, type DocumentPatchType, readingDocumentPatch } from "./read-patch.ts"

const shape: TypeShape = {
  name: "test.Kettle",
  fields: [
    { name: "count", type: { scalar: "int32" } },
    { name: "counts", type: { list: { scalar: "int64" } } },
    { name: "labels", type: { map: { scalar: "string" } } },
    { name: "volume", type: { scalar: "Quantity" } },
  ],
}
const types: Readonly<Record<string, DocumentPatchType>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
}

function read(type: string, text: string): DocumentPatch {
  const parsed = parseJson(text, { trackDuplicates: true })
  return atOnce(readingDocumentPatch(types[type] ?? "application/merge-patch+json", { text, parsed }, shape))
}

test.each<[string, string, string, JsonObject]>([
  ["no operations", "json", "null", { count: 1 }],
  ["an empty strategic patch", "strategic", "null", { count: 1 }],
  ["an empty merge patch", "merge", "{}", { count: 1 }],
  ["a whole number", "merge", '{"count":2}', { count: 2 }],
  ["a fraction where none is looked at", "merge", '{"labels":{"a":"1.0"},"volume":1e3}', { count: 1, labels: { a: "1.0" }, volume: "1e3" }],
  ["a quantity in an operation", "json", '[{"op":"add","path":"/volume","value":1.50}]', { count: 1, volume: "1.50" }],
  ["a fraction in a strategic patch, which has no text any more", "strategic", '{"count":2.0}', { count: 2 }],
  ["a number that is tested", "json", '[{"op":"test","path":"/labels","value":null}]', { count: 1 }],
])("applies %s", (_name, type, text, result) => {
  expect(atOnce(read(type, text).apply({ count: 1 }))).toEqual(result)
})

test("leaves fractions in a custom object to its validator, but for metadata", () => {
  const metadata: TypeShape = { name: "test.Meta", fields: [{ name: "generation", type: { scalar: "int64" } }] }
  const fields = [...shape.fields, { name: "metadata", type: { ref: () => metadata } }]
  const custom: TypeShape = { name: "test.Custom", fields, structural: { root: shape, prune: () => [] } }
  const merged = (text: string): JsonObject => {
    const parsed = parseJson(text, { trackDuplicates: true })
    return atOnce(atOnce(readingDocumentPatch("application/merge-patch+json", { text, parsed }, custom)).apply({ count: 1 }))
  }
  expect(merged('{"count":2.5,"volume":1e3}')).toEqual({ count: 2.5, volume: 1000 })
  expect(() => merged('{"metadata":{"generation":2.0}}')).toThrow("metadata.generation with a fraction")
})

describe("refuses", () => {
  test.each<[string, string, string]>([
    ["null as a merge patch", "merge", "null"],
    ["a list as a merge patch", "merge", "[]"],
    ["a text as a strategic patch", "strategic", '"a"'],
    ["an object as a JSON patch", "json", "{}"],
  ])("%s with 400", (_name, type, text) => {
    expect(() => read(type, text)).toThrow(expect.objectContaining({ code: 400 }))
  })

  test.each<[string, string]>([
    ["merge", '{"count":2.0}'],
    ["merge", '{"counts":[1,2e0]}'],
    ["json", '[{"op":"replace","path":"/count","value":2.0}]'],
    ["json", '[{"op":"add","path":"/counts/-","value":1e3}]'],
    ["json", '[{"op":"add","path":"","value":{"count":1.0}}]'],
  ])("an integer with a fraction or an exponent with 422, once the patch applies: %s %s", (type, text) => {
    const patch = read(type, text)
    expect(() => atOnce(patch.apply({ count: 1, counts: [1] }))).toThrow(expect.objectContaining({ code: 422 }))
  })
})

test("reports unknown and repeated fields of operations in the order of the text", () => {
  const text = '[{"op":"test","op":"test","path":"/x","foo":1,"foo":2},{"value":{"a":1,"a":2},"path":"/","Path":"x"}]'
  expect(read("json", text).strictErrors).toEqual([
    'json patch duplicate field "[0].op"',
    'json patch unknown field "[0].foo"',
    'json patch duplicate field "[1].value.a"',
    'json patch unknown field "[1].Path"',
  ])
})

test("reports unknown fields in the order of sorted keys", () => {
  const found = ['unknown field "b"', 'unknown field "items[10].a"', 'unknown field "items[9].a"', 'unknown field "a"']
  const inOrder = ['unknown field "a"', 'unknown field "b"', 'unknown field "items[9].a"', 'unknown field "items[10].a"']
  expect(read("merge", "{}").ordered(found)).toEqual(inOrder)
  expect(read("json", "[]").ordered(found)).toEqual(inOrder)
  // The value of an operation keeps the order of its keys.
  const written = ['unknown field "b"', 'unknown field "items[1].z"', 'unknown field "items[1].a"', 'unknown field "a"']
  for (const path of ["/items", "/items/1", "/items/-"])
    expect(read("json", JSON.stringify([{ op: "add", path, value: [] }])).ordered(written)).toEqual([written[3], ...written.slice(0, 3)])
  // A strategic merge patch sorts the texts, so ten precedes nine.
  expect(read("strategic", "{}").ordered(found)).toEqual([inOrder[0], inOrder[1], inOrder[3], inOrder[2]])
})
