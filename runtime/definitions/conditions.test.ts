import { expect, test } from "vitest"
import { type DefinitionCondition, isConditionTrue, withCondition } from "./conditions.ts"

const [early, before, now] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"]
const established: DefinitionCondition = { type: "Established", status: "True", lastTransitionTime: early, reason: "r", message: "m" }
const refused: DefinitionCondition = { type: "NamesAccepted", status: "False", lastTransitionTime: before, reason: "r", message: "m" }

test("a condition gets its place, and a time that is that of the last change of its status", () => {
  const set = (conditions: readonly DefinitionCondition[], status: "False" | "True" | "Unknown") =>
    withCondition(conditions, { type: "NamesAccepted", status, reason: "new", message: "new" }, now)
  const next = { type: "NamesAccepted", reason: "new", message: "new" }
  expect(set([], "True")).toEqual([{ ...next, status: "True", lastTransitionTime: now }])
  expect(set([established], "True")).toEqual([established, { ...next, status: "True", lastTransitionTime: now }])
  // While the status stays, texts may change, and the time does not.
  expect(set([refused, established], "False")).toEqual([{ ...next, status: "False", lastTransitionTime: before }, established])
  for (const status of ["True", "Unknown"] as const)
    expect(set([refused, established], status)).toEqual([{ ...next, status, lastTransitionTime: now }, established])
  // A client may have written a condition without a time.
  expect(set([{ ...refused, lastTransitionTime: null }], "False")).toEqual([{ ...next, status: "False", lastTransitionTime: now }])
})

test("a condition is true with the status True alone", () => {
  expect(isConditionTrue([refused, established], "Established")).toBe(true)
  expect(isConditionTrue([refused, established], "NamesAccepted")).toBe(false)
  expect(isConditionTrue([{ ...refused, status: "Unknown" }], "NamesAccepted")).toBe(false)
  for (const none of [undefined, null, []]) expect(isConditionTrue(none, "Established")).toBe(false)
})
