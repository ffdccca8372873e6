/** The pods that a quota with scopes counts (catalog admission.yaml: resourceQuota.scopes). */
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from "../../../generated/core/v1/resource-quota/types.ts"

/** Properties of a pod that scopes compare. Most pods of a namespace have the same. */
export interface Traits {
  readonly isTerminating: boolean
  readonly isBestEffort: boolean
  readonly crossesNamespaces: boolean
  /** "": none. */
  readonly priorityClass: string
}

type Scopes = Pick<ResourceQuotaSpec, "scopes" | "scopeSelector">

/** Whether a quota has scopes; it then counts only pods. */
export function isScoped({ scopes = [], scopeSelector }: Scopes): boolean {
  return scopes.length > 0 || (scopeSelector?.matchExpressions ?? []).length > 0
}

/** Whether a pod is in all scopes of a quota. */
export function inScopes({ scopes = [], scopeSelector }: Scopes, traits: Traits): boolean {
  const all = [...scopes.map((scopeName) => ({ scopeName, operator: "Exists" })), ...(scopeSelector?.matchExpressions ?? [])]
  return all.every((scope) => inScope(scope, traits))
}

function inScope({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement, traits: Traits): boolean {
  switch (scopeName) {
    case "Terminating":
      return traits.isTerminating
    case "NotTerminating":
      return !traits.isTerminating
    case "BestEffort":
      return traits.isBestEffort
    case "NotBestEffort":
      return !traits.isBestEffort
    case "CrossNamespacePodAffinity":
      return traits.crossesNamespaces
    case "PriorityClass":
      return hasClass(operator, values, traits.priorityClass)
    default:
      return false
  }
}

function hasClass(operator: string, values: readonly string[], name: string): boolean {
  if (operator === "In") return name !== "" && values.includes(name)
  if (operator === "NotIn") return !values.includes(name)
  return (name !== "") === (operator === "Exists")
}
