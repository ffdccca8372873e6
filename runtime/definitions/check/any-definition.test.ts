/** Any JSON is checked as a definition without an exception, in time that grows at most linearly with its size. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { Failures } from "../../base/failure.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { definitionSchemaDepthMax } from "../limits.ts"
import { vendorProfile } from "../../base/vendor.ts"
import { approvalOf, checkDefinitionStatus, dropDisabledFields, isProtectedGroup, nonStructuralOf } from "./index.ts"
import { checkDefinition } from "./check-definition.ts"
import { casesOf, definitionOf, prepared, topics } from "./definition-cases.ts"

const vendor = vendorProfile("kubernetes")
const prefix = vendor.extensionPrefix
const gates = { CustomResourceFieldSelectors: false, CRDValidationRatcheting: false }

function check(definition: JsonObject, old?: JsonObject): Failures {
  const failures = new Failures()
  dropDisabledFields(definition, { old, gates, prefix })
  checkDefinition(definition, failures, { old, vendor })
  checkDefinitionStatus(definition, failures)
  nonStructuralOf(definition, prefix)
  approvalOf(definition, vendor)
  return failures
}

/** Every keyword of a schema, with values of any type. */
const keywords = [
  ...["type", "properties", "items", "additionalProperties", "not", "anyOf", "allOf", "oneOf", "default", "enum", "pattern"],
  ...["required", "nullable", "$ref", "id", "$schema", "definitions", "dependencies", "patternProperties", "additionalItems"],
  ...["maxItems", "maxLength", "format", "uniqueItems", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "metadata", "kind"],
  ...["x-kubernetes-map-type", "x-kubernetes-validations", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"],
  ...["x-kubernetes-preserve-unknown-fields", "rule", "fieldPath", "messageExpression", "__proto__", "constructor", "a", "b"],
]
const words = ["object", "array", "string", "integer", "map", "set", "atomic", ".a['b']", "self.a == oldSelf", "(", "a", "", "true"]
const scalar = fc.oneof(fc.constantFrom(...words), fc.boolean(), fc.integer(), fc.constant(null), fc.double({ noNaN: true }))
const { schema } = fc.letrec<{ value: JsonValue; schema: JsonObject }>((tie) => ({
  value: fc.oneof({ depthSize: "medium", withCrossShrink: true }, scalar, tie("schema"), fc.array(tie("value"), { maxLength: 3 })),
  schema: fc.dictionary(fc.constantFrom(...keywords), tie("value"), { maxKeys: 6 }),
}))

it("accepts any schema without an exception", () => {
  fc.assert(
    fc.property(schema, schema, (openAPIV3Schema, oldSchema) => {
      const old = prepared(definitionOf({ schema: oldSchema }))
      check(prepared(definitionOf({ schema: openAPIV3Schema }), old), old)
      check(definitionOf({ schema: openAPIV3Schema }))
    }),
    { numRuns: 500 },
  )
})

it("accepts any value in the place of any part of a definition", () => {
  const definitions = topics.flatMap((topic) => casesOf(topic).map((one) => prepared(definitionOf(one))))
  const any = fc.oneof(scalar, schema, fc.array(schema, { maxLength: 3 }))
  fc.assert(
    fc.property(fc.constantFrom(...definitions), fc.nat(), any, (definition, place, value) => {
      const changed = structuredClone(definition)
      const places = placesOf(changed)
      places[place % places.length]?.(value)
      check(changed)
      check(definition, changed)
    }),
    { numRuns: 1000 },
  )
})

/** A setter for each value in a document. */
function placesOf(value: JsonValue): ((other: JsonValue) => void)[] {
  if (typeof value !== "object" || value === null) return []
  const entries: readonly [string, JsonValue | undefined][] = Object.entries(value)
  return entries.flatMap(([name, one]) => [(other: JsonValue) => void Object.assign(value, { [name]: other }), ...placesOf(one ?? null)])
}

it("refuses schemas that are nested too deeply", () => {
  const nested = (levels: number): JsonObject => {
    let inner: JsonObject = { type: "string" }
    for (let level = 1; level < levels; level++) inner = { type: "array", items: inner }
    return inner
  }
  const detail = `schemas must not be nested more than ${definitionSchemaDepthMax} levels deep`
  expect(check(prepared(definitionOf({ field: nested(definitionSchemaDepthMax) }))).list).toMatchObject([{ detail }])
  expect(check(prepared(definitionOf({ field: nested(definitionSchemaDepthMax - 2) }))).list).toEqual([])
  expect(check(prepared(definitionOf({ field: nested(900) }))).list).toMatchObject([{ detail }])
})

it("refuses what takes long to compile before it compiles it", () => {
  const rules = (count: number, rule: string): JsonObject => ({
    type: "string",
    "x-kubernetes-validations": Array.from({ length: count }, (_, index) => ({ rule: `${rule} != '${index}'` })),
  })
  const patterns = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`p${index}`, { type: "string", pattern: `(x{0,900}y){0,1}z{0,900}.{0,900}${index}` }]),
  )
  const excessive: readonly (readonly [field: JsonObject, detail: string])[] = [
    [rules(1001, "self"), "a definition may have 1000 rules, but this one has 1001"],
    [rules(30, `'${"x".repeat(10_000)}'`), "the rules of a definition may have 262144 characters together, but these have "],
    [{ type: "object", properties: patterns }, "the patterns of a definition may compile to 100000 instructions together"],
  ]
  for (const [field, detail] of excessive) {
    const definition = prepared(definitionOf({ field }))
    const { list } = check(definition)
    expect(list).toHaveLength(1)
    expect(list[0]).toMatchObject({ type: "Forbidden", field: "spec.versions", detail: expect.stringContaining(detail) })
  }
  // Existing faults may stay.
  const stored = prepared(definitionOf({ field: rules(1001, "self") }))
  expect(JSON.stringify(check(structuredClone(stored), stored).list)).not.toContain("may have 1000 rules")
})

