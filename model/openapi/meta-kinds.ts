/** The kinds of the group meta: which of its types are kinds, and of which groups and versions. */
import type { GroupVersion } from "./names.ts"
import type { OpenApiSource } from "./source.ts"

const core: GroupVersion = { group: "", version: "v1" }

/** Kinds that belong to the core group alone. */
const coreKinds: ReadonlySet<string> = new Set(["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"])

/** Kinds that belong to every group version. */
const sharedKinds: ReadonlySet<string> = new Set(["DeleteOptions", "WatchEvent"])

/** Returns the group versions that have a type of the group meta as a kind, sorted; none if the type is not a kind. */
export function versionsOf(localName: string, { kinds, otherVersions = [] }: OpenApiSource): readonly GroupVersion[] {
  if (coreKinds.has(localName)) return localName === "Status" ? [core, ...otherVersions.filter(hasOwnStatus)] : [core]
  if (!sharedKinds.has(localName)) return []
  const all = new Map([core, ...kinds, ...otherVersions].map(({ group, version }) => [`${group}/${version}`, { group, version }]))
  return [...all].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, one]) => one)
}

/** As in kube-apiserver: one more group version has Status as a kind, which nothing uses. */
function hasOwnStatus({ group, version }: GroupVersion): boolean {
  return group === "resource.orch.io" && version === "v1alpha2"
}

/**
 * Group versions whose kinds kube-apiserver knows, whether it serves them or not, beyond the schemas of this package:
 * former versions, and the bodies of web hooks.
 */
export const otherVersions: readonly GroupVersion[] = [
  "admission.orch.io/v1 v1beta1",
  "apiextensions.orch.io/v1beta1",
  "apiregistration.orch.io/v1beta1",
  "apps/v1beta1 v1beta2",
  "authorization.orch.io/v1beta1",
  "autoscaling/v2beta1 v2beta2",
  "batch/v1beta1",
  "certificates.orch.io/v1beta1",
  "coordination.orch.io/v1beta1",
  "discovery.orch.io/v1beta1",
  "events.orch.io/v1beta1",
  "extensions/v1beta1",
  "flowcontrol.apiserver.orch.io/v1beta1 v1beta2",
  "imagepolicy.orch.io/v1alpha1",
  "networking.orch.io/v1beta1",
  "node.orch.io/v1alpha1 v1beta1",
  "policy/v1beta1",
  "rbac.authorization.orch.io/v1alpha1 v1beta1",
  "resource.orch.io/v1alpha2",
  "scheduling.orch.io/v1alpha1 v1beta1",
  "storage.orch.io/v1beta1",
].flatMap((line) => {
  const [group = "", versions = ""] = line.split("/")
  return versions.split(" ").map((version) => ({ group, version }))
})
