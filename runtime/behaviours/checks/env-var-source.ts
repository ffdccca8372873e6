/** Fields of its pod and of its container that a variable may show (catalog validation.yaml: EnvVar). */
import { defineCheck } from "../../schema/define.ts"
import type { EnvVarSource } from "../../../generated/core/v1/shared/env/types.ts"
import { checkFieldSelector, checkResourceSelector } from "../content/pod-fields.ts"

const fields = [
  ...["metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName"],
  ...["status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"],
]

/** Called for each variable that takes its value from elsewhere. */
export const envVarSource = defineCheck<EnvVarSource>(({ fieldRef, resourceFieldRef }, context) => {
  if (fieldRef !== undefined) checkFieldSelector(fieldRef, fields, "fieldRef", context)
  if (resourceFieldRef !== undefined) checkResourceSelector(resourceFieldRef, false, "resourceFieldRef", context)
})
