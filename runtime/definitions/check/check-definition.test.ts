/** Definitions, most of them wrong, and what the reference says of them; `record.ts` asks it. */
import { describe, expect, it } from "vitest"
import { failureText } from "../../base/errors.ts"
import { Failures } from "../../base/failure.ts"
import { isObject, type JsonObject } from "../../base/json.ts"
import { vendorProfile } from "../../base/vendor.ts"
import { dnsSubdomainFaults } from "../../schema/names.ts"
import { checkDefinition } from "./check-definition.ts"
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

function causesOf(one: DefinitionCase): Cause[] {
  const old = one.old && storedDefinition(one)
  const definition = prepared(definitionOf(one), old)
  const failures = new Failures()
  // The registry checks names of objects on its own.
  if (old === undefined) for (const detail of dnsSubdomainFaults(nameOf(definition))) addName(failures, nameOf(definition), detail)
  checkDefinition(definition, failures, { old, vendor })
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

/** The reference shows some values as its program has them, with addresses in memory. */
function withoutAddresses({ reason, field, message }: Cause): Cause {
  const value = /^(Invalid value: )(?:(?:\[\])?apiextensions\.|\{|\[\{|\[\]: |\[\]interface|map\[)[^]*?(: (?!(?:\(|")).*)$/.exec(message)
  return { reason, field, message: value === null ? message : `${value[1]}...${value[2]}` }
}

function byText(left: Cause, right: Cause): number {
  return JSON.stringify(left) < JSON.stringify(right) ? -1 : 1
}
