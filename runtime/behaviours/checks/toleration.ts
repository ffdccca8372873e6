/** Valid combinations of a toleration's fields (catalog validation.yaml: Toleration). */
import { formatFaults } from "../../schema/formats.ts"
import { qualifiedNameFaults } from "../../schema/names.ts"
import { defineCheck } from "../../schema/define.ts"
import type { Toleration } from "../../../generated/core/v1/shared/pod-spec/types.ts"

/** Called for each toleration of a pod, a template or a runtime class. */
export const toleration = defineCheck<Toleration>(({ effect, key = "", operator = "", tolerationSeconds, value = "" }, context) => {
  if (key !== "") for (const fault of qualifiedNameFaults(key)) context.fail("Invalid", key, fault, "key")
  else if (operator !== "Exists") {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
    context.fail("Invalid", operator, detail, "operator")
  }
  if (tolerationSeconds !== undefined && effect !== "NoExecute")
    context.fail("Invalid", effect ?? "", "effect must be 'NoExecute' when `tolerationSeconds` is set", "effect")
  if (operator === "Exists") {
    if (value !== "") context.fail("Invalid", operator, "value must be empty when `operator` is 'Exists'", "operator")
  } else if (operator === "" || operator === "Equal") {
    const faults = formatFaults("label-value", value)
    if (faults.length > 0) context.fail("Invalid", value, faults.join(";"), "operator")
  }
})
