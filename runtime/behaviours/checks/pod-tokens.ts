/**
 * A pod that mounts a token must name the service account (catalog validation.yaml: Pod). Admission normally sets it,
 * and an update that takes it away is reported here as well.
 */
import { defineCheck } from "../../schema/define.ts"
import type { Pod } from "../../../generated/core/v1/pod/types.ts"

/** Called for each pod. */
export const podTokens = defineCheck<Pod>(({ spec }, context) => {
  if ((spec.serviceAccountName ?? "") !== "") return
  for (const [index, volume] of (spec.volumes ?? []).entries()) {
    for (const [position, source] of (volume.projected?.sources ?? []).entries()) {
      if (source.serviceAccountToken === undefined) continue
      context.fail(
        "Forbidden",
        undefined,
        "must not be specified when serviceAccountName is not set",
        `spec.volumes[${index}].projected.sources[${position}].serviceAccountToken`,
      )
    }
  }
})
