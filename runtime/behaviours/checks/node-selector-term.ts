/**
 * Requirements of a node selector term (catalog validation.yaml: NodeSelector). Requirements on labels and on fields
 * have one type and different rules: the only field is the node's name, which is compared with one value.
 */
import { dnsSubdomainFaults, qualifiedNameFaults } from "../../schema/names.ts"
import { defineCheck } from "../../schema/define.ts"
import type { CheckContext } from "../../schema/validate.ts"
import type { NodeSelectorRequirement, NodeSelectorTerm } from "../../../generated/core/v1/shared/affinity/types.ts"

/** Called for each term of a node selector or node preference. */
export const nodeSelectorTerm = defineCheck<NodeSelectorTerm>((term, context) => {
  for (const [index, requirement] of (term.matchExpressions ?? []).entries()) checkLabel(requirement, `matchExpressions[${index}]`, context)
  for (const [index, requirement] of (term.matchFields ?? []).entries()) checkField(requirement, `matchFields[${index}]`, context)
})

const unknownOperator = "not a valid selector operator"

function checkLabel({ key, operator, values = [] }: NodeSelectorRequirement, at: string, context: CheckContext<unknown>): void {
  const count = values.length
  const listPath = `${at}.values`
  switch (operator) {
    case "In":
    case "NotIn":
      if (count === 0) context.fail("Required", undefined, "must be specified when `operator` is 'In' or 'NotIn'", listPath)
      break
    case "Exists":
    case "DoesNotExist":
      if (count > 0) context.fail("Forbidden", undefined, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'", listPath)
      break
    case "Gt":
    case "Lt":
      if (count !== 1) context.fail("Required", undefined, "must be specified single value when `operator` is 'Lt' or 'Gt'", listPath)
      break
    default:
      context.fail("Invalid", operator, unknownOperator, `${at}.operator`)
  }
  for (const fault of qualifiedNameFaults(key)) context.fail("Invalid", key, fault, `${at}.key`)
}

function checkField({ key, operator, values = [] }: NodeSelectorRequirement, at: string, context: CheckContext<unknown>): void {
  if (operator !== "In" && operator !== "NotIn") context.fail("Invalid", operator, unknownOperator, `${at}.operator`)
  else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
    context.fail("Required", undefined, detail, `${at}.values`)
  }
  if (key !== "metadata.name") {
    context.fail("Invalid", key, "not a valid field selector key", `${at}.key`)
    return
  }
  for (const [index, name] of values.entries())
    for (const fault of dnsSubdomainFaults(name)) context.fail("Invalid", name, fault, `${at}.values[${index}]`)
}