it("collects as many failures as a response holds from wide schemas", () => {
  const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`p${index}`, {}]))
  const keys = Array.from({ length: 10_000 }, (_, index) => `k${index}`)
  const list = { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys }
  for (const variation of [{ schema: { type: "object", properties } }, { field: list }]) {
    const { list: failures } = check(prepared(definitionOf(variation)))
    expect(failures.length).toBeGreaterThan(0)
    expect(failures.length).toBeLessThanOrEqual(256)
  }
})

it("knows the groups of the vendor's community", () => {
  const groups = ["k8s.io", "a.k8s.io", "kubernetes.io", "a.kubernetes.io", "ak8s.io", "k8s.io.example.com"]
  expect(groups.filter((group) => isProtectedGroup(group, vendor))).toEqual(groups.slice(0, 4))
  expect(isProtectedGroup("a.orch.io", vendorProfile("orch"))).toBe(true)
})

it("drops what disabled gates hide, unless the old definition uses it", () => {
  const rules = { type: "string", maxLength: 5, "x-kubernetes-validations": [{ rule: "self == oldSelf.value()", optionalOldSelf: true }] }
  const definition = (): JsonObject => definitionOf({ field: rules, version: { selectableFields: [{ jsonPath: ".spec.a" }] } })
  const dropped = definition()
  dropDisabledFields(dropped, { gates, prefix })
  expect(JSON.stringify(dropped)).not.toMatch(/optionalOldSelf|selectableFields/)
  const kept = definition()
  dropDisabledFields(kept, { old: definition(), gates, prefix })
  expect(kept).toEqual(definition())
  dropDisabledFields(kept, { gates: { CustomResourceFieldSelectors: true, CRDValidationRatcheting: true }, prefix })
  expect(kept).toEqual(definition())
})

it("describes schemas that are not structural", () => {
  const { reason, message = "" } = nonStructuralOf(definitionOf({ field: {}, spec: { preserveUnknownFields: true } }), prefix) ?? {}
  expect(reason).toBe("Violations")
  expect(message).toBe(
    "[spec.preserveUnknownFields: Invalid value: true: must be false, " +
      "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[a].type: " +
      "Required value: must not be empty for specified object fields]",
  )
  expect(nonStructuralOf(definitionOf({}), prefix)).toBeUndefined()
  const unread = "failed to check validation schema for version v1: OpenAPIV3Schema 'id' is not supported"
  expect(nonStructuralOf(definitionOf({ field: { id: "x" } }), prefix)).toEqual({ reason: "StructuralError", message: unread })
})
