/**
 * Windows containers that run as host processes: all containers of a pod or none, and on the host network (catalog
 * validation.yaml: SecurityContext, `windowsOptions.hostProcess`).
 */
import { defineCheck } from "../../schema/define.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import { containersOf } from "../pods/fields.ts"

/** Called for each pod spec, of pods and of templates. */
export const podHostProcess = defineCheck<PodSpec>((spec, context) => {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess
  let [some, every] = [false, true]
  for (const { container, path } of containersOf(spec)) {
    const own = container.securityContext?.windowsOptions?.hostProcess
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      context.fail(
        "Invalid",
        own,
        `pod hostProcess value must be identical if both are specified, was ${ofPod}`,
        `${path}.securityContext.windowsOptions.hostProcess`,
      )
    }
    const effective = own ?? ofPod ?? false
    some ||= effective
    every &&= effective
  }
  if (!some) return
  if (!every) context.fail("Invalid", "", "If pod contains any hostProcess containers then all containers must be HostProcess containers")
  if (spec.hostNetwork !== true)
    context.fail("Invalid", false, "hostNetwork must be true if pod contains any hostProcess containers", "hostNetwork")
  if (!context.allowsPrivileged) context.fail("Forbidden", undefined, "hostProcess containers are disallowed by cluster policy")
})
