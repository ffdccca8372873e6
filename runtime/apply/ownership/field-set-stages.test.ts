import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { atOnce } from "../../base/turns.ts"
import { anyObject, largeObject } from "../../../test/support/typed-arbitrary.ts"
import { changedShape, exampleShape } from "../../../test/support/typed-fixtures.ts"
import { reconciledSet } from "./atomic-change.ts"
import { compareObjects } from "./compare.ts"
import { difference, type FieldSet, intersection, sortedFieldSet, union } from "./field-set.ts"
import { differenceStages, intersectionStages, reconcilingStages, sortedStages, unionStages } from "./field-set-stages.ts"
import { fieldSetOf } from "./typed-set.ts"

const object = fc.oneof(largeObject, anyObject)
/** Sets whose containers are members, and sets whose containers are not. */
const anySet: fc.Arbitrary<FieldSet> = fc.oneof(
  object.map((value) => fieldSetOf(exampleShape, value)),
  object.map((value) => compareObjects(exampleShape, {}, value).added),
)
const atomic: fc.Arbitrary<FieldSet> = fc.constantFrom({ "f:labels": {} }, { "f:names": {}, "f:ports": { ".": {} } })

function written(set: FieldSet): string {
  return JSON.stringify(set)
}

describe.each([
  ["union", union, unionStages],
  ["difference", difference, differenceStages],
  ["intersection", intersection, intersectionStages],
] as const)("the %s", (_, operation, stages) => {
  test("is the same in stages as at once, and shares what is unchanged", () => {
    const property = fc.property(anySet, fc.oneof(anySet, atomic), (left, right) => {
      for (const [one, other] of [
        [left, right],
        [right, left],
        [left, structuredClone(left)],
        [left, {}],
      ] as const) {
        const expected = operation(one, other)
        const found = atOnce(stages(one, other))
        expect(written(found)).toBe(written(expected))
        expect(found === one).toBe(expected === one)
      }
    })
    fc.assert(property, { numRuns: 60, endOnFailure: true })
  })
})

test("a set is sorted and reconciled in stages as at once", () => {
  const property = fc.property(anySet, (set) => {
    const sorted = sortedFieldSet(set)
    expect(written(atOnce(sortedStages(set)))).toBe(written(sorted))
    expect(atOnce(sortedStages(sorted))).toBe(sorted)
    for (const shape of [exampleShape, changedShape]) {
      const expected = reconciledSet(shape, set)
      const found = atOnce(reconcilingStages(shape, set))
      expect(written(found)).toBe(written(expected))
      expect(found === set).toBe(expected === set)
    }
  })
  fc.assert(property, { numRuns: 60, endOnFailure: true })
})

test("operations on sets of twenty thousand members have several stages", () => {
  const made = (from: number): FieldSet => ({
    "f:ports": Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k:{"port":${from + index}}`, { ".": {}, "f:port": {} }])),
  })
  const [left, right] = [made(0), made(10_000)]
  for (const walk of [
    unionStages(left, right),
    differenceStages(left, right),
    intersectionStages(left, right),
    sortedStages(left),
    reconcilingStages(exampleShape, left),
  ]) {
    let stages = 0
    while (walk.next().done !== true) stages++
    expect(stages).toBeGreaterThanOrEqual(5)
  }
})
