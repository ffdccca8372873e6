/** Amounts of a ResourceQuota are rounded to thousandths (catalog defaults.yaml: ResourceQuota). */
import { defineBehaviour } from "../schema/define.ts"
import { deepClone } from "../encoding/field-path.ts"
import type { ResourceQuota } from "../../generated/core/v1/resource-quota/types.ts"
import { roundAmounts } from "./content/milli-quantities.ts"

/** Behaviour `quotaAmounts`. */
export const quotaAmounts = defineBehaviour<ResourceQuota>({
  decoded(object) {
    // Copied because both may be the client's own objects, which every attempt shares.
    object.spec = deepClone(object.spec)
    object.status = deepClone(object.status)
    for (const amounts of [object.spec.hard, object.status.hard, object.status.used]) roundAmounts(amounts)
  },
})
