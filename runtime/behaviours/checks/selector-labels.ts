/** Key and values of a requirement, which are judged after its operator (catalog validation.yaml: LabelSelector). */
import { labelValueFaults, qualifiedNameFaults } from "../../schema/names.ts"
import { defineCheck } from "../../schema/define.ts"
import type { LabelSelectorRequirement } from "../../../generated/meta/v1/label-selector/types.ts"

/** Called for each requirement of a label selector. */
export const selectorLabels = defineCheck<LabelSelectorRequirement>(({ key, values = [] }, context) => {
  for (const fault of qualifiedNameFaults(key ?? "")) context.fail("Invalid", key ?? "", fault, "key")
  for (let index = 0; index < values.length && !context.failures.full; index++) {
    const value = values[index] ?? ""
    for (const fault of labelValueFaults(value)) context.fail("Invalid", value, fault, `values[${index}]`)
  }
})
