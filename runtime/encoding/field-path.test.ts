import fc from "fast-check"
import { expect, test } from "vitest"
import { messageCharactersMax } from "../base/limits.ts"
import { copyFields, copyPath, deepClone, deepEqual, deletePath, FieldPath, getPath, setPath } from "./field-path.ts"
import type { JsonObject } from "../base/json.ts"

test("reads, writes, removes and copies at dotted paths", () => {
  const object: JsonObject = { spec: { replicas: 1 } }
  expect(getPath(object, "spec.replicas")).toBe(1)
  expect(getPath(object, "spec.template.name")).toBeUndefined()
  setPath(object, "spec.template.name", "a")
  expect(object).toEqual({ spec: { replicas: 1, template: { name: "a" } } })
  expect(deletePath(object, "spec.template")).toBe(true)
  expect(deletePath(object, "spec.template.name")).toBe(false)
  const other: JsonObject = { status: { old: true } }
  copyPath(object, other, "status")
  copyPath(object, other, "spec")
  expect(other).toEqual({ spec: { replicas: 1 } })
})

test("treats prototype names as ordinary names", () => {
  const object: JsonObject = {}
  expect(getPath(object, "constructor.name")).toBeUndefined()
  setPath(object, "__proto__.polluted", true)
  expect(Object.getPrototypeOf({})).not.toHaveProperty("polluted")
  expect(getPath(object, "__proto__.polluted")).toBe(true)
  expect(Object.hasOwn(deepClone(object), "__proto__")).toBe(true)
})

test("compares values as JSON", () => {
  expect(deepEqual({ a: 1, b: undefined }, { a: 1n })).toBe(true)
  expect(deepEqual({ a: 1 }, { a: 1, b: null })).toBe(false)
  expect(deepEqual({ a: undefined }, { b: 1 })).toBe(false)
  expect(deepEqual([1, 2], [2, 1])).toBe(false)
  expect(deepEqual(9007199254740993n, 9007199254740992n)).toBe(false)
  expect(deepEqual(1.5, 1.5)).toBe(true)
  expect(deepEqual("1", 1)).toBe(false)
})

test("a clone equals its original and shares nothing with it", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const original = JSON.parse(JSON.stringify(value))
      const copy = deepClone(original)
      expect(deepEqual(copy, original)).toBe(true)
      expect(copy).not.toBe(original)
    }),
  )
})

test("shows paths as failures name them", () => {
  const path = FieldPath.root.child("spec").child("ports").index(0).child("port")
  expect(String(path)).toBe("spec.ports[0].port")
  expect(String(FieldPath.of("metadata").child("labels").key("a.b"))).toBe("metadata.labels[a.b]")
  expect(String(FieldPath.root)).toBe("")
})

test("shows no more of a path than fits into a message", () => {
  const key = "k".repeat(1_000_000)
  expect(String(FieldPath.root.child("data").key(key).child("x"))).toBe(`data[${"k".repeat(messageCharactersMax - 5)}...`)
  let deep = FieldPath.root
  for (let level = 0; level < 1000; level++) deep = deep.key(key)
  expect(String(deep)).toHaveLength(messageCharactersMax + 3)
})

test("copies fields as a spread does", () => {
  const many = Object.fromEntries(
    Array.from({ length: 3000 }, (_none, index) => [index % 3 === 0 ? `k${index}` : String(index * 17), index]),
  )
  for (const object of [many, { a: 1, b: "2" }, JSON.parse(`{"__proto__":1,${JSON.stringify(many).slice(1)}`)]) {
    expect(JSON.stringify(copyFields(object))).toBe(JSON.stringify({ ...object }))
  }
})
