/** Keys of labels that a spread constraint adds to its selector (catalog validation.yaml: TopologySpreadConstraint). */
import { defineCheck } from "../../schema/define.ts"
import type { TopologySpreadConstraint } from "../../../generated/core/v1/shared/topology/types.ts"

/** Called for each constraint. A key that the selector has already would be required twice. */
export const spreadLabelKeys = defineCheck<TopologySpreadConstraint>(({ labelSelector, matchLabelKeys = [] }, context) => {
  if (labelSelector === undefined) return
  const own = new Set([...Object.keys(labelSelector.matchLabels ?? {}), ...(labelSelector.matchExpressions ?? []).map(({ key }) => key)])
  for (const [index, key] of matchLabelKeys.entries()) {
    if (own.has(key)) context.fail("Invalid", key, "exists in both matchLabelKeys and labelSelector", `matchLabelKeys[${index}]`)
  }
})
