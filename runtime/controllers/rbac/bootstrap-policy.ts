/**
 * The bootstrap roles and bindings of every cluster (schemas/bootstrap), in a vendor's names and with their common
 * metadata (catalog rbac.yaml: reconcile, defaultMeta).
 */
import * as ofCluster from "../../../generated/bootstrap/cluster-roles.ts"
import * as ofControllers from "../../../generated/bootstrap/controllers.ts"
import * as ofNamespaces from "../../../generated/bootstrap/roles.ts"
import type { ClusterRole } from "../../../generated/rbac.authorization.orch.io/v1/cluster-role/types.ts"
import type { ClusterRoleBinding } from "../../../generated/rbac.authorization.orch.io/v1/cluster-role-binding/types.ts"
import type { Subject } from "../../../generated/rbac.authorization.orch.io/v1/shared/subject/types.ts"
import type { PolicyRule } from "../../../generated/rbac.authorization.orch.io/v1/shared/policy-rule/types.ts"
import type { Vendor } from "../../base/vendor.ts"
import type { BootstrapMeta, BootstrapObject } from "../../schema/bootstrap-object.ts"

export interface PolicyMeta {
  readonly name: string
  readonly namespace?: string
  readonly labels: Record<string, string>
  readonly annotations: Record<string, string>
}

export interface WantedRole {
  readonly metadata: PolicyMeta
  readonly rules: PolicyRule[]
  readonly aggregationRule?: NonNullable<ClusterRole["aggregationRule"]>
}

export interface WantedBinding {
  readonly metadata: PolicyMeta
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string }
  readonly subjects: Subject[]
}

export interface BootstrapPolicy {
  readonly clusterRoles: readonly WantedRole[]
  readonly clusterRoleBindings: readonly WantedBinding[]
  readonly roles: readonly WantedRole[]
  readonly roleBindings: readonly WantedBinding[]
}

/** Annotation of objects that the server may update. A user sets it to false to prevent updates. */
export function autoUpdateAnnotation(vendor: Vendor): string {
  return vendor.domain("rbac.authorization.orch.io/autoupdate")
}

/** A Role is a ClusterRole without aggregation, and a RoleBinding has the fields of a ClusterRoleBinding. */
type GivenRole = Pick<BootstrapObject<ClusterRole>, "metadata" | "rules" | "aggregationRule">
type GivenBinding = Pick<BootstrapObject<ClusterRoleBinding>, "metadata" | "roleRef" | "subjects">

/** Called once at start. */
export function bootstrapPolicy(vendor: Vendor): BootstrapPolicy {
  /** Names of roles that contain a group, and of signer roles, which contain a domain. */
  const named = (name: string): string => vendor.domain(name.replace(".orch.io:", `.${vendor.groupDomain}:`))
  /** Keys of labels that begin with a group. */
  const labelled = (labels: Readonly<Record<string, string>> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(labels).map(([key, value]) => [vendor.apiVersion(key), value]))
  const meta = ({ name, namespace, labels }: BootstrapMeta): PolicyMeta => ({
    name: named(name),
    ...(namespace !== undefined && { namespace: vendor.namespace(namespace) }),
    labels: { [vendor.domain("orch.io/bootstrapping")]: "rbac-defaults", ...labelled(labels) },
    annotations: { [autoUpdateAnnotation(vendor)]: "true" },
  })
  const rule = (given: PolicyRule): PolicyRule => ({
    ...given,
    ...(given.apiGroups !== undefined && { apiGroups: given.apiGroups.map(vendor.group) }),
    ...(given.resourceNames !== undefined && { resourceNames: given.resourceNames.map(vendor.domain) }),
  })
  const role = ({ metadata, rules, aggregationRule: rest }: GivenRole): WantedRole => ({
    metadata: meta(metadata),
    rules: (rules ?? []).map(rule),
    ...(rest !== undefined && {
      aggregationRule: {
        clusterRoleSelectors: rest.clusterRoleSelectors.map(({ matchLabels }) => ({ matchLabels: labelled(matchLabels) })),
      },
    }),
  })
  const subject = (given: Subject): Subject => ({
    ...given,
    ...(given.apiGroup !== undefined && { apiGroup: vendor.group(given.apiGroup) }),
    ...(given.namespace !== undefined && { namespace: vendor.namespace(given.namespace) }),
  })
  const binding = ({ metadata, roleRef, subjects = [] }: GivenBinding): WantedBinding => ({
    metadata: meta(metadata),
    roleRef: { apiGroup: vendor.group(roleRef.apiGroup), kind: roleRef.kind, name: named(roleRef.name) },
    subjects: subjects.map(subject),
  })
  return {
    clusterRoles: [...ofCluster.clusterRoles, ...ofControllers.clusterRoles].map(role),
    clusterRoleBindings: [...ofCluster.clusterRoleBindings, ...ofControllers.clusterRoleBindings].map(binding),
    roles: ofNamespaces.roles.map(role),
    roleBindings: ofNamespaces.roleBindings.map(binding),
  }
}
