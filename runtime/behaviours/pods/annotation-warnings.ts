/**
 * Warnings about annotations without effect, if the field that replaces them is not set (catalog validation.yaml: Pod,
 * warnings).
 */
import type { JsonObject, JsonValue } from "../../base/json.ts"
import type { Vendor } from "../../base/vendor.ts"
import { containersOf, objectAt, textOf } from "./fields.ts"

/** Called with a pod or pod template; `metadataPath` is the field path of its metadata. */
export function annotationWarnings(template: JsonValue | undefined, metadataPath: string, vendor: Vendor): string[] {
  const spec = objectAt(template, "spec")
  const containers = new Map<string, JsonObject>()
  for (const { container } of containersOf(spec)) {
    const name = textOf(container, "name")
    if (!containers.has(name)) containers.set(name, container)
  }
  const profileOf = (name: string, profile: string): JsonObject | undefined =>
    objectAt(containers.get(name), "securityContext", profile) ?? objectAt(spec, "securityContext", profile)
  return Object.keys(objectAt(template, "metadata", "annotations") ?? {}).flatMap((name) => {
    const fault = faultOf(name, { profileOf, ofPod: objectAt(spec, "securityContext", "seccompProfile") }, vendor)
    return fault === undefined ? [] : [`${metadataPath}.annotations[${name}]: ${fault}`]
  })
}

/** The profile fields that replace annotations. */
interface Profiles {
  /** The profile of a container, or else of the pod. */
  readonly profileOf: (container: string, profile: string) => JsonObject | undefined
  readonly ofPod: JsonObject | undefined
}

function faultOf(name: string, { profileOf, ofPod }: Profiles, vendor: Vendor): string | undefined {
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
    ? ofPod
    : ofSeccomp === undefined
      ? undefined
      : profileOf(ofSeccomp, "seccompProfile")
  if ((is("seccomp.security.alpha.orch.io/pod") || ofSeccomp !== undefined) && replaced === undefined) {
    return 'non-functional in v1.27+; use the "seccompProfile" field instead'
  }
  const ofAppArmor = containerIn("container.apparmor.security.beta.orch.io/")
  if (ofAppArmor === undefined || profileOf(ofAppArmor, "appArmorProfile") !== undefined) return undefined
  return 'deprecated since v1.30; use the "appArmorProfile" field instead'
}
