import { describe, expect, test } from "vitest"
import { ruleStepsMax } from "../base/limits.ts"
import { vendorProfile } from "../base/vendor.ts"
import { add, all, exists, existsOne, filter, map, size, type Value, within } from "./expression.ts"
import { RuleStepsError } from "./expression-steps.ts"
import { Failures } from "../base/failure.ts"
import type { JsonObject } from "../base/json.ts"
import { CheckContext, items, rule } from "./validate.ts"

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
const texts = (count: number): string[] => numbers(count).map((index) => `t${index}`)

describe("an expression", () => {
  test("walks once through a list of the greatest length that a document can have", () => {
    const list = numbers(ruleStepsMax - 1)
    expect(all(list, () => true)).toBe(true)
    expect(exists(list, () => false)).toBe(false)
    expect(size(filter(list, (value) => value === 5))).toBe(1)
    expect(existsOne(list, (value) => value === 5)).toBe(true)
  })

  test("compares two lists of a thousand items, and a long list with many short ones", () => {
    const list = numbers(999)
    expect(all(list, (left) => exists(list, (right) => left === right))).toBe(true)
    const short = numbers(16)
    expect(all(numbers(100_000), () => !exists(short, () => false))).toBe(true)
  })

  test.each<[string, (list: number[]) => Value]>([
    ["macros within macros", (list) => all(list, () => !exists(list, () => false))],
    ["a search in a list for each item", (list) => all(list, (value) => within(value, list) || true)],
    ["lists that are joined for each item", (list) => map(list, () => add(list, list))],
    ["a text that is looked through for each item", (list) => all(list, () => size("x".repeat(100_000)) > 0)],
  ])("stops after too many steps: %s", (_, evaluate) => {
    expect(() => evaluate(numbers(5000))).toThrow(RuleStepsError)
    expect(() => evaluate(numbers(5000))).toThrow(
      expect.objectContaining({ code: 422, message: expect.stringContaining(`${ruleStepsMax} steps`) }),
    )
    expect(all(numbers(5000), () => true)).toBe(true)
  })

  test("looks up strings in a long list without scanning it each time", () => {
    const [list, others] = [texts(50_000), texts(50_000).reverse()]
    expect(all(others, (value) => within(value, list))).toBe(true)
    expect(all(["absent"], (value) => within(value, list))).toBe(false)
  })
})

describe("the rules of one object", () => {
  const judge = (object: JsonObject, broken: (item: JsonObject) => boolean): Failures => {
    const failures = new Failures()
    const context = CheckContext.of(object, { failures, vendor: vendorProfile("orch") })
    items(object, "items", context, (item, below) => {
      const message = "must be named in the list"
      rule(!broken(item), item, below, { type: "Invalid", at: "name", message })
    })
    return failures
  }
  const itemsOf = (count: number): JsonObject[] => texts(count).map((name) => ({ name }))

  test("name rule and path when each is quick and all together are not, and stop validation", () => {
    const names = numbers(10_000)
    let asked = 0
    const failures = judge({ items: itemsOf(5000) }, () => {
      asked++
      return exists(names, (name) => name === -1)
    })
    expect(asked).toBe(Math.floor(ruleStepsMax / names.length) + 1)
    const detail = expect.stringMatching(new RegExp(`${ruleStepsMax} steps.*; the rule was: must be named in the list`))
    expect(failures.list).toEqual([{ type: "Forbidden", field: `items[${asked - 1}]`, value: undefined, detail }])
  })

  test("name the path when one rule alone takes too long", () => {
    const names = numbers(5000)
    const failures = judge({ items: itemsOf(10) }, () => exists(names, () => exists(names, () => false)))
    expect(failures.list).toMatchObject([{ type: "Forbidden", field: "items[0]" }])
  })

  test("count for that object alone", () => {
    const names = numbers(ruleStepsMax - 10)
    for (let round = 0; round < 3; round++) expect(judge({ items: itemsOf(1) }, () => exists(names, () => false)).empty).toBe(true)
  })
})
