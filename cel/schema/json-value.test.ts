import { expect, test } from "vitest"
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import { Environment } from "../environment.ts"
import { isError } from "../values/error.ts"
import { ErrorValue, type Value } from "../values/value.ts"
import { declaredType, maxCardinality } from "./declared-type.ts"
import { readerOf } from "./json-value.ts"
import type { Schema } from "./schema.ts"

/** A schema as definitions write it. */
function schemaOf(source: JsonObject): Schema {
  const child = (json: JsonValue | undefined): Schema => schemaOf(json as JsonObject)
  const { type, properties, items, additionalProperties, nullable } = source
  return {
    ...(type !== undefined && { type: type as NonNullable<Schema["type"]> }),
    properties: new Map(Object.entries((properties ?? {}) as JsonObject).map(([name, json]) => [name, child(json)])),
    ...(items !== undefined && { items: child(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: child(additionalProperties) }),
    nullable: nullable === true,
    preserveUnknown: source.preserve === true,
    embedded: source.embedded === true,
    intOrString: source.intOrString === true,
    ...(source.listType !== undefined && { listType: source.listType as NonNullable<Schema["listType"]> }),
    listMapKeys: (source.keys ?? []) as string[],
    source,
  }
}

function read(schema: Schema, json: JsonValue): Value {
  const value = readerOf(schema)(json)
  if (isError(value)) throw new Error(value.message)
  return value
}

/** The result of an expression over `self` and `other`, which have the same schema. */
function evaluate(expression: string, source: JsonObject, self: JsonValue, other: JsonValue = self): unknown {
  const schema = schemaOf(source)
  const type = declaredType(schema, "selfType")?.type
  if (type === undefined) throw new Error("no type")
  const compiled = new Environment({ variables: { self: type, other: type } }).compile(expression)
  if (!("program" in compiled)) throw new Error("issues" in compiled ? compiled.issues.text : compiled.fault)
  const { value } = compiled.program.evaluate({ self: read(schema, self), other: read(schema, other) })
  return value instanceof ErrorValue ? value.message : value
}

const open: JsonObject = { type: "object", preserve: true, properties: { known: { type: "integer" } } }

test("unknown fields count when objects are compared", () => {
  expect(evaluate("self == other", open, { known: 1, x: { y: [1] } }, { known: 1, x: { y: [1] } })).toBe(true)
  expect(evaluate("self == other", open, { known: 1, x: { y: [1] } }, { known: 1, x: { y: [2] } })).toBe(false)
  expect(evaluate("self == other", open, { known: 1, x: 1 }, { known: 1 })).toBe(false)
})

test("a field that is null is absent, and an object that has one equals no other", () => {
  const source = { type: "object", properties: { a: { type: "string", nullable: true } } }
  expect(evaluate("has(self.a)", source, { a: null })).toBe(false)
  expect(evaluate("self == other", source, { a: null }, { a: null })).toBe(false)
})

test("names that every object of JavaScript has are not fields", () => {
  const source = { type: "object", properties: { constructor: { type: "string" }, toString: { type: "string" } } }
  expect(evaluate("has(self.constructor) || has(self.toString)", source, {})).toBe(false)
  const map = { type: "object", additionalProperties: { type: "string" } }
  expect(evaluate("'constructor' in self || 'hasOwnProperty' in self", map, {})).toBe(false)
})

test("a text that its format does not allow is an error where it is read", () => {
  const source = { type: "object", properties: { data: { type: "string", format: "byte" }, ok: { type: "boolean" } } }
  expect(evaluate("self.data.size() > 0", source, { data: "a+b/" })).toBe("Invalid byte formatted string a+b/")
  expect(evaluate("self.data.size() > 0 || self.ok", source, { data: "a+b/", ok: true })).toBe(true)
  expect(evaluate("self.data == b'hi'", source, { data: "aGk=" })).toBe(true)
})

test("a null that the schema does not allow is an error", () => {
  const source = { type: "array", items: { type: "string" } }
  expect(evaluate("self.all(x, x == 'a')", source, ["a", null])).toBe("invalid data, got null for schema with nullable=false")
  expect(evaluate("self[0] == 'a'", source, ["a", null])).toBe(true)
})

test("sets have no order, and each element once", () => {
  const source = { type: "array", listType: "set", items: { type: "string" } }
  expect(evaluate("self == other", source, ["a", "b"], ["b", "a"])).toBe(true)
  expect(evaluate("(self + other).size()", source, ["a", "b"], ["b", "c", "c"])).toBe(3)
})

test("lists of keyed objects are compared and joined by key", () => {
  const items = { type: "object", properties: { k: { type: "string" }, v: { type: "integer" } } }
  const source = { type: "array", listType: "map", keys: ["k"], items }
  const one = { k: "a", v: 1 }
  const two = { k: "b", v: 2 }
  expect(evaluate("self == other", source, [one, two], [two, one])).toBe(true)
  expect(evaluate("self == other", source, [one], [{ k: "a", v: 2 }])).toBe(false)
  expect(evaluate("(self + other)[0].v", source, [one, two], [{ k: "a", v: 9 }])).toBe(9)
  expect(evaluate("(self + other).size()", source, [one], [two])).toBe(2)
})

test("integers beyond 53 bits stay exact", () => {
  const source = { type: "object", properties: { n: { type: "integer" } } }
  expect(evaluate("self.n + 1", source, { n: 9_007_199_254_740_993n })).toBe(9_007_199_254_740_994n)
})

test("a loop over a long list ends when it has cost its limit", () => {
  const schema = schemaOf({ type: "array", items: { type: "integer" } })
  const type = declaredType(schema, "selfType")?.type
  if (type === undefined) throw new Error("no type")
  const compiled = new Environment({ variables: { self: type } }).compile("self.all(x, self.all(y, x + y >= 0))")
  if (!("program" in compiled)) throw new Error("it does not compile")
  const self = read(
    schema,
    Array.from({ length: 100_000 }, (_, index) => index),
  )
  const { value, cost } = compiled.program.evaluate({ self }, { costLimit: 1_000_000 })
  expect(value).toEqual(new ErrorValue("operation cancelled: actual cost limit exceeded", true))
  expect(cost).toBeLessThan(1_000_100)
})

test.each([
  [{ type: "integer" }, 1_572_864],
  [{ type: "boolean" }, 629_145],
  [{ type: "object", required: ["name"], properties: { name: { type: "string" } } }, 241_979],
])("%j can be %i times in a request", (source, times) => {
  const declared = declaredType(schemaOf(source), "selfType")
  expect(maxCardinality(declared?.minSerializedSize ?? 0)).toBe(times)
})
