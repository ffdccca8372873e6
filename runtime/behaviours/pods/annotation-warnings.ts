/** Warnings about annotations that once did something, where the field that replaces them is not set (catalog validation.yaml: Pod, warnings). */
import type { JsonObject, JsonValue } from "../../kit/json.ts"
import type { Vendor } from "../../vendor.ts"
import { containersOf, objectAt, textOf } from "./fields.ts"

/** Called with a pod or a pod template; `metadataPath` is where its metadata stands. */
export function annotationWarnings(template: JsonValue | undefined, metadataPath: string, vendor: Vendor): string[] {
  const spec = objectAt(template, "spec")
  return Object.keys(objectAt(template, "metadata", "annotations") ?? {}).flatMap((name) => {
    const fault = faultOf(name, spec, vendor)
    return fault === undefined ? [] : [`${metadataPath}.annotations[${name}]: ${fault}`]
  })
}

function faultOf(name: string, spec: JsonObject | undefined, vendor: Vendor): string | undefined {
  const is = (neutral: string): boolean => name === vendor.domain(neutral)
  const containerIn = (neutral: string): string | undefined => {
    const prefix = vendor.domain(neutral)
    return name.startsWith(prefix) ? name.slice(prefix.length) : undefined
  }
  if (is("scheduler.alpha.orch.io/critical-pod")) return 'non-functional in v1.16+; use the "priorityClassName" field instead'
  if (is("security.alpha.orch.io/sysctls") || is("security.alpha.orch.io/unsafe-sysctls"))
    return 'non-functional in v1.11+; use the "sysctls" field instead'
  const ofSeccomp = containerIn("container.seccomp.security.alpha.orch.io/")
  const replaced = is("seccomp.security.alpha.orch.io/pod")
    ? objectAt(spec, "securityContext", "seccompProfile")
    : ofSeccomp === undefined
      ? undefined
      : profileOf(spec, ofSeccomp, "seccompProfile")
  if ((is("seccomp.security.alpha.orch.io/pod") || ofSeccomp !== undefined) && replaced === undefined) {
    return 'non-functional in v1.27+; use the "seccompProfile" field instead'
  }
  const ofAppArmor = containerIn("container.apparmor.security.beta.orch.io/")
  if (ofAppArmor === undefined || profileOf(spec, ofAppArmor, "appArmorProfile") !== undefined) return undefined
  return 'deprecated since v1.30; use the "appArmorProfile" field instead'
}

function profileOf(spec: JsonObject | undefined, name: string, profile: string): JsonObject | undefined {
  const found = containersOf(spec).find(({ container }) => textOf(container, "name") === name)
  return objectAt(found?.container, "securityContext", profile) ?? objectAt(spec, "securityContext", profile)
}
