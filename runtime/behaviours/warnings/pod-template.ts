/**
 * Warnings about content of a pod or pod template that is allowed but has no useful effect, in the order of the
 * reference (catalog validation.yaml: Pod, warnings). A pod causes warnings when it is created, a template whenever the
 * generation of its object changes.
 */
import { defineWarning } from "../../schema/define.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import type { PodTemplateSpec } from "../../../generated/core/v1/shared/pod-template/types.ts"
import type { Vendor } from "../../base/vendor.ts"
import { labelWarnings, nodeWarnings, podAffinityWarnings, topologyWarnings } from "../pods/affinity-warnings.ts"
import { annotationWarnings, profileWarnings, seccompWarnings } from "../pods/annotation-warnings.ts"
import { byteWarnings, portWarnings, variableWarnings } from "../pods/container-warnings.ts"
import { visitedContainers } from "../pods/fields.ts"
import { hostNameWarning } from "../pods/host-names.ts"
import { volumeWarnings } from "../pods/volume-warnings.ts"

/**
 * Called for a valid pod with `at` "", and for the template at `at` of other kinds. Returns complete texts, path first.
 */
export const podTemplate = defineWarning<PodTemplateSpec>((template, at, object, context) => {
  const old = context.old
  const isPod = at === ""
  if (old !== undefined && (isPod || old.metadata?.generation === object.metadata?.generation)) return []
  const ofName = isPod ? hostNameWarning(object.metadata?.name ?? "", "metadata.name: this is used in the Pod's hostname") : []
  return [...ofName, ...templateWarnings(template, at, context.vendor)]
})

/** Warnings about the template at `at`, or about a pod where `at` is "". */
export function templateWarnings(template: PodTemplateSpec, at: string, vendor: Vendor): string[] {
  const { spec } = template
  const isPod = at === ""
  const path = isPod ? "spec" : `${at}.spec`
  const ofMetadata = { path: isPod ? "metadata" : `${at}.metadata`, vendor, isPod }
  const placed = visitedContainers(spec)
  return [
    ...labelWarnings(spec, path, vendor),
    ...nodeWarnings(spec, path, vendor),
    ...topologyWarnings(spec, path, vendor),
    ...annotationWarnings(template, ofMetadata.path, vendor),
    ...volumeWarnings(spec, path),
    ...aliasWarnings(spec, path),
    ...pullSecretWarnings(spec, path),
    ...byteWarnings({ overhead: spec.overhead }, ["overhead"], path),
    ...seccompWarnings(template, ofMetadata.path, vendor),
    ...placed.flatMap((one) => [
      ...profileWarnings(template, one, ofMetadata),
      ...byteWarnings(one.container.resources, ["limits", "requests"], `${path}.${one.path}.resources`),
      ...variableWarnings(one, path),
    ]),
    ...portWarnings(placed, path),
    ...graceWarnings(spec, path),
    ...podAffinityWarnings(spec, path),
  ]
}

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
  const [twice, empty]: [string[], string[]] = [[], []]
  for (const [index, { name = "" }] of (spec.imagePullSecrets ?? []).entries()) {
    const at = `${path}.imagePullSecrets[${index}].name`
    if (seen.has(name)) twice.push(`${at}: duplicate name "${name}"`)
    if (name === "") empty.push(`${at}: invalid empty name ""`)
    seen.add(name)
  }
  return [...twice, ...empty]
}

function graceWarnings(spec: PodSpec, path: string): string[] {
  if ((spec.terminationGracePeriodSeconds ?? 0) >= 0) return []
  return [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
}
