/**
 * The cost of each definition, custom object and expression is at most proportional to its size, whatever a definition
 * multiplies. Counts steps, as `scaling.test.ts` does.
 */
import { expect, test } from "vitest"
import { measureWith } from "./measure-with.ts"
import { definitionCases, objectCases, textCases } from "./definition-cases.ts"

const measured = await measureWith("measure-definitions.ts")

test.each(measured.map(({ kind, field, faults }) => [kind, field, faults] as const))(
  "the cost of %s is linear in: %s",
  (_kind, _field, faults) => expect(faults).toEqual([]),
)

test("all cases were measured, and are valid where they mean to be", () => {
  expect(measured.length).toBe(definitionCases.length + objectCases.length + textCases.length)
  expect(measured.filter(({ valid }) => !valid).map(({ field }) => field)).toEqual([])
})
