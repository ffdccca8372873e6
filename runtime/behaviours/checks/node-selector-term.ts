/**
 * Field requirements of a node selector term: only the node's name is supported, with one value (catalog
 * validation.yaml: NodeSelector).
 */
import { dnsSubdomainFaults } from "../../schema/names.ts"
import { defineCheck } from "../../schema/define.ts"
import type { NodeSelectorTerm } from "../../../generated/core/v1/shared/affinity/types.ts"

/** Called for each term of a node selector or node preference. */
export const nodeSelectorTerm = defineCheck<NodeSelectorTerm>((term, context) => {
  for (const [index, requirement] of (term.matchFields ?? []).entries()) {
    const at = `matchFields[${index}]`
    const { key, operator, values: names = [] } = requirement
    if (key !== "metadata.name") context.fail("Invalid", key, "not a valid field selector key", `${at}.key`)
    if (operator !== "In" && operator !== "NotIn") {
      context.fail("Invalid", operator, "not a valid selector operator", `${at}.operator`)
      continue
    }
    if (names.length > 1)
      context.fail(
        "Required",
        undefined,
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
        `${at}.values`,
      )
    for (const [position, name] of names.entries()) {
      const [fault] = dnsSubdomainFaults(name)
      if (fault !== undefined) context.fail("Invalid", name, fault, `${at}.values[${position}]`)
    }
  }
})
