import { expect, test } from "vitest"
import { failureText } from "../base/errors.ts"
import { Failures } from "../base/failure.ts"
import type { JsonObject } from "../base/json.ts"
import { vendorProfile } from "../base/vendor.ts"
import { limited, limits, nonEmpty, required, type TypeLimits } from "./check-limits.ts"
import { joinPaths } from "./reported.ts"
import { CheckContext, field, immutable, rule, unique } from "./validate.ts"
import { group, oneOf } from "./groups.ts"

function reported(run: (context: CheckContext) => void, old?: JsonObject): string[] {
  const failures = new Failures()
  const whole = CheckContext.of({ spec: {} }, { failures, vendor: vendorProfile("orch"), ...(old && { old: { spec: old } }) })
  run(whole.field("spec"))
  return failures.list.map((failure) => `${failure.field}: ${failureText(failure)}`)
}

function limitedTo(field: TypeLimits[string], value: JsonObject["value"]): string[] {
  const { mode } = limits({ mode: field })
  return reported((context) => {
    if (field.nonEmpty) nonEmpty(value, "mode", context, mode)
    if (field.required) required(value, "mode", context, mode)
    limited(value, context, mode)
  })
}

test.each([
  ["a", "b", "a.b"],
  ["a", "[0].b", "a[0].b"],
  ["", "b", "b"],
  ["a.b", "", "a.b"],
  ["a.b", ".", "a.b"],
  ["a.b", "./C[0]", "a.b.C[0]"],
  ["a.b", "../c", "a.c"],
  ["a.b[0]", "../c", "a.b.c"],
  ["a.b[x.y]", "..", "a.b"],
  ["a.b[0]", "../../c.d", "a.c.d"],
  ["a", "../../../c", "c"],
])("%s and %s make %s", (path, below, joined) => {
  expect(joinPaths(path, below)).toBe(joined)
})

test("a limit is reported in the words of the schema, and in its own without them", () => {
  const kinds = ["tea", "coffee"]
  expect(limitedTo({ enum: kinds }, "milk")).toEqual([`spec.mode: Unsupported value: "milk": supported values: "coffee", "tea"`])
  const first = { enum: { supported: ["tea", "coffee"] } }
  expect(limitedTo({ enum: kinds, failures: first }, "milk")).toEqual([
    `spec.mode: Unsupported value: "milk": supported values: "tea", "coffee"`,
  ])
  const invalid = { enum: { reason: "Invalid", message: "is no drink", at: "../drink" } } as const
  expect(limitedTo({ enum: kinds, failures: invalid }, "milk")).toEqual([`drink: Invalid value: "milk": is no drink`])
})

test("several faults of one value are reported once in the words of the schema", () => {
  const format = { format: "data-key", failures: { format: { message: "is no key" } } }
  expect(limitedTo(format, `${"x".repeat(300)}/`)).toHaveLength(1)
})

test("an absent value is shown as its zero value", () => {
  const invalid = { reason: "Invalid", message: "not a mode" } as const
  expect(limitedTo({ nonEmpty: true, absent: "", failures: { nonEmpty: invalid } }, undefined)).toEqual([
    `spec.mode: Invalid value: "": not a mode`,
  ])
  expect(limitedTo({ required: true, absent: "null", failures: { required: invalid } }, undefined)).toEqual([
    `spec.mode: Invalid value: "null": not a mode`,
  ])
  expect(limitedTo({ nonEmpty: true, failures: { nonEmpty: { message: "cannot be empty" } } }, "")).toEqual([
    "spec.mode: Required value: cannot be empty",
  ])
  const { mode } = limits({ mode: { absent: "" } })
  expect(reported((context) => immutable({}, "mode", context, "always", mode), { mode: "a" })).toEqual([
    `spec.mode: Invalid value: "": field is immutable`,
  ])
})

test("items may be reported with and without their index, elsewhere", () => {
  const items = (at: string): TypeLimits[string] => ({ items: { maxLength: 1, failures: { maxLength: { at } } } })
  expect(limitedTo(items("mode"), ["a", "bb"])).toEqual(["spec.mode: Too long: must have at most 1 bytes"])
  expect(limitedTo(items("../other[]"), ["a", "bb"])).toEqual(["other[1]: Too long: must have at most 1 bytes"])
  const { mode } = limits({ mode: { failures: { unique: { at: "mode" } } } })
  expect(reported((context) => unique({ mode: ["a", "a"] }, "mode", context, [], mode))).toEqual([`spec.mode: Duplicate value: "a"`])
})

test("a field may be named otherwise, with all below it", () => {
  const self = { metadata: { name: "A" } }
  const validate = (shown: string): string[] =>
    reported((context) => field(self, "metadata", context, (_value, inner) => inner.fail("Invalid", 1, "wrong", "name"), shown))
  expect(validate(".")).toEqual(["spec.name: Invalid value: 1: wrong"])
  expect(validate("../status.meta")).toEqual(["status.meta.name: Invalid value: 1: wrong"])
})

test("groups of fields and rules are reported in the words of the schema", () => {
  const forms = { second: { message: "one alone" }, required: { reason: "Invalid", value: "none", message: "one is needed" } } as const
  expect(reported((context) => oneOf({ a: 1, b: 2 }, context, group(["a", "b"], true, forms)))).toEqual(["spec.b: Forbidden: one alone"])
  expect(reported((context) => oneOf({}, context, group(["a", "b"], true, forms)))).toEqual([`spec: Invalid value: "none": one is needed`])
  const fault = { type: "NotSupported", at: "./Mode", value: () => "x", supported: ["y"], message: "" } as const
  expect(reported((context) => rule(false, {}, context, fault))).toEqual([`spec.Mode: Unsupported value: "x": supported values: "y"`])
})
