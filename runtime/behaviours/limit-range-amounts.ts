/** Amounts of a LimitRange: filled in for containers, rounded to thousandths (catalog defaults.yaml: LimitRange). */
import { defineBehaviour } from "../schema/define.ts"
import { deepClone } from "../encoding/field-path.ts"
import type { LimitRange } from "../../generated/core/v1/limit-range/types.ts"
import { roundAmounts } from "./content/milli-quantities.ts"

/** Behaviour `limitRangeAmounts`: fills in a container's default amounts, also where only a bound is stated. */
export const limitRangeAmounts = defineBehaviour<LimitRange>(({ random }) => ({
  decoded(object) {
    // Copied because the spec may be the client's own object, which every attempt shares.
    object.spec = deepClone(object.spec)
    for (const item of object.spec.limits ?? []) {
      if (item.type === "Container") {
        const limits = { ...item.max, ...item.default }
        const requests = { ...item.min, ...limits, ...item.defaultRequest }
        if (Object.keys(limits).length > 0) item.default = limits
        if (Object.keys(requests).length > 0) item.defaultRequest = requests
      }
      for (const amounts of [item.min, item.max, item.default, item.defaultRequest, item.maxLimitRequestRatio]) roundAmounts(amounts)
    }
    if ((object.metadata.name ?? "") === "" && (object.metadata.generateName ?? "") === "")
      object.metadata = { ...object.metadata, name: random.uuid() }
  },
}))
