/**
 * Warnings about annotations without effect, if the field that replaces them is not set (catalog validation.yaml: Pod,
 * warnings). They come in the order of the reference, that of containers within each sort.
 */
import type { PodTemplateSpec } from "../../../generated/core/v1/shared/pod-template/types.ts"
import type { Vendor } from "../../base/vendor.ts"
import { appArmorPrefix } from "./app-armor.ts"
import { containersOf } from "./fields.ts"

const ofAppArmor = 'deprecated since v1.30; use the "appArmorProfile" field instead'
const ofSeccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead'
const ofSysctls = 'non-functional in v1.11+; use the "sysctls" field instead'
const ofPriority = 'non-functional in v1.16+; use the "priorityClassName" field instead'

/** Called with a pod or pod template; `metadataPath` is the field path of its metadata. */
export function annotationWarnings({ metadata, spec }: PodTemplateSpec, metadataPath: string, vendor: Vendor): string[] {
  const { annotations } = metadata
  if (annotations === undefined || Object.keys(annotations).length === 0) return []
  const ofPod = spec.securityContext
  const faults: (readonly [name: string, fault: string])[] = []
  const note = (name: string, fault: string): void => {
    if (annotations[name] !== undefined) faults.push([name, fault])
  }
  const placed = containersOf(spec)
  const first = placed.filter(({ list }) => list === "initContainers")
  const later = placed.filter(({ list }) => list !== "initContainers")
  const containers = [...first, ...later].map(({ container: { name, securityContext } }) => ({ name, securityContext }))
  note(vendor.domain("scheduler.alpha.orch.io/critical-pod"), ofPriority)
  note(vendor.domain("security.alpha.orch.io/sysctls"), ofSysctls)
  note(vendor.domain("security.alpha.orch.io/unsafe-sysctls"), ofSysctls)
  if (ofPod?.seccompProfile === undefined) note(vendor.domain("seccomp.security.alpha.orch.io/pod"), ofSeccomp)
  for (const { name, securityContext } of containers) {
    if ((securityContext?.seccompProfile ?? ofPod?.seccompProfile) === undefined)
      note(vendor.domain("container.seccomp.security.alpha.orch.io/") + name, ofSeccomp)
    if ((securityContext?.appArmorProfile ?? ofPod?.appArmorProfile) === undefined) note(vendor.domain(appArmorPrefix) + name, ofAppArmor)
  }
  return faults.map(([name, fault]) => `${metadataPath}.annotations[${name}]: ${fault}`)
}
