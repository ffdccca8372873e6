import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import type { FieldShape, TypeShape } from "../../schema/shape.ts"
import { compareObjects } from "./compare.ts"
import { createdSetText } from "./created-set-text.ts"
import { createdSet, createdSetStages } from "./created-set.ts"
import { difference, type FieldSet, sortedFieldSet, union } from "./field-set.ts"
import { anyObject } from "../../../test/support/typed-arbitrary.ts"
import { exampleShape } from "../../../test/support/typed-fixtures.ts"

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

  test("are written as text alike, or not at all", () => {
    let written = 0
    const property = fc.property(anyObject, anyObject, (empty, next) => {
      for (const before of [{}, empty]) {
        const text = createdSetText(exampleShape, before, next, unowned)
        if (text === undefined) continue
        written++
        expect(text).toBe(JSON.stringify(createdSet(exampleShape, before, next, unowned)))
      }
    })
    fc.assert(property, { numRuns: 1000 })
    expect(written).toBeGreaterThan(500)
  })

  test("are written alike whatever objects came before", () => {
    // More sets than the cache keeps, each longer than the one before.
    for (let length = 1; length < 6000; length++) {
      const labels = Object.fromEntries(
        Array.from({ length: length % 40 }, (_, at) => [`label-${at < 39 ? at : length}-${length % 7}`, ""]),
      )
      const next = { labels, text: "a" }
      const text = createdSetText(exampleShape, {}, next, unowned)
      if (length % 40 < 30) expect(text).toBe(JSON.stringify(createdSet(exampleShape, {}, next, unowned)))
    }
  })

  test("of lists within lists are written once at each level", () => {
    const items: FieldShape = {
      name: "items",
      type: { list: { ref: () => shape } },
      listType: "map",
      mapKeys: ["name"],
    }
    const shape: TypeShape = { name: "test.v1.Nested", fields: [{ name: "name", type: { scalar: "string" } }, items] }
    // The last name of each list is one that the text escapes. Twice at each level would be a billion times in all.
    let next: JsonObject = { name: "a" }
    for (let level = 0; level < 30; level++) next = { name: "a", items: [next, { name: "<" }] }
    expect(createdSetText(shape, {}, next, {})).toBe(JSON.stringify(createdSet(shape, {}, next, {})))
  })

  test("is the same in stages as at once", () => {
    const name = fc.string({ maxLength: 4 })
    const port = fc.record({ port: fc.nat({ max: 3000 }), text: name }, { requiredKeys: ["port"] })
    const long = { minLength: 1000, maxLength: 1500, size: "max" } as const
    const large = fc.record({ names: fc.array(name, long), ports: fc.array(port, long), child: anyObject }, { requiredKeys: [] })
    let stages = 0
    const property = fc.property(anyObject, large, (empty, next: JsonObject) => {
      for (const before of [{}, empty]) {
        const walk = createdSetStages(exampleShape, before, next, unowned)
        let stage = walk.next()
        for (; stage.done !== true; stage = walk.next()) {
          stages++
          // Others make sets of their own between two stages.
          createdSet(exampleShape, {}, empty, unowned)
        }
        expect(written(stage.value)).toBe(written(createdSet(exampleShape, before, next, unowned)))
      }
    })
    fc.assert(property, { numRuns: 20 })
    expect(stages).toBeGreaterThan(0)
  })

  test.each<[string, JsonObject]>([
    ["names beyond the basic plane", { labels: { "\u{1f600}": "a", "\ufffd": "b", a: "c" } }],
    ["items that are there twice", { names: ["b", "a", "b"], ports: [{ port: 2 }, { port: 1, text: "a" }, { port: 2, text: "b" }] }],
    ["items in any order", { numbers: [10, 9, 100], ports: [{ port: 10 }, { port: 9, protocol: "UDP" }, { port: 9 }] }],
    ["names like those of every object", { labels: { constructor: "a", toString: "b" } }],
    ["lists whose items have no element", { ports: [{ text: "no key" }], names: [null] }],
  ])("are written alike: %s", (_, next) => {
    const sorted = written(sortedFieldSet(compareObjects(exampleShape, {}, next).added))
    expect(written(createdSet(exampleShape, {}, next, {}))).toBe(sorted)
    expect(createdSetText(exampleShape, {}, next, {}) ?? sorted).toBe(sorted)
  })
})
