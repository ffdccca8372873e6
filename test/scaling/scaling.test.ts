/**
 * The cost of each operation on an object is at most proportional to its size, for every list and map of every kind.
 * The containers come from the shapes, so new kinds and fields are included. The test counts steps, not time: see
 * `counting-build.ts`.
 */
import { describe, expect, test } from "vitest"
import { kinds } from "../../generated/index.ts"
import type { Measured } from "./measure.ts"
import { measureWith } from "./measure-with.ts"
import { ownCases } from "./own-cases.ts"
import { isStored } from "../../runtime/schema/kind.ts"

const measured = await measureWith("measure.ts")
const byKind = new Map<string, Measured[]>()
for (const one of measured) byKind.set(one.kind, [...(byKind.get(one.kind) ?? []), one])

describe.each([...byKind])("the cost of %s is linear in", (_, fields) => {
  test.each(fields.map(({ field, faults }) => [field, faults] as const))("%s", (_field, faults) => expect(faults).toEqual([]))
})

test("our own objects are valid, and measured like the others", () => {
  for (const [kind, own] of Object.entries(ownCases)) {
    const fields = byKind.get(`v1 ${kind}`) ?? []
    expect(own.map(({ name }) => fields.find(({ field }) => field === name)?.valid)).toEqual(own.map(() => true))
  }
})

test("all kinds were measured, and most of their fields with valid objects, so that the steps after validation ran", () => {
  expect(byKind.size).toBe(kinds.filter((kind) => isStored(kind) && kind.served !== false).length)
  expect(measured.filter(({ valid }) => valid).length / measured.length).toBeGreaterThan(0.6)
})
