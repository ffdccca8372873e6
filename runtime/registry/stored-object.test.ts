import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { JsonObject, JsonValue } from "../base/json.ts"
import { parseObject } from "./object-codec.ts"
import { atOnce } from "../base/turns.ts"
import { SettledTexts } from "../encoding/settled-texts.ts"
import { readingToChange, readToChange } from "./stored-object.ts"

const marker = '"fieldsType":"FieldsV1","fieldsV1":'

function owner(manager: string, fieldsV1: JsonValue): JsonObject {
  return { manager, operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1 }
}

function objectWith(managedFields: JsonValue, more: JsonObject = {}): JsonObject {
  return { kind: "Pod", apiVersion: "v1", metadata: { name: "a", managedFields }, ...more }
}

function bytesOf(object: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(object))
}

const node = fc.letrec<{ node: JsonObject }>((tie) => ({
  node: fc.dictionary(
    fc.constantFrom("f:a", "f:b}", 'k:{"name":"x{\\""}', 'v:"\\\\"', "."),
    fc.oneof({ depthSize: "small" }, fc.constant({}), tie("node")),
    {
      maxKeys: 3,
    },
  ),
})).node

describe("an object read for a change", () => {
  it("equals the stored one", () => {
    const property = fc.property(fc.array(node, { maxLength: 4 }), fc.string(), (sets, text) => {
      const bytes = bytesOf(
        objectWith(
          sets.map((set, index) => owner(`m-${index}`, set)),
          { data: { text, marker } },
        ),
      )
      expect(readToChange(bytes)).toEqual(parseObject(bytes))
      expect(atOnce(readingToChange(bytes))).toEqual(parseObject(bytes))
    })
    fc.assert(property, { numRuns: 300 })
  })

  it.each<[string, JsonObject]>([
    [
      "a template has managedFields too",
      objectWith([owner("a", { "f:a": {} })], { template: { metadata: { managedFields: [owner("b", {})] } } }),
    ],
    ["only a template has managedFields", { metadata: { name: "a" }, template: { metadata: { managedFields: [owner("b", {})] } } }],
    ["as many field sets are elsewhere as in its metadata", objectWith([{}], { template: owner("b", {}) })],
    [
      "an entry has its fields in another order",
      objectWith([{ fieldsV1: { "f:a": {} }, fieldsType: "FieldsV1" }], { template: owner("b", { "f:b": {} }) }),
    ],
    ["a field set is not an object", objectWith([owner("a", null), owner("b", []), owner("c", "{}")])],
    ["a field set is too long to be shared", objectWith([owner("a", { [`f:${"x".repeat(10_000)}`]: {} })])],
    ["managedFields is empty", objectWith([])],
  ])("equals the stored one when %s", (_, object) => {
    const bytes = bytesOf(object)
    for (let time = 0; time < 2; time++) expect(readToChange(bytes)).toEqual(object)
    expect(atOnce(readingToChange(bytes))).toEqual(object)
  })

  it("shares field sets with other objects", () => {
    const [one, other] = ["one", "other"].map((name) => readToChange(bytesOf(objectWith([owner(name, { "f:shared": { "f:a": {} } })]))))
    expect(one?.metadata?.managedFields?.[0]?.fieldsV1).toBe(other?.metadata?.managedFields?.[0]?.fieldsV1)
  })

  it("keeps numbers that a double cannot hold", () => {
    const bytes = Buffer.from(`{"kind":"A","metadata":{"managedFields":[{${marker}{"f:a":{}}}]},"number":9007199254740993}`)
    expect(readToChange(bytes)["number"]).toBe(9007199254740993n)
  })

  describe("with a settled value that was written before", () => {
    const specs = ["nginx:1", "nginx:2"].map((image): JsonObject => ({ containers: [{ name: "é".repeat(300), image }] }))
    const spec = fc.constantFrom<JsonValue>(...specs, { containers: [] }, "text", null)
    const field = fc.oneof(
      fc.record({ spec }),
      fc.record({ status: fc.record({ spec }) }),
      fc.record({
        metadata: fc.record({ managedFields: spec.map((value) => [owner("a", { spec: value })]), labels: fc.record({ spec }) }),
      }),
      spec.map((value): JsonObject => ({ note: JSON.stringify({ spec: value }) })),
    )

    it("equals the stored one, whatever else has the name of the field", () => {
      const written = new SettledTexts("spec")
      for (const value of specs) written.share({ spec: value })
      const property = fc.property(fc.array(field, { maxLength: 4 }), (fields) => {
        const bytes = bytesOf(Object.assign({}, ...fields))
        expect(readToChange(bytes, written)).toEqual(parseObject(bytes))
      })
      fc.assert(property, { numRuns: 500 })
    })

    it("has that value", () => {
      const written = new SettledTexts("spec")
      const [value = {}, other = {}] = specs
      written.share({ spec: value })
      const same = { spec: structuredClone(value) }
      written.share(same)
      expect(same.spec).toBe(value)
      expect(readToChange(bytesOf(objectWith([], { spec: value })), written)["spec"]).toBe(value)
      expect(readToChange(bytesOf(objectWith([], { spec: other })), written)["spec"]).not.toBe(other)
    })
  })
})
