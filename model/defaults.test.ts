import fc from "fast-check"
import { expect, test } from "vitest"
import type { JsonValue } from "../runtime/base/json.ts"
import { appliedDefault, canonicalConstant } from "./defaults.ts"
import type { FieldModel, TypeRefModel } from "./model.ts"
import { shapesOf } from "./shapes.ts"

function field(name: string, type: TypeRefModel, more: Partial<FieldModel> = {}): FieldModel {
  return {
    name,
    type,
    doc: "A field.",
    inline: false,
    pointer: false,
    keepEmpty: false,
    deprecated: false,
    required: false,
    nonEmpty: false,
    unique: [],
    immutable: false,
    ...more,
  }
}

/** A type with all the scalars that have a canonical form, and with a list of itself. */
const lid: readonly FieldModel[] = [
  field("name", { scalar: "string" }, { keepEmpty: true }),
  field("rest", { scalar: "Duration" }),
  field("volume", { scalar: "Quantity" }, { pointer: true }),
  field("made", { scalar: "Time" }, { pointer: true }),
  field("lids", { list: { ref: "Lid" } }),
]
const shapeOf = shapesOf(() => ({ fields: lid, preserveUnknown: false }))
const ofLid: TypeRefModel = { ref: "Lid" }

test.each<[TypeRefModel, JsonValue, JsonValue | undefined]>([
  [{ scalar: "Duration" }, "90s", "1m30s"],
  [{ scalar: "Quantity" }, "1000m", "1"],
  [{ scalar: "Quantity" }, 2, "2"],
  [{ scalar: "Time" }, "2024-05-01T12:00:00+02:00", "2024-05-01T10:00:00Z"],
  [{ scalar: "Time" }, "0001-01-01T00:00:00Z", undefined],
  [{ scalar: "IntOrString" }, "80%", "80%"],
  [{ map: { scalar: "Duration" } }, { b: "60s", a: "1h" }, { a: "1h0m0s", b: "1m0s" }],
  [{ list: { scalar: "Quantity" } }, ["1024Ki", "0.5"], ["1Mi", "500m"]],
  [{ list: { map: { scalar: "Duration" } } }, [{ a: "1h" }], [{ a: "1h0m0s" }]],
  [ofLid, { lids: [{ volume: "1000m" }] }, { name: "", rest: "0s", lids: [{ name: "", rest: "0s", volume: "1" }] }],
])("%j: %j becomes %j", (type, written, canonical) => {
  expect(canonicalConstant(field("a", type), written, shapeOf)).toEqual(canonical)
})

test.each<[TypeRefModel, JsonValue]>([
  [{ scalar: "Duration" }, "5 minutes"],
  [{ scalar: "int32" }, 2 ** 31],
  [{ list: { scalar: "Quantity" } }, ["much"]],
  [ofLid, { lids: [{ made: "yesterday" }] }],
])("%j: %j does not fit", (type, written) => {
  expect(() => canonicalConstant(field("a", type), written, shapeOf)).toThrow(/field a/)
})

test.each<[string, FieldModel, object | undefined]>([
  ["no default", field("a", { scalar: "string" }), undefined],
  ["the empty text", field("a", { scalar: "string" }, { default: "" }), undefined],
  ["the empty text of a pointer", field("a", { scalar: "string" }, { default: "", pointer: true }), { value: "" }],
  ["the zero duration", field("a", { scalar: "Duration" }, { default: "0s" }), undefined],
  ["a duration", field("a", { scalar: "Duration" }, { default: "1m0s" }), { value: "1m0s", zero: "0s" }],
  ["a duration of a pointer", field("a", { scalar: "Duration" }, { default: "1m0s", pointer: true }), { value: "1m0s" }],
  ["a number", field("a", { scalar: "int32" }, { default: 3 }), { value: 3 }],
  ["an empty list", field("a", { list: { scalar: "string" } }, { default: [] }), undefined],
  [
    "a struct",
    field("a", ofLid, { default: { name: "b", rest: "0s" } }),
    { value: { name: "b", rest: "0s" }, zero: { name: "", rest: "0s" } },
  ],
  ["an empty struct", field("a", ofLid, { default: { name: "", rest: "0s" } }), undefined],
])("%s is applied as decoding holds it", (_name, model, applied) => {
  expect(appliedDefault(model, shapeOf)).toEqual(applied)
})

test("a canonical default is canonical", () => {
  const duration = fc
    .tuple(fc.integer({ min: 0, max: 5000 }), fc.constantFrom("h", "m", "s", "ms"))
    .map(([count, unit]) => `${count}${unit}`)
  const quantity = fc
    .tuple(fc.integer({ min: 0, max: 5000 }), fc.constantFrom("", "m", "k", "Ki", "M", "Mi", "e3"))
    .map(([count, unit]) => `${count}${unit}`)
  const value = fc.letrec<{ lid: JsonValue }>((tie) => ({
    lid: fc.record(
      { name: fc.string(), rest: duration, volume: quantity, lids: fc.array(tie("lid"), { maxLength: 2 }) },
      { requiredKeys: [] },
    ),
  }))
  fc.assert(
    fc.property(value.lid, (written) => {
      const once = canonicalConstant(field("a", ofLid), written, shapeOf) ?? null
      expect(canonicalConstant(field("a", ofLid), once, shapeOf)).toEqual(once)
    }),
  )
})
