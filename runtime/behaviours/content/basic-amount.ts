/** Amounts of storage (catalog validation.yaml: PersistentVolume, PersistentVolumeClaim). */
import { parseQuantity, quantitySign, quantityValue } from "../../base/quantity.ts"
import type { CheckContext } from "../../schema/validate.ts"

/** Refuses a negative amount, which is shown as a number, and returns the sign of the amount. */
export function checkAmount(amount: string, at: string, context: CheckContext<unknown>): number {
  const quantity = parseQuantity(amount)
  const sign = quantitySign(quantity)
  if (sign < 0) context.fail("Invalid", Number(quantityValue(quantity)), "must be a valid resource quantity", at)
  return sign
}
