import { describe, expect, test } from "vitest"
import { Failures } from "../base/failure.ts"
import type { JsonObject } from "../base/json.ts"
import { vendorProfile } from "../base/vendor.ts"
import { FieldCheck, limited, nonEmpty, required, requiredOrNull, type TypeLimits } from "./check-limits.ts"
import { CheckContext } from "./validate.ts"

/** Failures of `self` at `spec`, as `type field value detail`. */
function faults(self: JsonObject, limits: TypeLimits, failures = new Failures()): string[] {
  const context = CheckContext.of({ spec: self }, { failures, vendor: vendorProfile("orch") }).field("spec")
  const checks = Object.entries(limits).map(([name, field]) => new FieldCheck(name, field))
  for (const { name, limits: field } of checks) {
    if (field.nonEmpty === true) nonEmpty(self[name], name, context)
    else if (field.required === true) required(self[name], name, context)
  }
  for (const check of checks) limited(self[check.name], context, check)
  return failures.list.map(({ type, field, value, detail, supported }) =>
    `${type} ${field} ${JSON.stringify(value) ?? "-"} ${supported?.join("|") ?? detail}`.trim(),
  )
}

/** The only failure of one value. */
function fault(value: JsonObject["value"], limits: TypeLimits[string]): string {
  return faults({ value }, { value: limits }).join("; ")
}

describe("each word", () => {
  test.each([
    ["x", { enum: ["A", "B"] }, 'NotSupported spec.value "x" A|B'],
    [0, { minimum: 1, maximum: 9 }, "Invalid spec.value 0 must be between 1 and 9, inclusive"],
    [10, { minimum: 1, maximum: 9 }, "Invalid spec.value 10 must be between 1 and 9, inclusive"],
    [0, { minimum: 1 }, "Invalid spec.value 0 must be greater than or equal to 1"],
    [10, { maximum: 9 }, "Invalid spec.value 10 must be less than or equal to 9"],
    [1, { exclusiveMinimum: 1, maximum: 9 }, "Invalid spec.value 1 must be greater than 1"],
    [9, { minimum: 1, exclusiveMaximum: 9 }, "Invalid spec.value 9 must be less than 9"],
    [0, { minimum: 1, exclusiveMaximum: 9 }, "Invalid spec.value 0 must be greater than or equal to 1"],
    [0.35, { multipleOf: 0.1 }, "Invalid spec.value 0.35 must be a multiple of 0.1"],
    ["", { pointer: true, minLength: 1 }, 'Invalid spec.value "" must have at least 1 character, has 0'],
    ["aaaa", { maxLength: 3 }, 'TooLong spec.value "aaaa" must have at most 3 bytes'],
    ["b", { pattern: "^a$" }, 'Invalid spec.value "b" must match the regular expression ^a$'],
    ["a/b", { format: "ip" }, 'Invalid spec.value "a/b" must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    [[1, 2, 3], { maxItems: 2 }, "TooMany spec.value 3 must have at most 2 items"],
    [[], { minItems: 1 }, "Invalid spec.value [] must have at least 1 item"],
    [{ a: 1, b: 2 }, { maxProperties: 1 }, "TooMany spec.value 2 must have at most 1 items"],
    [{}, { minProperties: 2 }, "Invalid spec.value {} must have at least 2 items"],
  ] as const)("%j under %j", (value, limits, expected) => {
    expect(fault(structuredClone<typeof value>(value) as JsonObject["value"], limits)).toBe(expected)
  })

  test("accepts values at the limit, and values of another type", () => {
    expect(fault(1, { minimum: 1, maximum: 1 })).toBe("")
    expect(fault(5n, { exclusiveMinimum: 4, exclusiveMaximum: 6, multipleOf: 5 })).toBe("")
    expect(fault("éé", { minLength: 2, maxLength: 2 })).toBe("")
    expect(fault("text", { minimum: 1, minItems: 1, minProperties: 1 })).toBe("")
    expect(fault(0.3, { multipleOf: 0.1 })).toBe("")
  })
})

describe("paths", () => {
  test("items, values and keys are reported at the entry; labels at the map", () => {
    const self = { list: ["a", "b"], deep: [["a"], ["b"]], data: { "a/b": "v" }, labels: { "a/b/c": "-" } }
    const limits: TypeLimits = {
      list: { items: { pattern: "^a$" } },
      deep: { items: { items: { pattern: "^a$" } } },
      data: { keys: { maxLength: 1 }, values: { enum: ["w"] } },
      labels: { keys: { format: "label-key", maxLength: 4 }, values: { format: "label-value", maxLength: 0 } },
    }
    expect(faults(self, limits).map((line) => line.slice(0, 44))).toEqual([
      'Invalid spec.list[1] "b" must match the regu',
      'Invalid spec.deep[1][0] "b" must match the r',
      'TooLong spec.data[a/b] "a/b" must have at mo',
      'NotSupported spec.data[a/b] "v" w',
      'TooLong spec.labels "a/b/c" must have at mos',
      'Invalid spec.labels "a/b/c" a qualified name',
      'TooLong spec.labels[a/b/c] "-" must have at ',
      'Invalid spec.labels "-" a valid label must b',
    ])
  })
})

describe("absent and empty", () => {
  test("absent where required, empty where not to be empty", () => {
    const limits: TypeLimits = { b: { required: true }, c: { nonEmpty: true }, d: { nonEmpty: true, required: true } }
    expect(faults({ d: [] }, limits)).toEqual(["Required spec.b -", "Required spec.c -", "Required spec.d -"])
  })

  test("null is absent where required, and a value where the field may be null", () => {
    expect(fault(null, { required: true })).toBe("Required spec.value -")
    const failures = new Failures()
    const context = CheckContext.of({ value: null }, { failures, vendor: vendorProfile("orch") })
    requiredOrNull(null, "value", context)
    expect(failures.list).toEqual([])
    requiredOrNull(undefined, "value", context)
    expect(failures.list).toHaveLength(1)
  })

  test("the empty text: ignored unless absent and empty differ; an enum ignores it where it is always written", () => {
    const own = { enum: ["A"], minLength: 1 }
    expect(fault("", own)).toBe("")
    expect(fault("", { ...own, keepEmpty: true })).toContain("at least 1 character")
    expect(fault("", { ...own, keepEmpty: true })).not.toContain("NotSupported")
    expect(fault("", { ...own, pointer: true })).toMatch(/^NotSupported .* A; Invalid .* at least 1 character/)
    expect(fault("", { ...own, pointer: true, nonEmpty: true })).toBe('Required spec.value -; NotSupported spec.value "" A')
  })
})

test("stops when the failures are full", () => {
  let read = 0
  const list = new Proxy([1, 2, 3, 4, 5, 6, 7, 8], {
    get(target, name) {
      if (typeof name === "string" && /^\d+$/.test(name)) read++
      return Reflect.get(target, name)
    },
  })
  expect(faults({ list }, { list: { items: { maximum: 0 } } }, new Failures(2))).toHaveLength(2)
  expect(read).toBe(2)
})
