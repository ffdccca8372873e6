/** Warns of sizes that are no whole number of bytes (catalog validation.yaml: PersistentVolumeClaim, warnings). */
import { parseQuantity, quantityMilliValue } from "../../base/quantity.ts"
import { defineWarning } from "../../schema/define.ts"
import type { VolumeResourceRequirements } from "../../../generated/core/v1/shared/resources/types.ts"

/** Called with the sizes of a claim. */
export const claimQuantities = defineWarning<VolumeResourceRequirements>((resources, at) =>
  (["requests", "limits"] as const).flatMap((list) => {
    const storage = resources[list]?.storage
    if (storage === undefined || quantityMilliValue(parseQuantity(storage)) % 1000n === 0n) return []
    return [`${at}.${list}[storage]: fractional byte value "${storage}" is invalid, must be an integer`]
  }),
)
