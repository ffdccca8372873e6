import fc from "fast-check"
import { expect, test } from "vitest"
import { isObject } from "../base/json.ts"
import type { JsonObject, JsonValue } from "../base/json.ts"
import { applyMergePatch } from "./merge-patch.ts"

test.each<[JsonObject, JsonObject, JsonObject]>([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: { b: "c", d: 1 } }, { a: { b: "d", c: null } }, { a: { b: "d", d: 1 } }],
  [{ a: "c" }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  [{ a: { b: 1 } }, { a: [{ c: null }] }, { a: [{ c: null }] }],
  [{}, { a: [{ c: null, d: 1 }, null] }, { a: [{ d: 1 }, null] }],
  [{ a: null }, { a: { b: null } }, { a: {} }],
])("%j with %j is %j", (object, patch, result) => {
  expect(applyMergePatch(object, patch)).toEqual(result)
})

test.each<[JsonValue]>([[null], [5], [[1]], ["x"]])("refuses %j", (patch) => {
  expect(() => applyMergePatch({}, patch)).toThrow("a merge patch must be a JSON object")
})

test("accepts __proto__ as a name", () => {
  const result = applyMergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}'))
  expect(Object.hasOwn(result, "__proto__")).toBe(true)
  expect(Object.getPrototypeOf({})).not.toHaveProperty("polluted")
})

const { object } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, fc.constantFrom<JsonValue>(null, 1, "x", true, [], ["y"]), tie("object")),
  object: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 3 }),
}))

/** The algorithm of RFC 7386, section 2, literally. */
function model(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch
  const result: JsonObject = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete result[name]
    else result[name] = model(result[name], value)
  }
  return result
}

test("follows RFC 7386 and changes neither argument", () => {
  fc.assert(
    fc.property(object, object, (target, patch) => {
      const before = JSON.stringify([target, patch])
      expect(applyMergePatch(target, patch)).toEqual(model(target, patch))
      expect(JSON.stringify([target, patch])).toBe(before)
    }),
  )
})
