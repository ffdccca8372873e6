import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { JsonObject, JsonValue } from "../base/json.ts"
import { parseObject } from "./object-codec.ts"
import { atOnce } from "../base/turns.ts"
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

describe("an object that is read to be changed", () => {
  it("is what was stored", () => {
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
      "owners stand in a template too",
      objectWith([owner("a", { "f:a": {} })], { template: { metadata: { managedFields: [owner("b", {})] } } }),
    ],
    ["only a template has owners", { metadata: { name: "a" }, template: { metadata: { managedFields: [owner("b", {})] } } }],
    ["there are as many elsewhere as in its metadata", objectWith([{}], { template: owner("b", {}) })],
    [
      "an owner is written otherwise",
      objectWith([{ fieldsV1: { "f:a": {} }, fieldsType: "FieldsV1" }], { template: owner("b", { "f:b": {} }) }),
    ],
    ["a set is none", objectWith([owner("a", null), owner("b", []), owner("c", "{}")])],
    ["a set is too long to be kept", objectWith([owner("a", { [`f:${"x".repeat(10_000)}`]: {} })])],
    ["nobody owns anything", objectWith([])],
  ])("is what was stored when %s", (_, object) => {
    const bytes = bytesOf(object)
    for (let time = 0; time < 2; time++) expect(readToChange(bytes)).toEqual(object)
    expect(atOnce(readingToChange(bytes))).toEqual(object)
  })

  it("shares its sets with others", () => {
    const [one, other] = ["one", "other"].map((name) => readToChange(bytesOf(objectWith([owner(name, { "f:shared": { "f:a": {} } })]))))
    expect(one?.metadata?.managedFields?.[0]?.fieldsV1).toBe(other?.metadata?.managedFields?.[0]?.fieldsV1)
  })

  it("keeps numbers that a double cannot hold", () => {
    const bytes = Buffer.from(`{"kind":"A","metadata":{"managedFields":[{${marker}{"f:a":{}}}]},"number":9007199254740993}`)
    expect(readToChange(bytes)["number"]).toBe(9007199254740993n)
  })
})
