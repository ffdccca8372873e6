/**
 * Work over many stored objects takes turns of the event loop: the longest turn does not grow with the number of
 * objects, and only in proportion to the size of one. Counts steps, as `scaling.test.ts` does.
 */
import { expect, test } from "vitest"
import { measureWith } from "./measure-with.ts"
import { turnCases } from "./turn-cases.ts"

const measured = await measureWith("measure-turns.ts")

test.each(measured.map(({ field, faults }) => [field, faults] as const))("turns are taken over: %s", (_field, faults) => {
  expect(faults).toEqual([])
})

test("all cases were measured", () => expect(measured.map(({ field }) => field)).toEqual(turnCases.map(({ name }) => name)))
