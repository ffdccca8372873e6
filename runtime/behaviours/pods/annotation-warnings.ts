/**
 * Warnings about annotations without effect, if the field that replaces them is not set (catalog validation.yaml: Pod,
 * warnings).
 */
import type { Container, EphemeralContainer } from "../../../generated/core/v1/shared/container/types.ts"
import type { PodTemplateSpec } from "../../../generated/core/v1/shared/pod-template/types.ts"
import type { AppArmorProfile, SeccompProfile } from "../../../generated/core/v1/shared/security-context/types.ts"
import type { Vendor } from "../../base/vendor.ts"
import { containersOf } from "./fields.ts"

/** Called with a pod or pod template; `metadataPath` is the field path of its metadata. */
export function annotationWarnings({ metadata, spec }: PodTemplateSpec, metadataPath: string, vendor: Vendor): string[] {
  const containers = new Map<string, Container | EphemeralContainer>()
  for (const { container } of containersOf(spec)) if (!containers.has(container.name)) containers.set(container.name, container)
  const profileOf: Profiles["profileOf"] = (name, profile) =>
    containers.get(name)?.securityContext?.[profile] ?? spec.securityContext?.[profile]
  return Object.keys(metadata.annotations ?? {}).flatMap((name) => {
    const fault = faultOf(name, { profileOf, ofPod: spec.securityContext?.seccompProfile }, vendor)
    return fault === undefined ? [] : [`${metadataPath}.annotations[${name}]: ${fault}`]
  })
}

/** The profile fields that replace annotations. */
interface Profiles {
  /** The profile of a container, or else of the pod. */
  readonly profileOf: (container: string, profile: "seccompProfile" | "appArmorProfile") => SeccompProfile | AppArmorProfile | undefined
  readonly ofPod: SeccompProfile | undefined
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
