import { expect, test } from "vitest"
import { vendorProfile } from "../base/vendor.ts"
import { age, cell, cellOf, formatLabels, formatSelector, lbAddresses, selectorString, timeCell } from "./cells.ts"
import { humanDuration } from "./human-duration.ts"

const second = 1000
const hour = 3600 * second

test.each([
  [-2 * second, "<invalid>"],
  [-second, "0s"],
  [119 * second, "119s"],
  [120 * second, "2m"],
  [125 * second, "2m5s"],
  [599 * second, "9m59s"],
  [600 * second, "10m"],
  [179 * 60 * second, "179m"],
  [180 * 60 * second, "3h"],
  [7 * hour + 59 * 60 * second, "7h59m"],
  [8 * hour, "8h"],
  [47 * hour, "47h"],
  [48 * hour, "2d"],
  [49 * hour, "2d1h"],
  [192 * hour, "8d"],
  [17519 * hour, "729d"],
  [17520 * hour, "2y"],
  [17544 * hour, "2y1d"],
  [70080 * hour, "8y"],
])("%d ms is %s", (milliseconds, shown) => {
  expect(humanDuration(milliseconds)).toBe(shown)
})

test("the age of a time and of an absent time", () => {
  expect(age("1970-01-01T00:00:00Z", 90 * second)).toBe("90s")
  expect([age(undefined, 0), age("soon", 0), age(null, 0)]).toEqual(["<unknown>", "<unknown>", "<unknown>"])
})

test("labels are sorted by key", () => {
  expect(formatLabels({ b: "2", a: "1" })).toBe("a=1,b=2")
  expect([formatLabels({}), formatLabels(undefined)]).toEqual(["<none>", "<none>"])
})

test("prints selectors", () => {
  const selector = {
    matchLabels: { z: "1" },
    matchExpressions: [
      { key: "b", operator: "In", values: ["y", "x"] },
      { key: "a", operator: "DoesNotExist" },
      { key: "c", operator: "Exists" },
      { key: "d", operator: "NotIn", values: ["v"] },
    ],
  }
  expect(selectorString(selector)).toBe("!a,b in (x,y),c,d notin (v),z=1")
  const wrong = { matchExpressions: [{ key: "a", operator: "Near" }] }
  expect([selectorString(undefined), formatSelector({}), selectorString(wrong), formatSelector(wrong)]).toEqual([
    "",
    "<none>",
    "<invalid>",
    "<error>",
  ])
})

test("load balancer addresses are unique and sorted", () => {
  expect(lbAddresses([{ hostname: "b" }, { ip: "10.0.0.1", hostname: "x" }, { hostname: "b" }, {}])).toBe("10.0.0.1,b")
})

test("an absent cell shows the zero value of its column", () => {
  expect([cell(undefined, "string"), cell(null, "integer"), cell(undefined, "boolean"), cell(3, "string")]).toEqual(["", 0, false, 3])
})

test("creation times have whole seconds", () => {
  expect([timeCell("2026-01-02T03:04:05.678Z"), timeCell(undefined)]).toEqual(["2026-01-02T03:04:05Z", "0001-01-01T00:00:00Z"])
})

test("a named cell function runs once per row", () => {
  let calls = 0
  const make = (): string => `call ${++calls}`
  const [object, context] = [{}, { nowMs: 0, vendor: vendorProfile("orch") }]
  expect([cellOf(make, object, context), cellOf(make, object, context), cellOf(make, {}, context)]).toEqual(["call 1", "call 1", "call 2"])
})
