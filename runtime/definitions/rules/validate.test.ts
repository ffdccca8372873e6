/** Rules over objects, with the reference's answers, which `record.ts` records. */
import { describe, expect, it } from "vitest"
import { failureText } from "../../base/errors.ts"
import { Failures } from "../../base/failure.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { atOnce } from "../../base/turns.ts"
import { defaultObject } from "../objects/defaults.ts"
import { pruneObject } from "../objects/prune.ts"
import { validateObject } from "../objects/validate.ts"
import { structuralOf } from "../structural.ts"
import { unchangedCases } from "../../../test/support/unchanged-cases.ts"
import { objectOf, type RuleAnswer, ruleAnswers, type RuleCase, ruleCases, type RuleWrite, schemaOf } from "./rule-cases.ts"
import { validateRules, validatingRules, validatingRulesAfterValues } from "./validate.ts"

const answers = ruleAnswers()

describe.each(ruleCases().map((one) => [one.name, one] as const))("rules: %s", (name, one) => {
  it.each(one.writes.map((write, index) => [index, write] as const))("write %i", (index, write) => {
    const { causes = [], warnings = [] } = answers[name]?.[index] ?? {}
    const found = answerTo(one, write)
    // The reference visits the fields of an object in random order.
    expect(found.causes.toSorted(byText)).toEqual(causes.toSorted(byText))
    expect((found.warnings ?? []).toSorted()).toEqual(warnings.toSorted())
  })
})

function answerTo(one: RuleCase, { spec, old }: RuleWrite): RuleAnswer {
  const schema = structuralOf(schemaOf(one), "x-kubernetes-")
  const read = (part: JsonObject): JsonObject => {
    const object = { apiVersion: "rules.example.com/v1", kind: "Rule", ...objectOf(one, part, "x0") }
    pruneObject(object, schema)
    defaultObject(object, schema)
    return object
  }
  const object = read(spec)
  const stored = old && { old: read(old) }
  const failures = new Failures()
  validateObject(object, schema, failures, stored)
  const warnings: string[] = []
  atOnce(validatingRulesAfterValues(object, schema, failures, { ...stored, warnings }))
  const causes = failures.list.map((failure) => ({
    reason: `FieldValue${failure.type}`,
    field: failure.field,
    message: failureText(failure),
  }))
  return { causes, warnings }
}

function byText(left: object, right: object): number {
  return JSON.stringify(left) < JSON.stringify(right) ? -1 : 1
}

// A changed value is refused, whatever its type; an unchanged one may stay.
describe.each(unchangedCases)("an update of $name", ({ schema: of, old, same, changed }) => {
  const rules = [{ rule: "false", message: "never" }]
  const refusing = structuralOf({ type: "object", properties: { spec: { ...of, "x-kubernetes-validations": rules } } }, "x-kubernetes-")
  const answersTo = (spec: JsonValue): object => {
    const [failures, warnings]: [Failures, string[]] = [new Failures(), []]
    validateRules({ spec }, refusing, failures, { old: { spec: old }, warnings })
    return { refused: failures.list.map(({ field }) => field), warned: warnings.length }
  }
  it.each(same.map((spec) => [spec]))("to %j changes nothing", (spec) => expect(answersTo(spec)).toEqual({ refused: [], warned: 1 }))
  it.each(changed.map((spec) => [spec]))("to %j is a change", (spec) => expect(answersTo(spec)).toEqual({ refused: ["spec"], warned: 0 }))
})

describe("rules of large objects", () => {
  const listOf = (rule: string): JsonObject => ({
    type: "object",
    properties: { spec: { type: "array", items: { type: "integer", "x-kubernetes-validations": [{ rule }] } } },
  })
  const object = { spec: Array.from({ length: 50_000 }, (_, index) => index) }

  it("are evaluated in stages", () => {
    const failures = new Failures()
    expect([...validatingRules(object, structuralOf(listOf("self >= 0"), "x-kubernetes-"), failures)].length).toBeGreaterThan(2)
    expect(failures.empty).toBe(true)
  })

  it("are compiled in stages for the first object", () => {
    const count = 200
    const rules = Array.from({ length: count }, (_, index) => ({ rule: `self.size() < ${1000 + index}` }))
    const source: JsonObject = {
      type: "object",
      properties: { spec: { type: "array", items: { type: "integer" }, "x-kubernetes-validations": rules } },
    }
    const schema = structuralOf(source, "x-kubernetes-")
    const stagesOf = (): number => [...validatingRules({ spec: [1] }, schema, new Failures())].length
    // A rule takes at most a fifth of a turn.
    expect(stagesOf()).toBeGreaterThanOrEqual(count / 10)
    expect(stagesOf()).toBe(0)
  })

  it("are compiled once for requests that need them at the same time", () => {
    const rules = Array.from({ length: 20 }, (_, index) => ({ rule: `self.spec < ${1000 - index}` }))
    const schema = structuralOf(
      { type: "object", properties: { spec: { type: "integer" } }, "x-kubernetes-validations": rules },
      "x-kubernetes-",
    )
    const requests = [995, 5, 1001].map((spec) => {
      const failures = new Failures()
      return { failures, stages: validatingRules({ spec }, schema, failures) }
    })
    let stages = 0
    let running = requests
    while (running.length > 0) {
      running = running.filter(({ stages: one }) => one.next().done !== true)
      stages += running.length
    }
    expect(requests.map(({ failures }) => failures.list.length)).toEqual([15, 0, 20])
    expect(stages).toBeLessThan(20)
  })

  it("of parts that no object has are not compiled", () => {
    const never = { type: "object", "x-kubernetes-validations": [{ rule: "self.there is no rule" }] }
    const source = { type: "object", properties: { one: never, other: { type: "integer" } } }
    const failures = new Failures()
    validateRules({ other: 1 }, structuralOf(source, "x-kubernetes-"), failures)
    expect(failures.list).toEqual([])
    validateRules({ one: {} }, structuralOf(source, "x-kubernetes-"), failures)
    expect(failures.list[0]?.detail).toMatch(/^rule compile error: /)
  })

  it("end with the budget", () => {
    const failures = new Failures()
    validateRules(object, structuralOf(listOf("self >= 0"), "x-kubernetes-"), failures, { budget: 1000 })
    const detail = "validation failed due to running out of cost budget, no further validation rules will be run"
    expect(failures.list).toEqual([{ type: "Invalid", field: expect.stringMatching(/^spec\[\d+\]$/), value: "integer", detail }])
  })

  it("end with as many failures as a response holds", () => {
    const failures = new Failures()
    validateRules(object, structuralOf(listOf("self < 0"), "x-kubernetes-"), failures)
    expect(failures.list.length).toBe(256)
  })
})
