/** Recorded refusals of updates, status and scale by kube-apiserver 1.30, compared with this code. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { shortJson } from "../../base/bounded-text.ts"
import { invalid } from "../../base/errors.ts"
import { type Failure, Failures } from "../../base/failure.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { atOnce } from "../../base/turns.ts"
import { deepClone } from "../../encoding/field-path.ts"
import { type Structural, structuralOf } from "../structural.ts"
import { unchangedCases } from "../../../test/support/unchanged-cases.ts"
import { pruneObject } from "./prune.ts"
import { scalePathsOf } from "./scale.ts"
import { selectableFieldsOf } from "./selectable.ts"
import { findingFailures, preventRules, validateObject, validatingObject, validatingStatus } from "./validate.ts"

/** Reason, field and message. */
type Cause = readonly [string, string, string]

interface RecordedUpdates {
  readonly schema: JsonObject
  /** `old` was stored before its schema refused it. */
  readonly updates: readonly { readonly old: JsonObject; readonly object: JsonObject; readonly causes: readonly Cause[] }[]
  readonly scaledSchema: JsonObject
  readonly scale: JsonValue
  readonly statuses: readonly { readonly status: JsonValue; readonly causes: readonly Cause[] }[]
  readonly creates: readonly { readonly object: JsonObject; readonly causes: readonly Cause[] }[]
}

const recorded: RecordedUpdates = parse(readFileSync(new URL("recorded/updates.yaml", import.meta.url), "utf8"))
const schema = structuralOf(recorded.schema, "x-kubernetes-")
const scaled = structuralOf(recorded.scaledSchema, "x-kubernetes-")
const scale = scalePathsOf(recorded.scale)

function causesOf(failures: Failures): Cause[] {
  const { causes = [] } = invalid({ group: "", resource: "" }, failures.list).details ?? {}
  return sorted(causes.map(({ reason = "", field = "", message = "" }): Cause => [reason, field, message]))
}

function sorted(causes: readonly Cause[]): Cause[] {
  return causes.toSorted((left, right) => (left.join("\n") < right.join("\n") ? -1 : 1))
}

describe("recorded updates", () => {
  for (const { old, object, causes } of recorded.updates) {
    it(`${shortJson(old, 100)} to ${shortJson(object, 100)}`, () => {
      const failures = new Failures()
      validateObject(object, schema, failures, { old })
      expect(causesOf(failures)).toEqual(sorted(causes))
    })
  }
})

describe("recorded writes of a kind with scale", () => {
  for (const { object, causes } of recorded.creates) {
    it(shortJson(object, 100), () => {
      const failures = new Failures()
      const sent = deepClone(object)
      pruneObject(sent, scaled)
      validateObject(sent, scaled, failures, { ...(scale !== undefined && { scale }) })
      expect(causesOf(failures)).toEqual(sorted(causes))
    })
  }

  for (const { status, causes } of recorded.statuses) {
    it(`status ${shortJson(status, 100)}`, () => {
      const failures = new Failures()
      const sent: JsonObject = { spec: { size: 1 }, status: deepClone(status) }
      pruneObject(sent, scaled)
      atOnce(validatingStatus(sent, scaled, failures, { old: { spec: { size: 1 } }, ...(scale !== undefined && { scale }) }))
      expect(causesOf(failures)).toEqual(sorted(causes))
    })
  }
})

// A changed value is refused, whatever its type; an unchanged one may stay.
describe.each(unchangedCases)("an update of $name", ({ schema: of, old, same, changed }) => {
  const refusing = structuralOf({ type: "object", properties: { spec: { ...of, not: {} } } }, "x-kubernetes-")
  const fieldsOf = (spec: JsonValue): readonly string[] => {
    const failures = new Failures()
    validateObject({ spec }, refusing, failures, { old: { spec: old } })
    return failures.list.map(({ field }) => field)
  }
  it.each(same.map((spec) => [spec]))("to %j changes nothing", (spec) => expect(fieldsOf(spec)).toEqual([]))
  it.each(changed.map((spec) => [spec]))("to %j is a change", (spec) => expect(fieldsOf(spec)).not.toEqual([]))
})

