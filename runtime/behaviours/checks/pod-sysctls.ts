/**
 * Kernel parameters of a pod: unique, and none of a kernel namespace that the pod shares with its node (catalog
 * validation.yaml: PodSecurityContext).
 */
import type { JsonValue } from "../../base/json.ts"
import type { CheckContext } from "../../schema/validate.ts"
import { listOf, objectAt, textOf } from "../pods/fields.ts"

const ipcParameters = /^(kernel\.shm|kernel\.msg|kernel\.sem$|fs\.mqueue\.)/

/** Called for each pod spec, of pods and of templates. */
export function podSysctls(spec: JsonValue, context: CheckContext): void {
  const pod = objectAt(spec)
  const seen = new Set<string>()
  for (const [index, sysctl] of listOf(pod?.["securityContext"], "sysctls").entries()) {
    const at = `securityContext.sysctls[${index}].name`
    const written = textOf(sysctl, "name")
    const name = withDots(written)
    if (written !== "" && seen.has(name)) context.fail("Duplicate", written, "", at)
    seen.add(name)
    if (pod?.["hostNetwork"] === true && name.startsWith("net."))
      context.fail("Invalid", written, "may not be specified when 'hostNetwork' is true", at)
    if (pod?.["hostIPC"] === true && ipcParameters.test(name))
      context.fail("Invalid", written, "may not be specified when 'hostIPC' is true", at)
  }
}

/** `net/ipv4/conf/eth0.1/x` and `net.ipv4.conf.eth0/1.x` are the same name: the first separator decides. */
function withDots(name: string): string {
  const first = /[./]/.exec(name)?.[0]
  return first === "/" ? name.replaceAll(/[./]/g, (separator) => (separator === "/" ? "." : "/")) : name
}
