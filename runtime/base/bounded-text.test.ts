import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { invalid } from "./errors.ts"
import { failureCharactersMax, failuresMax, shownListCharactersMax, shownValueCharactersMax } from "./limits.ts"
import { shortJson, shortList, shortTexts } from "./bounded-text.ts"
import { Failures } from "./failure.ts"
import type { JsonObject, JsonValue } from "./json.ts"

describe("the JSON of a value in a message", () => {
  test("equals ordinary JSON, cut at the limit", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 60 }), (value, max) => {
        const whole = JSON.stringify(value)
        const wanted = whole.length > max ? `${whole.slice(0, max)}...` : whole
        expect(shortJson(JSON.parse(whole) as JsonValue, max)).toBe(wanted) // Valid JSON stays valid JSON.
      }),
    )
  })

  test("writes large integers as strings and omits undefined values", () => {
    expect(shortJson({ a: 2n ** 60n, b: undefined }, 100)).toBe('{"a":"1152921504606846976"}')
  })

  test("does not visit what it does not show", () => {
    const item = { name: "n" }
    let reads = 0
    const items = new Proxy(
      Array.from({ length: 100_000 }, () => item),
      {
        get(target, key, receiver) {
          reads++
          return Reflect.get(target, key, receiver)
        },
      },
    )
    expect(shortJson(items, 512)).toHaveLength(515)
    expect(reads).toBeLessThan(512)
  })
})

test("shows a list of strings as the reference does, cut at the limit", () => {
  expect(shortTexts(["a", 'b"'], 100)).toBe('[]string{"a", "b\\""}')
  expect(
    shortTexts(
      Array.from({ length: 1000 }, () => "x"),
      20,
    ),
  ).toBe('[]string{"x", "x", "...')
})

test("shows the beginning of a long list of names and counts the rest", () => {
  expect(shortList(["a", "b"])).toBe("a, b")
  const names = Array.from({ length: 100_000 }, (_, index) => `name-${index}`)
  const text = shortList(names)
  expect(text.length).toBeLessThan(shownListCharactersMax + 100)
  expect(text).toMatch(/^name-0, name-1, .*, and \d+ more$/)
  expect(shortList(["x".repeat(1_000_000)]).length).toBeLessThan(shownListCharactersMax + 100)
})

describe("failures", () => {
  test("are limited in number", () => {
    const failures = new Failures()
    for (let index = 0; index < 1000; index++) failures.add({ type: "Invalid", field: "a", value: index, detail: "" })
    expect([failures.list.length, failures.full]).toEqual([failuresMax, true])
  })

  test("are limited in length, however long the keys in their fields are", () => {
    const failures = new Failures()
    const field = `data[${"k".repeat(failureCharactersMax / 4)}]`
    for (let index = 0; index < 1000; index++) failures.add({ type: "Invalid", field, value: index, detail: "is wrong" })
    expect(failures.list.length).toBeLessThan(6)
    expect(failures.full).toBe(true)
  })

  test("show the beginning of a large value and read it once", () => {
    let reads = 0
    const value: JsonObject = Object.defineProperty({ more: Array.from({ length: 10_000 }, () => "text") }, "first", {
      enumerable: true,
      get: () => {
        reads++
        return 1
      },
    })
    const { message } = invalid({ group: "", resource: "Thing", name: "n" }, [{ type: "Invalid", field: "a", value, detail: "is wrong" }])
    expect(message.length).toBeLessThan(shownValueCharactersMax + 200)
    expect(reads).toBe(1)
  })
})
