/** Definitions, most of them invalid, with the reference's answers, which `record.ts` records. */
import { describe, expect, it } from "vitest"
import { objectMetaShape } from "../../../generated/meta/v1/object-meta/shape.ts"
import { failureText } from "../../base/errors.ts"
import { Failures } from "../../base/failure.ts"
import { isObject, type JsonObject } from "../../base/json.ts"
import { vendorProfile } from "../../base/vendor.ts"
import { validateObjectMeta } from "../../registry/object-meta.ts"
import { dnsSubdomainFaults } from "../../schema/names.ts"
import { checkedValuesMax } from "../limits.ts"
import { checkDefinition, checkingDefinition } from "./check-definition.ts"
import type { MetadataRules } from "./value-checks.ts"
import {
  answersOf,
  casesOf,
  type Cause,
  type DefinitionCase,
  definitionOf,
  prepared,
  storedDefinition,
  topics,
} from "./definition-cases.ts"

const vendor = vendorProfile("kubernetes")
const metadata: MetadataRules = {
  shape: objectMetaShape,
  check: (meta, path, failures) =>
    validateObjectMeta(meta, { path, failures, nameRule: "path-segment", namespaced: (meta.namespace ?? "") !== "" }),
}

describe.each(topics)("definitions: %s", (topic) => {
  const answers = answersOf(topic)

  it.each(casesOf(topic).map((one) => [one.name, one] as const))("%s", (name, one) => {
    const expected = (answers[name] ?? []).map(withoutAddresses)
    const found = causesOf(one).map(withoutAddresses)
    if (one.unordered) {
      expected.sort(byText)
      found.sort(byText)
    }
    expect(found).toEqual(expected)
  })
})

describe("the check of a definition", () => {
  const stagesOf = (properties: JsonObject, expected: readonly unknown[] = []): number => {
    const names = { kind: "Thing", listKind: "ThingList", plural: "things", singular: "thing" }
    const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } }
    const definition = {
      metadata: { name: "things.example.com" },
      spec: { group: "example.com", scope: "Namespaced", names, versions: [{ name: "v1", served: true, storage: true, schema }] },
      status: { storedVersions: ["v1"], acceptedNames: names, conditions: [] },
    }
    const failures = new Failures()
    const stages = [...checkingDefinition(definition, failures, { vendor, metadata })]
    expect(failures.list.map(({ detail }) => detail)).toEqual(expected)
    return stages.length
  }
  /** Each item counts once per schema. */
  const junctors = (count: number): JsonObject => ({
    type: "array",
    items: { type: "string", allOf: Array.from({ length: count }, () => ({ maxLength: 9 })) },
  })
  const fields = (count: number, field: (index: number) => JsonObject): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, field(index)]))

  it("takes one turn where there is little to check", () => {
    expect(stagesOf(fields(40, () => ({ type: "string", default: "some", pattern: "^[a-z]*$" })))).toBe(0)
  })

  it.each<readonly [what: string, count: number, field: (index: number) => JsonObject]>([
    ["defaults", 2000, () => ({ type: "string", default: "some" })],
    ["rules", 200, (index) => ({ type: "string", maxLength: 9, "x-kubernetes-validations": [{ rule: `self != 'a${index}'` }] })],
    ["patterns", 1000, (index) => ({ type: "string", pattern: `^[a-z]{1,20}${index}$` })],
    ["fields", 20_000, () => ({ type: "string" })],
    ["a long default", 1, () => ({ ...junctors(20), default: Array(20_000).fill("some") })],
    [
      "rules of a default",
      1,
      () => ({
        type: "array",
        maxItems: 3000,
        items: {
          type: "string",
          maxLength: 9,
          "x-kubernetes-validations": [{ rule: `self != 'x'${" && self != 'x'".repeat(200)}` }],
        },
        default: Array(3000).fill("1"),
      }),
    ],
  ])("has a turn for each few milliseconds of %s", (_what, count, field) => {
    expect(stagesOf(fields(count, field))).toBeGreaterThan(5)
  })

  it("has a turn for each few milliseconds of rules that a default is checked by", () => {
    const rules = Array.from({ length: 200 }, (_, index) => ({ rule: `self != 'a${index}'` }))
    const field = { type: "string", maxLength: 9, "x-kubernetes-validations": rules }
    expect(stagesOf({ field: { ...field, default: "some" } })).toBeGreaterThan(stagesOf({ field }) + 5)
  })

  it("refuses rules at many levels above many fields, whose types would be made for each level", () => {
    let schema: JsonObject = { type: "object", properties: fields(6000, () => ({ type: "string" })) }
    for (let level = 0; level < 100; level++) {
      schema = { type: "object", properties: { d: schema }, "x-kubernetes-validations": [{ rule: "true" }] }
    }
    stagesOf({ d: schema }, [
      expect.stringMatching(/^the rules of a definition may have 500000 schemas below them together, but these have 60\d{4}; /),
    ])
  })

  it("checks the defaults of a schema within the limit of one object", () => {
    const long = { ...junctors(100), default: Array(6000).fill("some") }
    const detail = expect.stringContaining(`more than ${checkedValuesMax} steps`)
    expect(stagesOf(fields(2, () => long))).toBeGreaterThan(5)
    expect(
      stagesOf(
        fields(5, () => long),
        [detail, detail],
      ),
    ).toBeGreaterThan(5)
  })
})

function causesOf(one: DefinitionCase): Cause[] {
  const old = one.old && storedDefinition(one)
  const definition = prepared(definitionOf(one), old)
  const failures = new Failures()
  // The registry checks names of objects separately.
  if (old === undefined) for (const detail of dnsSubdomainFaults(nameOf(definition))) addName(failures, nameOf(definition), detail)
  checkDefinition(definition, failures, { old, vendor, metadata })
  return failures.list.map((failure) => ({
    reason: failure.type === "InternalError" ? "InternalError" : `FieldValue${failure.type}`,
    field: failure.field,
    message: failureText(failure),
  }))
}

function addName(failures: Failures, value: string, detail: string): void {
  failures.add({ type: "Invalid", field: "metadata.name", value, detail })
}

function nameOf({ metadata }: JsonObject): string {
  return isObject(metadata) && typeof metadata.name === "string" ? metadata.name : ""
}

/** Details after values that the reference prints in Go syntax, with memory addresses. */
const afterOpaque =
  /must have exactly one version .*|must contain unique version .*|only \[Description .*|must only have a single schema .*/

function withoutAddresses({ reason, field, message }: Cause): Cause {
  const detail = afterOpaque.exec(message)
  const short = detail === null ? message : `Invalid value: ...: ${detail[0]}`
  return { reason, field, message: short.replace(/\(0x[0-9a-f]+\)/g, "(true)").replace(/selfType\d+/g, "selfType") }
}

function byText(left: Cause, right: Cause): number {
  return JSON.stringify(left) < JSON.stringify(right) ? -1 : 1
}
