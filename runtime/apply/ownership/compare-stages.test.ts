import fc from "fast-check"
import { expect, test } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { atOnce } from "../../base/turns.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { anyObject, largeObject } from "../../../test/support/typed-arbitrary.ts"
import { exampleShape } from "../../../test/support/typed-fixtures.ts"
import { compareStates } from "./compare.ts"
import { comparingStages } from "./compare-stages.ts"

const metadata: TypeShape = {
  name: "test.v1.Meta",
  fields: [
    { name: "labels", type: { map: { scalar: "string" } } },
    { name: "managedFields", type: { list: { scalar: "any" } }, listType: "atomic" },
  ],
}
const shape: TypeShape = { ...exampleShape, fields: [...exampleShape.fields, { name: "metadata", type: { ref: () => metadata } }] }

/** The fields in their order. */
function written(old: JsonObject, next: JsonObject, compare: typeof compareStates): string {
  return JSON.stringify(compare(shape, old, next))
}

test("large objects compare in stages as at once", () => {
  const object = fc.oneof(largeObject, { arbitrary: anyObject, weight: 1 })
  const property = fc.property(object, object, (left, right) => {
    for (const [old, next] of [
      [left, right],
      [left, { ...left, ...right }],
      [left, structuredClone(left)],
    ] as const)
      expect(written(old, next, (...states) => atOnce(comparingStages(...states)))).toBe(written(old, next, compareStates))
  })
  fc.assert(property, { numRuns: 60, endOnFailure: true })
})

const ports = (text: string, count: number): JsonObject[] => Array.from({ length: count }, (_, port) => ({ port, text }))
const labels = (text: string): JsonObject => Object.fromEntries(Array.from({ length: 16_000 }, (_, index) => [`l${index}`, text]))

test.each<[string, JsonObject, JsonObject]>([
  ["all items of a list", { ports: ports("a", 20_000) }, { ports: ports("b", 20_000) }],
  ["one item of a list", { ports: ports("a", 20_000) }, { ports: [...ports("a", 19_999), { port: 0 }] }],
  ["a list that is new", { ports: ports("a", 1) }, { ports: ports("a", 20_000), child: { text: "a" } }],
  ["a list that is gone", { ports: ports("a", 20_000) }, {}],
  ["a list in an item", { ports: [{ port: 1, ports: ports("a", 20_000) }] }, { ports: [{ port: 1, ports: ports("b", 20_000) }] }],
  ["all entries of a map", { labels: labels("a") }, { labels: labels("b") }],
  ["entries of another map", { children: { k: { labels: labels("a") } } }, { children: { k: { labels: { a: "b" } } } }],
])("%s: has several stages", (_, old, next) => {
  const walk = comparingStages(shape, old, next)
  let stages = 0
  let stage = walk.next()
  for (; stage.done !== true; stage = walk.next()) stages++
  expect(stages).toBeGreaterThanOrEqual(2)
  expect(JSON.stringify(stage.value)).toBe(written(old, next, compareStates))
})
