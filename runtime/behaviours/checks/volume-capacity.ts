/** How much a volume holds (catalog validation.yaml: PersistentVolume). */
import { defineCheck } from "../../schema/define.ts"
import type { PersistentVolumeSpec } from "../../../generated/core/v1/persistent-volume/types.ts"
import { checkAmount } from "../content/basic-amount.ts"

/** Called for the spec of each volume. A negative capacity is refused once more as not positive. */
export const volumeCapacity = defineCheck<PersistentVolumeSpec>(({ capacity = {} }, context) => {
  for (const [name, amount] of Object.entries(capacity)) {
    const at = `capacity[${name}]`
    if (checkAmount(amount, at, context) <= 0) context.fail("Invalid", amount, "must be greater than zero", at)
  }
})
