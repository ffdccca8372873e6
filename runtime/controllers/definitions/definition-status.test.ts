import { expect, it } from "vitest"
import type { CustomResourceDefinition } from "../../../generated/apiextensions.orch.io/v1/custom-resource-definition/types.ts"
import { vendorProfile } from "../../base/vendor.ts"
import { typed } from "../../schema/typed.ts"
import { nextStatus } from "./definition-status.ts"
import { type TakenNames, takenNames } from "./names.ts"

const vendor = vendorProfile("kubernetes")
const day = (number: number): string => `2026-01-0${number}T00:00:00Z`

/** The conditions of a definition of kettles after each of these days, on which others have these names. */
function conditionsOf(days: readonly TakenNames[]): string[][] {
  let definition: CustomResourceDefinition = typed({
    metadata: { name: "kettles.example.com" },
    spec: { group: "example.com", names: { plural: "kettles", kind: "Kettle" }, versions: [] },
    status: { acceptedNames: {} },
  })
  return days.map((taken, index) => {
    definition = { ...definition, status: nextStatus(definition, { taken, now: day(index + 1), vendor }) }
    return (definition.status.conditions ?? []).map(
      ({ type, status, reason, lastTransitionTime }) => `${type} ${status} ${reason} ${String(lastTransitionTime).slice(8, 10)}`,
    )
  })
}

const free = takenNames([])
const both = takenNames([{ plural: "kettles", kind: "Kettle" }])
const plural = takenNames([{ plural: "kettles", kind: "Other" }])

it("a definition is established on the day on which its names are free, and keeps that day", () => {
  expect(conditionsOf([both, both, plural, free, free, both])).toEqual([
    ["NamesAccepted False KindConflict 01", "Established False NotAccepted 01"],
    ["NamesAccepted False KindConflict 01", "Established False NotAccepted 01"],
    ["NamesAccepted False PluralConflict 01", "Established False NotAccepted 01"],
    ["NamesAccepted True NoConflicts 04", "Established True InitialNamesAccepted 04"],
    ["NamesAccepted True NoConflicts 04", "Established True InitialNamesAccepted 04"],
    // The definition keeps the names that it already has.
    ["NamesAccepted True NoConflicts 04", "Established True InitialNamesAccepted 04"],
  ])
})
