/** How much the volume of a claim holds (catalog validation.yaml: PersistentVolumeClaim, status). */
import { defineCheck } from "../../schema/define.ts"
import type { PersistentVolumeClaimStatus } from "../../../generated/core/v1/persistent-volume-claim/types.ts"
import { checkAmount } from "../content/basic-amount.ts"

/** Called for the status of each claim. */
export const claimCapacity = defineCheck<PersistentVolumeClaimStatus>(({ capacity = {} }, context) => {
  for (const [name, amount] of Object.entries(capacity)) checkAmount(amount, `capacity[${name}]`, context)
})
