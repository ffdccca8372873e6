/** Hard and used amounts in the status of a quota (catalog validation.yaml: ResourceQuota). */
import { parseQuantity, quantityMilliValue, QuantityError } from "../../base/quantity.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { ResourceQuotaStatus } from "../../../generated/core/v1/resource-quota/types.ts"
import { isWholeResource, quotaResourceFaults } from "../content/quota-resources.ts"

/** Called for the status of each quota. */
export const quotaStatus = defineCheck<ResourceQuotaStatus>((status, context) => {
  checkQuotaAmounts(status.hard ?? {}, "hard", context)
  checkQuotaAmounts(status.used ?? {}, "used", context)
})

/** Checks names, and that counts are whole numbers; failures are reported below `at`. */
export function checkQuotaAmounts(amounts: Readonly<Record<string, string>>, at: string, context: CheckContext<unknown>): void {
  for (const [name, text] of Object.entries(amounts)) {
    const field = context.at(`${at}[${name}]`)
    for (const detail of quotaResourceFaults(name)) context.failures.add({ type: "Invalid", field, value: name, shown: name, detail })
    if (isWholeResource(name, context.vendor) && !isWhole(text)) context.fail("Invalid", text, "must be an integer", `${at}[${name}]`)
  }
}

/** True for texts that are no quantity; decoding has refused them. */
export function isWhole(text: string): boolean {
  try {
    return quantityMilliValue(parseQuantity(text)) % 1000n === 0n
  } catch (error) {
    if (error instanceof QuantityError) return true
    throw error
  }
}
