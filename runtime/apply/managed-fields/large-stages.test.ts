/** Managed fields of large objects, in stages: the same as at once. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { largeObject } from "../../../test/support/typed-arbitrary.ts"
import { exampleShape } from "../../../test/support/typed-fixtures.ts"
import type { ApiObject, JsonObject } from "../../base/json.ts"
import { atOnce, type Stages } from "../../base/turns.ts"
import { type ApplyRequest, applyConfiguration, applyStages } from "./apply.ts"
import { trackingStages, trackUpdate } from "./track-update.ts"
import type { Versions } from "./versions.ts"

const same = <Value>(object: Value): Value => object
/** Without the structs that hold structs of their own type: the object in which nothing is set has no end. */
const shape = { ...exampleShape, fields: exampleShape.fields.filter(({ name }) => name !== "child" && name !== "whole") }
const object = largeObject.map(({ child: _, metadata: __, ...fields }) => fields)
const versions: Versions = {
  current: { apiVersion: "v1", shape, reset: { "f:count": {} }, toStored: same, fromStored: same },
  find: () => undefined,
}
const now = "2026-01-02T03:04:05Z"
const manager = fc.constantFrom("one", "two")

function withOwners(object: JsonObject, managedFields: JsonObject[] | undefined): ApiObject {
  return { ...object, metadata: managedFields === undefined ? {} : { managedFields } }
}

test("updates track the same owners", () => {
  const updates = fc.array(fc.tuple(object, manager), { minLength: 2, maxLength: 4 })
  const property = fc.property(updates, (objects) => {
    let old: ApiObject | undefined
    for (const [fields, name] of objects) {
      const update = { versions, old, next: withOwners(fields, old?.metadata?.managedFields), manager: name, subresource: "", now }
      const expected = trackUpdate(update)
      expect(JSON.stringify(atOnce(trackingStages(update)))).toBe(JSON.stringify(expected))
      old = withOwners(fields, expected)
    }
  })
  fc.assert(property, { numRuns: 25, endOnFailure: true })
})

/** The result as text, or the message of the error. */
function outcome(work: () => ApiObject): string {
  try {
    return JSON.stringify(work())
  } catch (error) {
    return error instanceof Error ? error.message : "thrown"
  }
}

test("applies make the same object, or refuse with the same words", () => {
  const applies = fc.array(fc.tuple(object, manager, fc.boolean()), { minLength: 2, maxLength: 4 })
  let made = 0
  const property = fc.property(object, applies, (first, configs) => {
    const owners = trackUpdate({ versions, next: first, manager: "creator", subresource: "", now })
    let live: ApiObject = withOwners(first, owners)
    for (const [config, name, force] of configs) {
      const apply: ApplyRequest = { versions, live, config, manager: name, subresource: "", force, now, lastAppliedAnnotation: "last" }
      const expected = outcome(() => applyConfiguration(apply))
      const stages = (): Stages<ApiObject> => applyStages({ ...apply, isLarge: true })
      expect(outcome(() => atOnce(stages()))).toBe(expected)
      if (!expected.startsWith("{")) continue
      made++
      live = JSON.parse(expected)
    }
  })
  fc.assert(property, { numRuns: 25, endOnFailure: true })
  expect(made).toBeGreaterThan(0)
})
