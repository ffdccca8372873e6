import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ApiError } from "../base/errors.ts"
import { selectorRequirementsMax, selectorValuesMax } from "../base/limits.ts"
import { labelSelectorOf, labelSelectorOfMap, parseFieldSelector, parseLabelSelector, selectableFieldCheck } from "./selector.ts"
import type { LabelOperator } from "./label-requirement.ts"

const word = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,5}[a-z0-9])?$/)

const requirement = fc.oneof(
  fc.record({ key: word, operator: fc.constantFrom<LabelOperator>("=", "==", "!="), values: fc.tuple(fc.oneof(word, fc.constant(""))) }),
  fc.record({
    key: word,
    operator: fc.constantFrom<LabelOperator>("in", "notin"),
    values: fc.array(fc.oneof(word, fc.constant("")), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ key: word, operator: fc.constantFrom<LabelOperator>("exists", "!"), values: fc.constant<string[]>([]) }),
  fc.record({
    key: word,
    operator: fc.constantFrom<LabelOperator>("<", ">"),
    values: fc.tuple(fc.integer().map((number) => String(Math.abs(number)))),
  }),
)

function written({ key, operator, values }: { key: string; operator: LabelOperator; values: readonly string[] }, space: string): string {
  if (operator === "exists") return key
  if (operator === "!") return `!${space}${key}`
  if (operator === "in" || operator === "notin") return `${key} ${operator}${space}(${values.join(`${space},`)})`
  return `${key}${space}${operator}${space}${values[0] ?? ""}`
}

describe("label selectors", () => {
  test("print to text that parses to the same selector", () => {
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), fc.constantFrom("", " ", "\t"), (requirements, space) => {
        const selector = parseLabelSelector(requirements.map((one) => written(one, space)).join(`${space},`))
        expect(selector.requirements).toHaveLength(requirements.length)
        expect(parseLabelSelector(String(selector)).requirements).toEqual(selector.requirements)
      }),
    )
  })

  test.each([
    ["a", { a: "" }, {}],
    ["!a", {}, { a: "x" }],
    ["a=b", { a: "b" }, { a: "c" }],
    ["a==b", { a: "b" }, {}],
    ["a=", { a: "" }, {}],
    ["a!=b", {}, { a: "b" }],
    ["a in (b,c)", { a: "c" }, {}],
    ["a notin (b,c)", {}, { a: "c" }],
    ["a in (b,)", { a: "" }, { a: "c" }],
    ["a>5", { a: "6" }, { a: "5" }],
    ["a<5", { a: "-6" }, { a: "x" }],
    ["in in (in),notin", { in: "in", notin: "" }, { in: "notin", notin: "" }],
    ["constructor", { constructor: "x" }, {}],
  ])("%s", (text, match: Record<string, string>, other: Record<string, string>) => {
    const selector = parseLabelSelector(text)
    expect(selector.matches(match)).toBe(true)
    expect(selector.matches(other)).toBe(false)
  })

  test.each([
    ["a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')' (at character 9)"],
    ["a,", "found '', expected: identifier after ',' (at character 3)"],
    [",a", "found ',', expected: !, identifier, or 'end of string' (at character 1)"],
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, >, < (at character 3)"],
    ["!a=b", "found '=', expected: ',' or 'end of string' (at character 3)"],
    ["x,_a", /^unable to parse requirement: <nil>: Invalid value: "_a": name part must consist .*\(at character 3\)$/],
    ["a=_b", /^unable to parse requirement: values\[0\]\[a\]: Invalid value: "_b": a valid label must be/],
    ["a>x", /the value must be an integer/],
    ["a in b", "unable to parse requirement: found 'b' expected: '(' (at character 6)"],
  ])("refuses %s", (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message)
    expect(() => parseLabelSelector(text)).toThrow(ApiError)
  })

  test("are built from objects and maps as well", () => {
    const selector = labelSelectorOf({
      matchLabels: { b: "1" },
      matchExpressions: [
        { key: "a", operator: "In", values: ["y", "x"] },
        { key: "c", operator: "DoesNotExist" },
      ],
    })
    expect(String(selector)).toBe("a in (x,y),b=1,!c")
    expect(labelSelectorOf({}).matches({})).toBe(true)
    expect(labelSelectorOf(undefined).matches({})).toBe(false)
    expect(labelSelectorOf(undefined).empty).toBe(false)
    expect(labelSelectorOfMap({}).matches({ a: "b" })).toBe(false)
    expect(labelSelectorOfMap({ a: "b" }).matches({ a: "b" })).toBe(true)
    expect(() => labelSelectorOf({ matchExpressions: [{ key: "a", operator: "Near" }] })).toThrow(
      '"Near" is not a valid label selector operator',
    )
    expect(() => labelSelectorOf({ matchExpressions: [{ key: "a", operator: "In" }] })).toThrow("values set can't be empty")
  })

  test.each([
    { key: "a", operator: "x".repeat(100_000) },
    { key: "a", operator: { x: Array(100_000).fill("x") } },
    { key: "a", operator: "Exists", values: Array(100_000).fill("x") },
  ])("of an object show only the beginning of long values", (expression) => {
    expect(() => labelSelectorOf({ matchExpressions: [expression] })).toThrow(/^.{10,1000}$/)
  })
})

