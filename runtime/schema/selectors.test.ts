import { expect, test } from "vitest"
import { isSelector, matchesSelector } from "./selectors.ts"
import { checkFormat } from "./formats.ts"

test.each([
  [undefined, true],
  [{}, true],
  [{ matchLabels: { a: "b" }, matchExpressions: [{ key: "c", operator: "In", values: ["d"] }] }, true],
  [{ matchLabels: { "Bad Key!": "b" } }, false],
  [{ matchLabels: { a: "b c" } }, false],
  [{ matchExpressions: [{ key: "a", operator: "" }] }, false],
  [{ matchExpressions: [{ key: "a", operator: "In" }] }, false],
  [{ matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] }, false],
  [{ matchExpressions: [{ operator: "Exists" }] }, false],
])("%j can be evaluated: %s", (selector, isOne) => {
  expect(isSelector(selector)).toBe(isOne)
})

test("an absent selector can be evaluated and matches nothing", () => {
  expect([isSelector(undefined), matchesSelector(undefined, { a: "b" })]).toEqual([true, false])
})

test("the case of a time zone counts", () => {
  expect(["Europe/Berlin", "US/Pacific", "UTC"].map((zone) => checkFormat("iana-time-zone", zone))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(checkFormat("iana-time-zone", "europe/berlin")).toBe("unknown time zone europe/berlin")
})
