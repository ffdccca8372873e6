/**
 * Fields of its pod and of a container that a file may show (catalog validation.yaml: DownwardAPIVolumeFile). The
 * reference reports all files of a volume at the same path.
 */
import { defineCheck } from "../../schema/define.ts"
import type { DownwardAPIVolumeFile } from "../../../generated/core/v1/shared/volumes/types.ts"
import { checkFieldSelector, checkResourceSelector } from "../content/pod-fields.ts"

const fields = ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"]

/** Called for each file of a volume with facts about the pod. */
export const downwardApiFile = defineCheck<DownwardAPIVolumeFile>(({ fieldRef, resourceFieldRef }, context) => {
  if (fieldRef !== undefined) checkFieldSelector(fieldRef, fields, "../../fieldRef", context)
  else if (resourceFieldRef !== undefined) checkResourceSelector(resourceFieldRef, true, "../../resourceFieldRef", context)
})
