/**
 * Warnings about annotations without effect, and about annotations whose replacement, a field, is not set (catalog
 * validation.yaml: Pod, warnings).
 */
import type { PodTemplateSpec } from "../../../generated/core/v1/shared/pod-template/types.ts"
import type { Vendor } from "../../base/vendor.ts"
import { appArmorPrefix, ofAppArmor } from "./app-armor.ts"
import type { PlacedContainer } from "./fields.ts"

const ofSeccomp = 'non-functional in v1.27+; use the "seccompProfile" field instead'
const ofSysctls = 'non-functional in v1.11+; use the "sysctls" field instead'
const ofPriority = 'non-functional in v1.16+; use the "priorityClassName" field instead'

const withoutEffect: readonly (readonly [name: string, fault: string])[] = [
  ["scheduler.alpha.orch.io/critical-pod", ofPriority],
  ["security.alpha.orch.io/sysctls", ofSysctls],
  ["security.alpha.orch.io/unsafe-sysctls", ofSysctls],
]

/** Called with a pod or pod template; `path` is the field path of its metadata, as in the functions below. */
export function annotationWarnings({ metadata }: PodTemplateSpec, path: string, vendor: Vendor): string[] {
  return withoutEffect.flatMap(([name, fault]) => noted(metadata, vendor.domain(name), path, fault))
}

/** Warnings about the annotation of the whole pod. */
export function seccompWarnings({ metadata, spec }: PodTemplateSpec, path: string, vendor: Vendor): string[] {
  if (spec.securityContext?.seccompProfile !== undefined) return []
  return noted(metadata, vendor.domain("seccomp.security.alpha.orch.io/pod"), path, ofSeccomp)
}

/** Warnings about the annotations of one container. AppArmor is reported for templates: pods have their own warning. */
export function profileWarnings(
  { metadata, spec }: PodTemplateSpec,
  { container: { name, securityContext } }: PlacedContainer,
  { path, vendor, isPod }: { readonly path: string; readonly vendor: Vendor; readonly isPod: boolean },
): string[] {
  if (metadata.annotations === undefined) return []
  const hasAppArmor = (spec.securityContext?.appArmorProfile ?? securityContext?.appArmorProfile) !== undefined
  return [
    ...(securityContext?.seccompProfile === undefined
      ? noted(metadata, vendor.domain("container.seccomp.security.alpha.orch.io/") + name, path, ofSeccomp)
      : []),
    ...(isPod || hasAppArmor ? [] : noted(metadata, vendor.domain(appArmorPrefix) + name, path, ofAppArmor)),
  ]
}

function noted({ annotations }: PodTemplateSpec["metadata"], name: string, path: string, fault: string): string[] {
  return annotations?.[name] === undefined ? [] : [`${path}.annotations[${name}]: ${fault}`]
}
