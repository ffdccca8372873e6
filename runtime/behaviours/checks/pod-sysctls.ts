/**
 * Kernel parameters of a pod: unique, and none of a kernel namespace that the pod shares with its node (catalog
 * validation.yaml: PodSecurityContext).
 */
import { defineCheck } from "../../schema/define.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"

const ipcParameters = /^(kernel\.shm|kernel\.msg|kernel\.sem$|fs\.mqueue\.)/

/** Called for each pod spec, of pods and of templates. */
export const podSysctls = defineCheck<PodSpec>((spec, context) => {
  const seen = new Set<string>()
  for (const [index, { name: written }] of (spec.securityContext?.sysctls ?? []).entries()) {
    const at = `securityContext.sysctls[${index}].name`
    const name = withDots(written)
    if (written !== "" && seen.has(name)) context.fail("Duplicate", written, "", at)
    seen.add(name)
    if (spec.hostNetwork === true && name.startsWith("net."))
      context.fail("Invalid", written, "may not be specified when 'hostNetwork' is true", at)
    if (spec.hostIPC === true && ipcParameters.test(name))
      context.fail("Invalid", written, "may not be specified when 'hostIPC' is true", at)
  }
})

/** `net/ipv4/conf/eth0.1/x` and `net.ipv4.conf.eth0/1.x` are the same name: the first separator decides. */
function withDots(name: string): string {
  const first = /[./]/.exec(name)?.[0]
  return first === "/" ? name.replaceAll(/[./]/g, (separator) => (separator === "/" ? "." : "/")) : name
}
