/** Short forms in which the bootstrap policy is written. Groups and domains are neutral, lists have spaces. */
import type { PolicyRule } from "../../../generated/rbac.authorization.orch.io/v1/shared/policy-rule/types.ts"

export interface BootstrapRole {
  readonly name: string
  readonly rules: readonly PolicyRule[]
  /** Its rules are also those of the role with this name. */
  readonly aggregateTo?: string
  /** Its rules are those of the roles whose `aggregateTo` is this. */
  readonly aggregates?: string
}

export interface BootstrapSubject {
  readonly kind: "User" | "Group" | "ServiceAccount"
  readonly name: string
}

export interface BootstrapBinding {
  readonly name: string
  /** Default: the name of the binding. */
  readonly role?: string
  readonly subjects: readonly BootstrapSubject[]
}

/** A rule about resources. The group without a name is `core`. */
export function allow(verbs: string, groups: string, resources: string, names = ""): PolicyRule {
  return {
    verbs: verbs.split(" "),
    apiGroups: groups.split(" ").map((group) => (group === "core" ? "" : group)),
    resources: resources.split(" "),
    ...(names !== "" && { resourceNames: names.split(" ") }),
  }
}

/** A rule about paths. */
export function paths(verbs: string, urls: string): PolicyRule {
  return { verbs: verbs.split(" "), nonResourceURLs: urls.split(" ") }
}

export function user(name: string): BootstrapSubject {
  return { kind: "User", name }
}

export function group(name: string): BootstrapSubject {
  return { kind: "Group", name }
}

/** A service account of the system namespace. */
export function account(name: string): BootstrapSubject {
  return { kind: "ServiceAccount", name }
}
