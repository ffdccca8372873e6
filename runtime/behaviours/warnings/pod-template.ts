/**
 * Warnings about content of a pod or pod template that is allowed but has no useful effect (catalog validation.yaml:
 * Pod, warnings). A pod causes warnings when it is created, a template whenever the generation of its object changes.
 */
import { defineWarning } from "../../schema/define.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import type { PodTemplateSpec } from "../../../generated/core/v1/shared/pod-template/types.ts"
import { affinityWarnings, labelWarnings } from "../pods/affinity-warnings.ts"
import { annotationWarnings } from "../pods/annotation-warnings.ts"
import { containerWarnings } from "../pods/container-warnings.ts"
import { hostNameWarning } from "../pods/host-names.ts"
import { volumeWarnings } from "../pods/volume-warnings.ts"

/**
 * Called for a valid pod with `at` "", and for the template at `at` of other kinds. Returns complete texts, path first.
 */
export const podTemplate = defineWarning<PodTemplateSpec>((template, at, object, context) => {
  const old = context.old
  const isPod = at === ""
  if (old !== undefined && (isPod || old.metadata?.generation === object.metadata?.generation)) return []
  const { spec } = template
  const path = isPod ? "spec" : `${at}.spec`
  return [
    ...(isPod ? hostNameWarning(object.metadata?.name ?? "", "metadata.name: this is used in the Pod's hostname") : []),
    ...annotationWarnings(template, isPod ? "metadata" : `${at}.metadata`, context.vendor),
    ...labelWarnings(spec, path, context.vendor),
    ...affinityWarnings(spec, path, context.vendor),
    ...aliasWarnings(spec, path),
    ...pullSecretWarnings(spec, path),
    ...volumeWarnings(spec, path, context.vendor),
    ...containerWarnings(spec, path),
    ...graceWarnings(spec, path),
  ]
})

function aliasWarnings(spec: PodSpec, path: string): string[] {
  const seen = new Set<string>()
  return (spec.hostAliases ?? []).flatMap(({ ip }, index) => {
    const warnings = seen.has(ip) ? [`${path}.hostAliases[${index}].ip: duplicate ip "${ip}"`] : []
    seen.add(ip)
    return warnings
  })
}

function pullSecretWarnings(spec: PodSpec, path: string): string[] {
  const seen = new Set<string>()
  return (spec.imagePullSecrets ?? []).flatMap(({ name = "" }, index) => {
    const at = `${path}.imagePullSecrets[${index}].name`
    const warnings = name === "" ? [`${at}: invalid empty name ""`] : seen.has(name) ? [`${at}: duplicate name "${name}"`] : []
    seen.add(name)
    return warnings
  })
}

function graceWarnings(spec: PodSpec, path: string): string[] {
  if ((spec.terminationGracePeriodSeconds ?? 0) >= 0) return []
  return [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
}
