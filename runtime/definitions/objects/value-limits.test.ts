/** The work on one object by its schema is limited, and no uninterruptible part of it is long. */
import { expect, it } from "vitest"
import { Failures } from "../../base/failure.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { checkedValuesMax, junctorValuesMax } from "../limits.ts"
import { structuralOf } from "../structural.ts"
import { validateObject } from "./validate.ts"

const text = { type: "string" }

function failuresOf(spec: JsonObject, value: JsonValue): Failures["list"] {
  const failures = new Failures()
  validateObject({ spec: value }, structuralOf({ type: "object", properties: { spec } }, "x-kubernetes-"), failures)
  return failures.list
}

function many<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

it("ends when each of many values is compared with each of many others", () => {
  const numbers = many(30_000, (index) => index)
  const [failure, ...others] = failuresOf({ type: "array", items: { type: "integer", enum: numbers } }, numbers)
  expect(others).toEqual([])
  expect(failure?.detail).toContain(`checking the object takes more than ${checkedValuesMax} steps`)
})

it("ends when junctors speak of the same values again and again", () => {
  const again = many(300, () => ({ items: { properties: { a: { minLength: 1 } } } }))
  const list = { type: "array", items: { type: "object", properties: { a: text } } }
  const values = many(3000, () => ({ a: "x" }))
  for (const word of ["allOf", "oneOf", "anyOf"]) {
    const branches = word === "anyOf" ? many(300, () => ({ items: { properties: { a: { minLength: 2 } } } })) : again
    const details = failuresOf({ ...list, [word]: branches }, values).map(({ detail }) => detail)
    expect(details.join(" ")).toContain(`takes more than ${junctorValuesMax} steps`)
  }
  const sizes = many(5000, () => ({ maxProperties: 100_000 }))
  const wide = Object.fromEntries(many(16_000, (index) => [`k${index}`, "v"]))
  const [failure] = failuresOf({ type: "object", additionalProperties: text, allOf: sizes }, wide)
  expect(failure?.detail).toContain(`takes more than ${junctorValuesMax} steps`)
})

it("takes what published definitions have", () => {
  const texts = many(60_000, (index) => `e${index}`)
  expect(failuresOf({ type: "array", items: { type: "string", enum: texts } }, texts)).toEqual([])
  const alternatives = many(10, (index) => ({ properties: { a: { maxLength: 100 + index } } }))
  const items = { type: "object", properties: { a: text }, allOf: alternatives }
  expect(
    failuresOf(
      { type: "array", items },
      many(10_000, () => ({ a: "x" })),
    ),
  ).toEqual([])
})

it("says that a search for a pattern takes too long", () => {
  const [failure] = failuresOf({ type: "string", pattern: "a[ab]{1000}c" }, `${"abbaabab".repeat(10_000)}c`)
  expect(failure?.detail).toContain("but the search for the pattern takes more than 1000000 steps")
})
