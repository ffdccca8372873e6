/**
 * Maps of structs: no built-in kind has one, but other schemas may. Decoding and validation treat their entries like
 * fields.
 */
import { expect, test } from "vitest"
import { atOnce } from "../../base/turns.ts"
import { vendorProfile } from "../../base/vendor.ts"
import { Failures } from "../../base/failure.ts"
import type { JsonObject } from "../../base/json.ts"
import { normalize } from "../normalize.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { parsingTypedJson, type TypedJson } from "../json/typed.ts"
import { CheckContext, entries } from "../../schema/validate.ts"

const part: TypeShape = {
  name: "test.v1.Part",
  fields: [
    { name: "name", type: { scalar: "string" } },
    { name: "count", type: { scalar: "int32" } },
  ],
}
const shape: TypeShape = { name: "test.v1.Machine", fields: [{ name: "parts", type: { map: { ref: () => part } } }] }

const parseTypedJson = (text: string, of: TypeShape): TypedJson => atOnce(parsingTypedJson(text, of))

test("reports unknown and repeated fields of an entry with the entry's key", () => {
  const text = '{"parts":{"a":{"name":"x","other":1},"b":{"name":"x","name":"y"}}}'
  expect(parseTypedJson(text, shape).strictErrors).toEqual(['unknown field "parts.a.other"', 'duplicate field "parts.b.name"'])
  expect(normalize(shape, { parts: { a: { other: 1 } } }).object).toEqual({ parts: { a: {} } })
})

test("lets null replace the earlier value of a repeated entry", () => {
  expect(parseTypedJson('{"parts":{"a":{"name":"x"},"a":null}}', shape).value).toEqual({ parts: { a: null } })
  expect(parseTypedJson('{"parts":{"a":{"name":"x"}},"parts":{"a":{"count":1}}}', shape).value).toEqual({ parts: { a: { count: 1 } } })
})

test("reads a null entry as an empty struct and decodes the fields of entries like fields of structs", () => {
  expect(normalize(shape, { parts: { a: null } }).object).toEqual({ parts: { a: {} } })
  expect(() => normalize(shape, { parts: { a: { name: 1 } } })).toThrow(/parts\.a\.name/)
})

test("validates each entry against the stored entry of the same key", () => {
  const failures = new Failures()
  const object: JsonObject = { parts: { b: { count: 2 }, a: { count: 1 } } }
  const old: JsonObject = { parts: { a: { count: 1 }, b: { count: 1 } } }
  entries(object, "parts", CheckContext.of(object, { failures, old, vendor: vendorProfile("orch") }), (entry, context) => {
    const before = context.old as JsonObject | undefined // The stored entry.
    if (before?.["count"] !== entry["count"]) context.fail("Invalid", entry["count"], "may not change", "count")
  })
  expect(failures.list.map(({ field }) => field)).toEqual(["parts[b].count"])
})
