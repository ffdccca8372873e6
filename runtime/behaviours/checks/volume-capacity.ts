/** How much a volume holds (catalog validation.yaml: PersistentVolume). */
import { parseQuantity, quantitySign, quantityValue } from "../../base/quantity.ts"
import { defineCheck } from "../../schema/define.ts"
import type { PersistentVolumeSpec } from "../../../generated/core/v1/persistent-volume/types.ts"

/** Called for the spec of each volume. Less than nothing is shown as a number and refused once more as not positive. */
export const volumeCapacity = defineCheck<PersistentVolumeSpec>(({ capacity = {} }, context) => {
  for (const [name, amount] of Object.entries(capacity)) {
    const quantity = parseQuantity(amount)
    const at = `capacity[${name}]`
    if (quantitySign(quantity) < 0) context.fail("Invalid", Number(quantityValue(quantity)), "must be a valid resource quantity", at)
    if (quantitySign(quantity) <= 0) context.fail("Invalid", amount, "must be greater than zero", at)
  }
})