describe("field selectors", () => {
  const anything = (): undefined => undefined

  test("print to text that parses to the same selector, whatever the values", () => {
    const term = fc.record({ field: word, operator: fc.constantFrom<"=" | "!=">("=", "!="), value: fc.string() })
    fc.assert(
      fc.property(fc.array(term, { maxLength: 4 }), (terms) => {
        const text = terms.map(({ field, operator, value }) => `${field}${operator}${value.replace(/[\\,=]/g, "\\$&")}`).join(",")
        const selector = parseFieldSelector(text, anything)
        expect([...selector.requirements].map((one) => JSON.stringify(one)).sort()).toEqual(terms.map((one) => JSON.stringify(one)).sort())
        expect(parseFieldSelector(String(selector), anything).requirements).toEqual(selector.requirements)
      }),
    )
  })

  test("match and report the single value they require", () => {
    const selector = parseFieldSelector("metadata.name==a,spec.nodeName!=", anything)
    expect(selector.matches((field) => (field === "metadata.name" ? "a" : "node"))).toBe(true)
    expect(selector.matches((field) => (field === "metadata.name" ? "a" : ""))).toBe(false)
    expect(selector.required("metadata.name")).toBe("a")
    expect(selector.required("spec.nodeName")).toBeUndefined()
    expect(parseFieldSelector(",,", anything).empty).toBe(true)
    expect(parseFieldSelector("a=b\\,,c=d,", anything).requirements).toHaveLength(2)
    expect(parseFieldSelector("a=b\\,", anything).required("a")).toBe("b,")
  })

  test.each([
    ["a", "invalid selector: 'a'; can't understand 'a'"],
    ["a=b\\c", "invalid field selector: invalid escape sequence: \\c"],
    ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
    ["a=b=c", "invalid field selector: unescaped character in value: 61: write \\="],
  ])("refuses %s", (text, message) => {
    expect(() => parseFieldSelector(text, anything)).toThrow(message)
  })

  test("know the fields of the kind", () => {
    const pods = selectableFieldCheck(["status.phase"], { namespaced: true, custom: false })
    expect(() => parseFieldSelector("x=y", pods)).toThrow("field label not supported: x")
    expect(parseFieldSelector("status.phase=Running,metadata.namespace=n", pods).requirements).toHaveLength(2)
    const worded = selectableFieldCheck(["a"], { namespaced: true, custom: false, message: 'no "{field}" of kettles' })
    expect(worded("$&")).toBe('no "$&" of kettles')
    const cluster = { namespaced: false, custom: false }
    expect(selectableFieldCheck([], cluster)("foo")).toBe('"foo" is not a known field selector: only "metadata.name", "metadata.namespace"')
    expect(selectableFieldCheck(["spec.unschedulable"], cluster)("metadata.namespace")).toBe(
      "field label not supported: metadata.namespace",
    )
    const custom = selectableFieldCheck([], { namespaced: false, custom: true })
    for (const field of ["foo", "metadata.namespace"]) expect(custom(field)).toBe(`field label not supported: ${field}`)
  })
})

describe("the cost of a selector", () => {
  const label = fc.record({ a: word, b: word, c: fc.constantFrom("1", "5", "7", "-7", "x") }, { requiredKeys: [] })
  const few = fc.constantFrom("a", "b", "c", ...Array.from({ length: 12 }, (_, index) => `k${index}`))

  test("leaves its meaning unchanged", () => {
    const requirements = fc.array(fc.tuple(requirement, few, fc.constantFrom("1", "5", "7", "x", "a")), { maxLength: 14 })
    fc.assert(
      fc.property(requirements, label, (drawn, labels: Record<string, string>) => {
        const texts = drawn.map(([{ operator, values }, key, value]) => {
          const isNumber = operator === "<" || operator === ">"
          const meant = isNumber ? [value.replace(/\D/g, "3")] : values.length > 0 ? [value, ...values.slice(1)] : values
          return written({ key, operator, values: meant }, "")
        })
        const together = parseLabelSelector(texts.join(",")).matches(labels)
        expect(together).toBe(texts.every((text) => parseLabelSelector(text).matches(labels)))
      }),
      { numRuns: 2000 },
    )
  })

  function looks(selector: string): number {
    let count = 0
    const labels = new Proxy<Record<string, string>>(
      { app: "web", tier: "1" },
      {
        get(target, key): unknown {
          count++
          return Reflect.get(target, key)
        },
        getOwnPropertyDescriptor(target, key) {
          count++
          return Reflect.getOwnPropertyDescriptor(target, key)
        },
      },
    )
    parseLabelSelector(selector).matches(labels)
    return count
  }

  const manyKeys = Array.from({ length: selectorRequirementsMax }, (_, index) => `!k${index}`)
  const sameKey = Array.from({ length: selectorRequirementsMax }, (_, index) => `app!=v${index}`)
  test("does not grow with its requirements", () => {
    expect(looks(manyKeys.join(","))).toBeLessThanOrEqual(6)
    expect(looks(sameKey.join(","))).toBeLessThanOrEqual(6)
    let asked = 0
    const fields = parseFieldSelector(sameKey.join(","), () => undefined)
    fields.matches(() => String(asked++))
    expect(asked).toBe(1)
  })

  test("is limited when it is parsed", () => {
    for (const requirements of [manyKeys, sameKey])
      expect(() => parseLabelSelector([...requirements, "x"].join(","))).toThrow("more than 1000 requirements")
    expect(() => parseFieldSelector([...sameKey, "x=y"].join(","), () => undefined)).toThrow("more than 1000 requirements")
    const values = Array.from({ length: selectorValuesMax }, (_, index) => `v${index}`)
    expect(parseLabelSelector(`a in (${values.join(",")})`).matches({ a: "v9999" })).toBe(true)
    expect(() => parseLabelSelector(`a in (${values.join(",")},x)`)).toThrow("more than 10000 values")
    expect(() => parseLabelSelector(`a in (${values.join(",")}),b in (x)`)).toThrow("more than 10000 values")
  })
})
