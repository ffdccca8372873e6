import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../kit/json.ts"
import { compareObjects } from "./compare.ts"
import { createdSet } from "./created-set.ts"
import { difference, type FieldSet, sortedFieldSet, union } from "./field-set.ts"
import { anyObject } from "./typed-arbitrary.ts"
import { exampleShape } from "./typed-fixtures.ts"

const unowned: FieldSet = { "f:text": {}, "f:child": { ".": {}, "f:text": {}, "f:labels": {} }, "f:ports": { ".": {} } }

/** Uses the general operations that every other write uses. */
function general(empty: JsonObject, next: JsonObject): FieldSet {
  const { added, modified } = compareObjects(exampleShape, empty, next)
  return sortedFieldSet(difference(union(added, modified), unowned))
}

function written(set: FieldSet): string {
  return JSON.stringify(set)
}

describe("the fields of a creator", () => {
  test("are those that comparing with an empty object finds, in the same order", () => {
    const property = fc.property(anyObject, anyObject, (empty, next) => {
      expect(written(createdSet(exampleShape, {}, next, unowned))).toBe(written(general({}, next)))
      expect(written(createdSet(exampleShape, empty, next, unowned))).toBe(written(general(empty, next)))
    })
    fc.assert(property, { numRuns: 500 })
  })

  test.each<[string, JsonObject]>([
    ["names beyond the basic plane", { labels: { "\u{1f600}": "a", "\ufffd": "b", a: "c" } }],
    ["items that are there twice", { names: ["b", "a", "b"], ports: [{ port: 2 }, { port: 1, text: "a" }, { port: 2, text: "b" }] }],
    ["items in any order", { numbers: [10, 9, 100], ports: [{ port: 10 }, { port: 9, protocol: "UDP" }, { port: 9 }] }],
    ["names like those of every object", { labels: { constructor: "a", toString: "b" } }],
    ["lists whose items have no element", { ports: [{ text: "no key" }], names: [null] }],
  ])("are written alike: %s", (_, next) => {
    expect(written(createdSet(exampleShape, {}, next, {}))).toBe(written(sortedFieldSet(compareObjects(exampleShape, {}, next).added)))
  })
})
