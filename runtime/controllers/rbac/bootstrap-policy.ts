/** The roles and bindings that every cluster has, in a vendor's names (catalog rbac.yaml: reconcile, defaultMeta). */
import type { ClusterRole } from "../../../generated/rbac.authorization.orch.io/v1/cluster-role/types.ts"
import type { Subject } from "../../../generated/rbac.authorization.orch.io/v1/shared/subject/types.ts"
import type { PolicyRule } from "../../../generated/rbac.authorization.orch.io/v1/shared/policy-rule/types.ts"
import type { Vendor } from "../../base/vendor.ts"
import { clusterRoleBindings, roleBindings, roles } from "./bindings.ts"
import { clusterRoles } from "./cluster-roles.ts"
import { controllerRoles } from "./controller-roles.ts"
import type { BootstrapBinding, BootstrapRole, BootstrapSubject } from "./policy-words.ts"

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

/** On objects that the server may bring up to date. A user sets it to false to keep them as they are. */
export function autoUpdateAnnotation(vendor: Vendor): string {
  return vendor.domain("rbac.authorization.orch.io/autoupdate")
}

/** Called once at start. */
export function bootstrapPolicy(vendor: Vendor): BootstrapPolicy {
  const group = vendor.group("rbac.authorization.orch.io")
  const system = vendor.namespace("orch-system")
  /** Names of roles that contain a group, and those of signers, which contain a domain. */
  const named = (name: string): string => vendor.domain(name.replace(".orch.io:", `.${vendor.groupDomain}:`))
  const label = (to: string): string => `${group}/aggregate-to-${to}`
  const meta = (name: string, namespace?: string): PolicyMeta => ({
    name: named(name),
    ...(namespace !== undefined && { namespace: vendor.namespace(namespace) }),
    labels: { [vendor.domain("orch.io/bootstrapping")]: "rbac-defaults" },
    annotations: { [autoUpdateAnnotation(vendor)]: "true" },
  })
  const role = ({ name, rules, aggregateTo, aggregates }: BootstrapRole, namespace?: string): WantedRole => {
    const metadata = meta(name, namespace)
    return {
      metadata: aggregateTo === undefined ? metadata : { ...metadata, labels: { ...metadata.labels, [label(aggregateTo)]: "true" } },
      rules: rules.map(wire),
      ...(aggregates !== undefined && { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label(aggregates)]: "true" } }] } }),
    }
  }
  const wire = (rule: PolicyRule): PolicyRule => ({
    ...rule,
    ...(rule.apiGroups !== undefined && { apiGroups: rule.apiGroups.map(vendor.group) }),
    ...(rule.resourceNames !== undefined && { resourceNames: rule.resourceNames.map(vendor.domain) }),
  })
  const subject = ({ kind, name }: BootstrapSubject): Subject =>
    kind === "ServiceAccount" ? { kind, name, namespace: system } : { kind, apiGroup: group, name }
  const binding = (given: BootstrapBinding, kind: string, namespace?: string): WantedBinding => ({
    metadata: meta(given.name, namespace),
    roleRef: { apiGroup: group, kind, name: named(given.role ?? given.name) },
    subjects: given.subjects.map(subject),
  })
  const ofControllers = controllerRoles.map((one) => ({ ...one, name: `system:controller:${one.name}`, account: one.name }))
  return {
    clusterRoles: [...clusterRoles, ...ofControllers].map((one) => role(one)),
    clusterRoleBindings: [
      ...clusterRoleBindings,
      ...ofControllers.map(({ name, account }) => ({ name, subjects: [{ kind: "ServiceAccount" as const, name: account }] })),
    ].map((one) => binding(one, "ClusterRole")),
    roles: roles.map((one) => role(one, one.namespace)),
    roleBindings: roleBindings.map((one) => binding(one, "Role", one.namespace)),
  }
}
