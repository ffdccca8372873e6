import { describe, expect, test } from "vitest"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { atOnce } from "../../base/turns.ts"
import { sentForms } from "../../encoding/sent-forms.ts"
import { normalize, normalizing } from "../../encoding/normalize.ts"
import type { FieldShape, TypeShape } from "../../schema/shape.ts"
import { pathsOf, pathText } from "./field-set.ts"
import { fieldsSentOtherwise } from "./sent-forms.ts"

const texts: FieldShape = { name: "texts", type: { list: { scalar: "string" } } }
const item: TypeShape = {
  name: "test.v1.Item",
  fields: [
    { name: "name", type: { scalar: "string" } },
    texts,
    { name: "labels", type: { map: { scalar: "string" } } },
    { name: "amounts", type: { map: { scalar: "Quantity" } } },
    { name: "step", type: { ref: () => step }, pointer: true },
    { name: "at", type: { scalar: "Time" }, pointer: true },
    { name: "shown", type: { list: { scalar: "string" } }, keepEmpty: true },
    { name: "parts", type: { list: { ref: () => item } }, listType: "atomic" },
  ],
}
const step: TypeShape = { name: "test.v1.Step", fields: [{ name: "divisor", type: { scalar: "Quantity" } }] }
const shape: TypeShape = {
  name: "test.v1.Example",
  fields: [
    ...item.fields,
    { name: "data", type: { map: { scalar: "bytes" } } },
    { name: "keyed", type: { list: { ref: () => item } }, listType: "map", mapKeys: ["name"] },
    { name: "whole", type: { ref: () => item }, pointer: true, structType: "atomic" },
    { name: "part", type: { ref: () => item }, pointer: true },
  ],
}

/** The fields that a write takes although both states read the same. */
function taken(sent: JsonObject, stored: JsonValue = sent): readonly string[] {
  const { object } = normalize(shape, sent, { keepsSentForms: true })
  const staged = atOnce(normalizing(shape, sent, { keepsSentForms: true }, 1)).object
  expect(sentForms(staged)).toEqual(sentForms(object))
  const old = normalize(shape, stored).object
  return pathsOf(atOnce(fieldsSentOtherwise(shape, { old, next: object }, sentForms(object) ?? []))).map(pathText)
}

describe("a write takes", () => {
  test.each<{ readonly of: string; readonly sent: JsonObject; readonly stored?: JsonValue; readonly taken: readonly string[] }>([
    { of: "nothing that is sent as it is stored", sent: { parts: [{ name: "a", amounts: { cpu: "500m" } }], shown: ["a"] }, taken: [] },
    { of: "an empty list that is read as null", sent: { shown: [] }, taken: [".shown"] },
    { of: "an empty list in a struct", sent: { part: { shown: [] } }, taken: [".part.shown"] },
    { of: "an empty list in a struct that is owned whole", sent: { whole: { shown: [] } }, taken: [".whole"] },
    { of: "no empty list that is read as absent", sent: { texts: [], labels: {}, part: { texts: [] } }, taken: [] },
    { of: "no list that was filled", sent: { shown: [] }, stored: { shown: ["a"] }, taken: [] },
    { of: "nothing of a struct that is new", sent: { part: { shown: [] } }, stored: {}, taken: [] },
    { of: "an atomic list with an empty list", sent: { parts: [{ texts: [] }] }, taken: [".parts"] },
    { of: "an atomic list with an empty map", sent: { parts: [{ name: "a" }, { labels: {} }] }, taken: [".parts"] },
    { of: "an atomic list with one deeper down", sent: { parts: [{ parts: [{ texts: [] }] }, { texts: [] }] }, taken: [".parts"] },
    { of: "an atomic list with another text of an amount", sent: { parts: [{ amounts: { cpu: "0.5" } }] }, taken: [".parts"] },
    { of: "no amount that the reference holds in one form", sent: { parts: [{ amounts: { memory: "8192Mi" } }] }, taken: [] },
    { of: "an atomic list with null for an amount", sent: { parts: [{ amounts: { cpu: null } }] }, taken: [".parts"] },
    { of: "a text of bytes that was null", sent: { data: { a: null, b: "" } }, taken: [".data.a"] },
    { of: "no amount outside of a list", sent: { amounts: { cpu: "0.5" } }, taken: [] },
    { of: "an atomic list with an amount that was not sent", sent: { parts: [{ step: {} }] }, taken: [".parts"] },
    { of: "an atomic list with parts of a second", sent: { parts: [{ at: "2026-01-02T03:04:05.6Z" }] }, taken: [".parts"] },
    {
      of: "what is in the item with the same key",
      sent: {
        keyed: [
          { name: "new", shown: [] },
          { name: "b", shown: [] },
          { name: "c", parts: [{ texts: [] }] },
        ],
      },
      stored: { keyed: [{ name: "c", parts: [{}] }, { name: "b" }] },
      taken: ['.keyed[name="b"].shown', '.keyed[name="c"].parts'],
    },
  ])("$of", ({ sent, stored, taken: expected }) => {
    expect(taken(sent, stored)).toEqual(expected)
  })
})
