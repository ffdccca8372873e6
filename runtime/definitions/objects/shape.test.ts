import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { objectMetaShape } from "../../../generated/meta/v1/object-meta/shape.ts"
import { createdSet } from "../../apply/ownership/created-set.ts"
import { typedFaults } from "../../apply/ownership/typed-check.ts"
import { shortJson } from "../../base/bounded-text.ts"
import type { JsonObject } from "../../base/json.ts"
import { deepClone } from "../../encoding/field-path.ts"
import { normalize } from "../../encoding/normalize.ts"
import { shapePlanOf } from "../../encoding/shape-plan.ts"
import { unknownFields } from "../../encoding/unknown-fields.ts"
import { structuralOf } from "../structural.ts"
import { defaultObject } from "./defaults.ts"
import { pruneObject } from "./prune.ts"
import { shapeOfDefinition } from "./shape.ts"

interface RecordedFields {
  readonly schema: JsonObject
  /**
   * The field set of the manager that created an object with this spec; null if the reference cannot track it, and
   * drops all managed fields of the object.
   */
  readonly owned: readonly { readonly spec: JsonObject; readonly fields: JsonObject | null }[]
}

const recorded: RecordedFields = parse(readFileSync(new URL("recorded/fields.yaml", import.meta.url), "utf8"))
const schema = structuralOf(recorded.schema, "x-kubernetes-")
const shape = shapeOfDefinition("example.orch.io.v1.Owned", schema, objectMetaShape)

describe("recorded field sets", () => {
  for (const { spec, fields } of recorded.owned) {
    if (fields === null) continue
    it(shortJson(spec, 100), () => {
      const object: JsonObject = { spec: deepClone(spec) }
      pruneObject(object, schema)
      defaultObject(object, schema)
      expect(createdSet(shape, {}, object, {})).toEqual(fields)
    })
  }
})

describe("shapeOfDefinition", () => {
  it("knows what pruning keeps", () => {
    for (const { spec } of recorded.owned) {
      const object: JsonObject = { spec: deepClone(spec) }
      pruneObject(object, schema)
      expect(unknownFields(shapePlanOf(shape), object, true)).toEqual([])
    }
  })

  it("writes fields sorted by name, after kind and apiVersion", () => {
    const source = { type: "object", properties: { status: { type: "object" }, spec: { type: "object" }, data: { type: "string" } } }
    const made = shapeOfDefinition("a.orch.io.v1.A", structuralOf(source, "x-"), objectMetaShape)
    const { object } = normalize(made, { status: {}, data: "x", metadata: { name: "a" }, kind: "A", spec: {}, apiVersion: "a.orch.io/v1" })
    expect(Object.keys(object)).toEqual(["kind", "apiVersion", "data", "metadata", "spec", "status"])
  })

  it("knows atomic objects among the values of a map", () => {
    const atomic = { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: { type: "string" } } }
    const source = { type: "object", properties: { byName: { type: "object", additionalProperties: atomic } } }
    const made = shapeOfDefinition("a.orch.io.v1.A", structuralOf(source, "x-kubernetes-"), objectMetaShape)
    expect(createdSet(made, {}, { byName: { x: { a: "b" } } }, {})).toEqual({ "f:byName": { ".": {}, "f:x": {} } })
  })

  it("leaves to the validator what an applied int-or-string is, and keywords of another type", () => {
    const labels = { type: "object", additionalProperties: { type: "string", properties: { key: { type: "string" } } } }
    const source = { type: "object", properties: { port: { "x-kubernetes-int-or-string": true }, labels } }
    const made = shapeOfDefinition("a.orch.io.v1.A", structuralOf(source, "x-kubernetes-"), objectMetaShape)
    expect(typedFaults(made, { port: [null], labels: { app: "a" } }, { duplicates: "refuse" })).toEqual([])
    expect(typedFaults(made, { labels: { app: {} } }, { duplicates: "refuse" })).toEqual([
      { path: ".labels.app", detail: "expected string, got an object" },
    ])
  })

  it("knows metadata of embedded resources as that of any object", () => {
    const resource = { apiVersion: "v1", kind: "Pod", metadata: { name: "x", labels: { b: "1", a: "2" }, unknown: 1 }, spec: { any: [1] } }
    expect(unknownFields(shapePlanOf(shape), { spec: { resource } }, true)).toEqual(["spec.resource.metadata.unknown"])
  })
})
