/**
 * Warnings about renamed node labels and about selectors that match nothing (catalog validation.yaml: Pod, warnings).
 */
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import type { PodAffinityTerm } from "../../../generated/core/v1/shared/affinity/types.ts"
import type { TopologySpreadConstraint } from "../../../generated/core/v1/shared/topology/types.ts"
import type { Vendor } from "../../base/vendor.ts"

const renamedLabels: readonly (readonly [string, string, string])[] = [
  ["beta.orch.io/arch", "orch.io/arch", "v1.14"],
  ["beta.orch.io/os", "orch.io/os", "v1.14"],
  ["failure-domain.beta.orch.io/region", "topology.orch.io/region", "v1.17"],
  ["failure-domain.beta.orch.io/zone", "topology.orch.io/zone", "v1.17"],
  ["beta.orch.io/instance-type", "node.orch.io/instance-type", "v1.17"],
]

/** `deprecated since v1.14; use "orch.io/arch" instead`; undefined for current labels. */
export function renamedLabel(label: string, vendor: Vendor): string | undefined {
  const found = renamedLabels.find(([old]) => vendor.domain(old) === label)
  return found === undefined ? undefined : `deprecated since ${found[2]}; use "${vendor.domain(found[1])}" instead`
}

/** Returns the name that a label has now. Called where an old name and its new one are the same thing. */
export function currentLabel(label: string, vendor: Vendor): string {
  const found = renamedLabels.find(([old]) => vendor.domain(old) === label)
  return found === undefined ? label : vendor.domain(found[1])
}

/** Called with a pod spec at field path `path`, as the functions below: checks its node selector. */
export function labelWarnings(spec: PodSpec, path: string, vendor: Vendor): string[] {
  return Object.keys(spec.nodeSelector ?? {}).flatMap((label) => {
    const renamed = renamedLabel(label, vendor)
    return renamed === undefined ? [] : [`${path}.nodeSelector[${label}]: ${renamed}`]
  })
}

const required = "requiredDuringSchedulingIgnoredDuringExecution"
const preferred = "preferredDuringSchedulingIgnoredDuringExecution"

/** Renamed labels in its node affinity. */
export function nodeWarnings(spec: PodSpec, path: string, vendor: Vendor): string[] {
  const affinity = spec.affinity?.nodeAffinity
  const at = `${path}.affinity.nodeAffinity`
  const terms = [
    ...(affinity?.[required]?.nodeSelectorTerms ?? []).map((term, index) => ({
      term,
      place: `${at}.${required}.nodeSelectorTerms[${index}]`,
    })),
    ...(affinity?.[preferred] ?? []).map((wish, index) => ({
      term: wish.preference,
      place: `${at}.${preferred}[${index}].preference`,
    })),
  ]
  return terms.flatMap(({ term, place }) =>
    (term.matchExpressions ?? []).flatMap((expression, index) =>
      keyWarnings(expression.key, `${place}.matchExpressions[${index}].key`, vendor),
    ),
  )
}

/** Renamed labels by which its pods are spread, and selectors that match nothing. */
export function topologyWarnings(spec: PodSpec, path: string, vendor: Vendor): string[] {
  return (spec.topologySpreadConstraints ?? []).flatMap((constraint, index) => {
    const place = `${path}.topologySpreadConstraints[${index}]`
    return [...keyWarnings(constraint.topologyKey, `${place}.topologyKey`, vendor), ...nullWarnings(constraint, place)]
  })
}

/** Selectors that match nothing in the affinity to other pods. */
export function podAffinityWarnings(spec: PodSpec, path: string): string[] {
  return (["podAffinity", "podAntiAffinity"] as const).flatMap((name) => {
    const affinity = spec.affinity?.[name]
    const at = `${path}.affinity.${name}`
    return [
      ...(affinity?.[required] ?? []).flatMap((term, index) => nullWarnings(term, `${at}.${required}[${index}]`)),
      ...(affinity?.[preferred] ?? []).flatMap((wish, index) =>
        nullWarnings(wish.podAffinityTerm, `${at}.${preferred}[${index}].podAffinityTerm`),
      ),
    ]
  })
}

function nullWarnings({ labelSelector }: PodAffinityTerm | TopologySpreadConstraint, place: string): string[] {
  return labelSelector === undefined ? [`${place}.labelSelector: a null labelSelector results in matching no pod`] : []
}

function keyWarnings(key: string, place: string, vendor: Vendor): string[] {
  const renamed = renamedLabel(key, vendor)
  return renamed === undefined ? [] : [`${place}: ${key} is ${renamed}`]
}