describe("validateObject", () => {
  it("holds an update to the whole schema without ratcheting", () => {
    const object = { spec: { size: 11, other: "b" } }
    const failures = new Failures()
    validateObject(object, schema, failures, { old: { spec: { size: 11, other: "a" } }, ratchet: false })
    expect(failures.list).toMatchObject([{ field: "spec.size" }])
    expect(preventRules(failures)).toBe(false)
  })

  it("takes an object with a field less for changed", () => {
    const failures = new Failures()
    validateObject({ spec: { allow: { a: 1 } } }, schema, failures, { old: { spec: { allow: { a: 1, b: "x" } } } })
    expect(failures.list.map(({ field }) => field)).toContain("spec.allow.a")
  })

  it("prevents rules when a value has a wrong type", () => {
    const failures = new Failures()
    validateObject({ spec: { size: "11" } }, schema, failures)
    expect(preventRules(failures)).toBe(true)
  })

  it("validates a large object in stages, and finds what is wrong in each", () => {
    const entry = (index: number): JsonObject => ({ k: `k${index}`, v: index === 20_000 || index === 29_999 ? 1 : 5 })
    const map = Array.from({ length: 30_000 }, (_item, index) => entry(index))
    const values = Object.fromEntries(map.map((_item, index) => [`k${index}`, index === 25_000 ? "b" : "a"]))
    const failures = new Failures()
    const stages = validatingObject({ spec: { map, values, size: 11 } }, schema, failures)
    let count = 0
    while (stages.next().done !== true) count++
    expect(count).toBeGreaterThan(5)
    expect(count).toBeLessThan(30)
    expect(failures.list.map(({ field }) => field).sort()).toEqual([
      "spec.map[20000].v",
      "spec.map[29999].v",
      "spec.size",
      "spec.values.k25000",
    ])
  })

  it("finds a repeated item in any part of a long list", () => {
    const map: JsonObject[] = Array.from({ length: 25_000 }, (_item, index) => ({ k: `k${index}`, v: 5 }))
    map.push({ k: "k3", v: 5 }, { k: "k24000", v: 5 }, { k: "k3", v: 5 })
    const failures = new Failures()
    validateObject({ spec: { map } }, schema, failures)
    expect(failures.list.map(({ field, shown }) => [field, shown])).toEqual([
      ["spec.map[25000]", 'map[string]interface {}{"k":"k3"}'],
      ["spec.map[25001]", 'map[string]interface {}{"k":"k24000"}'],
    ])
  })

  it("stops at the limit of failures", () => {
    const list = Array.from({ length: 50_000 }, () => ({ v: 1 }))
    const failures = new Failures()
    validateObject({ spec: { list } }, schema, failures)
    expect(failures.full).toBe(true)
    expect(failures.list[0]).toMatchObject({ field: "spec.list[0].v" })
  })
})

describe("findingFailures", () => {
  const failures = (value: JsonValue, schema: Structural): readonly Failure[] => atOnce(findingFailures(value, schema))

  it("checks a single value, whose own failures have no field", () => {
    const text = structuralOf({ type: "string", maxLength: 2 }, "x-")
    expect(failures("ab", text)).toEqual([])
    expect(failures("abc", text)).toMatchObject([{ type: "TooLong", field: "<nil>", detail: "may not be longer than 2" }])
    expect(failures({ a: [1] }, structuralOf({ type: "object", properties: { a: { type: "string" } } }, "x-"))).toMatchObject([
      { field: "a", detail: 'a in body must be of type string: "array"' },
    ])
  })
})

describe("selectableFieldsOf", () => {
  const paths = [".spec.color", ".spec.size", ".spec.flag", ".spec.none", ".spec.list[*]", ".spec.list[7]", ".spec['a.b']"]
  const fields = selectableFieldsOf([...paths.map((jsonPath) => ({ jsonPath })), { jsonPath: ".spec[" }, {}, 5])

  it("names fields by their paths, and leaves out what is no path", () => {
    expect(fields.map(({ name }) => name)).toEqual(paths.map((path) => path.slice(1)))
    expect(selectableFieldsOf(undefined)).toEqual([])
  })

  it("reads texts, numbers and truth values, and nothing else", () => {
    const object = { spec: { color: "blue", size: 3, flag: false, none: null, list: ["a", "b"], a: { b: "c" } } }
    expect(fields.map(({ value }) => value(object))).toEqual(["blue", "3", "false", "", "", "", "c"])
    expect(fields.map(({ value }) => value({}))).toEqual(["", "", "", "", "", "", ""])
  })
})
