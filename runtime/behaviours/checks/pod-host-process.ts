/**
 * Windows containers that run as host processes: all containers of a pod or none, and on the host network (catalog
 * validation.yaml: SecurityContext, `windowsOptions.hostProcess`).
 */
import type { JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { containersOf, objectAt } from "../pods/fields.ts"

/** Called for each pod spec, of pods and of templates. */
export function podHostProcess(spec: JsonValue, context: CheckContext): void {
  const ofPod = hostProcess(spec)
  let [some, every] = [false, true]
  for (const { container, path } of containersOf(spec)) {
    const own = hostProcess(container)
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
  if (objectAt(spec)?.["hostNetwork"] !== true)
    context.fail("Invalid", false, "hostNetwork must be true if pod contains any hostProcess containers", "hostNetwork")
}

function hostProcess(of: JsonValue): boolean | undefined {
  const value = objectAt(of, "securityContext", "windowsOptions")?.["hostProcess"]
  return typeof value === "boolean" ? value : undefined
}
