/**
 * Field requirements of a node selector term: only the node's name is supported, with one value (catalog
 * validation.yaml: NodeSelector).
 */
import type { JsonValue } from "../../base/json.ts"
import { dnsSubdomainFaults } from "../../schema/names.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { listOf } from "../pods/fields.ts"

/** Called for each term of a node selector or node preference. */
export function nodeSelectorTerm(term: JsonValue, context: CheckContext): void {
  for (const [index, requirement] of listOf(term, "matchFields").entries()) {
    const at = `matchFields[${index}]`
    const { key, operator, values } = requirement
    if (key !== "metadata.name") context.fail("Invalid", key, "not a valid field selector key", `${at}.key`)
    if (operator !== "In" && operator !== "NotIn") {
      context.fail("Invalid", operator, "not a valid selector operator", `${at}.operator`)
      continue
    }
    const names = Array.isArray(values) ? values : []
    if (names.length > 1)
      context.fail(
        "Required",
        undefined,
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
        `${at}.values`,
      )
    for (const [position, name] of names.entries()) {
      const [fault] = typeof name === "string" ? dnsSubdomainFaults(name) : []
      if (fault !== undefined) context.fail("Invalid", name, fault, `${at}.values[${position}]`)
    }
  }
}
