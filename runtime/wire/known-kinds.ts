/** The kinds that the reference can decode: kinds that it serves or has served in earlier releases. */

/**
 * Versions that release 1.30 no longer serves, or only by option, but still decodes; by neutral group. A body in one of
 * them is refused for its version alone.
 */
const earlierVersions: Readonly<Record<string, readonly string[]>> = {
  extensions: ["v1beta1"],
  apps: ["v1beta1", "v1beta2"],
  batch: ["v1beta1"],
  policy: ["v1beta1"],
  autoscaling: ["v2beta1", "v2beta2"],
  "admissionregistration.orch.io": ["v1alpha1", "v1beta1"],
  "authentication.orch.io": ["v1alpha1", "v1beta1"],
  "authorization.orch.io": ["v1beta1"],
  "certificates.orch.io": ["v1alpha1", "v1beta1"],
  "coordination.orch.io": ["v1beta1"],
  "discovery.orch.io": ["v1beta1"],
  "events.orch.io": ["v1beta1"],
  "flowcontrol.orch.io": ["v1beta1", "v1beta2", "v1beta3"],
  "internal.apiserver.orch.io": ["v1alpha1"],
  "networking.orch.io": ["v1alpha1", "v1beta1"],
  "node.orch.io": ["v1alpha1", "v1beta1"],
  "rbac.authorization.orch.io": ["v1alpha1", "v1beta1"],
  "resource.orch.io": ["v1alpha2"],
  "scheduling.orch.io": ["v1alpha1", "v1beta1"],
  "storage.orch.io": ["v1alpha1", "v1beta1"],
  "storagemigration.orch.io": ["v1alpha1"],
}

/** The list of a known kind can be decoded as well. */
const common = /List$/

/**
 * Whether any request may have a body of this kind. `isServed`: whether this server serves it. Called for a body that
 * is of another kind than its request.
 */
export function isKnownKind(
  neutralVersion: string,
  kind: string,
  isServed: (group: string, version: string, kind: string) => boolean,
): boolean {
  const slash = neutralVersion.indexOf("/")
  const [group, version] = slash < 0 ? ["", neutralVersion] : [neutralVersion.slice(0, slash), neutralVersion.slice(slash + 1)]
  if (version.includes("/") || isServed(group, version, kind)) return true
  return earlierVersions[group]?.includes(version) === true || (common.test(kind) && isServed(group, version, kind.replace(/List$/, "")))
}
