/** What a quota may bound, and which pods it may be about (catalog validation.yaml: ResourceQuota). */
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from "../../../generated/core/v1/resource-quota/types.ts"
import { checkQuotaAmounts } from "./quota-status.ts"

const scopes = ["Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity"]
const operators = ["In", "NotIn", "Exists", "DoesNotExist"]
const opposites = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
]

/** Pods without requests can only be counted. */
const bestEffortResources = ["pods"]
const podResources = ["pods", "cpu", "memory", "ephemeral-storage"]

/** Called for the spec of each quota. */
export const quotaSpec = defineCheck<ResourceQuotaSpec>((spec, context) => {
  const resources = Object.keys(spec.hard ?? {})
  checkQuotaAmounts(spec.hard ?? {}, "hard", context)
  const named = new Set(spec.scopes)
  for (const scope of named) checkScope(scope, resources, "scopes", context)
  checkOpposites(named, [...named], "scopes", context)
  const requirements = spec.scopeSelector?.matchExpressions ?? []
  const selected = new Set<string>()
  for (const [index, requirement] of requirements.entries()) {
    const at = `scopeSelector.matchExpressions[${index}]`
    checkScope(requirement.scopeName, resources, `${at}.scopeName`, context)
    checkRequirement(requirement, at, context)
    selected.add(requirement.scopeName)
  }
  checkOpposites(selected, [...selected], "scopeSelector.matchExpressions", context)
})

function checkScope(scope: string, resources: readonly string[], at: string, context: CheckContext<unknown>): void {
  if (!scopes.includes(scope)) return context.fail("Invalid", scope, "unsupported scope", at)
  for (const resource of resources)
    if (!isInScope(scope, resource)) context.fail("Invalid", scope, "unsupported scope applied to resource", at)
}

function isInScope(scope: string, resource: string): boolean {
  if (scope === "BestEffort") return bestEffortResources.includes(resource)
  const name = resource.replace(/^(requests|limits)\./, "")
  return podResources.includes(name) || name.startsWith("hugepages-") || name.includes("/")
}

function checkOpposites(named: ReadonlySet<string>, value: string[], at: string, context: CheckContext<unknown>): void {
  for (const pair of opposites) if (pair.every((scope) => named.has(scope))) context.fail("Invalid", value, "conflicting scopes", at)
}

function checkRequirement(requirement: ScopedResourceSelectorRequirement, at: string, context: CheckContext<unknown>): void {
  const { operator, scopeName, values = [] } = requirement
  if (!operators.includes(operator)) return context.fail("Invalid", operator, "not a valid selector operator", `${at}.operator`)
  if (scopeName !== "PriorityClass" && operator !== "Exists")
    context.fail(
      "Invalid",
      operator,
      "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
      `${at}.operator`,
    )
  const needsValues = operator === "In" || operator === "NotIn"
  if (needsValues && values.length === 0)
    context.fail("Required", undefined, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector", `${at}.values`)
  if (!needsValues && values.length > 0)
    context.fail("Invalid", values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector", `${at}.values`)
}
