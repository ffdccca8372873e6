/** Resources that a quota may bound, and pods that it may select (catalog validation.yaml: ResourceQuota). */
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from "../../../generated/core/v1/resource-quota/types.ts"
import type { JsonValue } from "../../base/json.ts"
import { typed } from "../../schema/typed.ts"
import { isQuotaResource } from "../content/quota-resources.ts"
import { checkQuotaAmounts } from "./quota-status.ts"

const scopes = ["Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity"]
const opposites = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
]

/** Pods without requests can only be counted. */
const bestEffortResources = ["pods"]
const podResources = ["pods", ...["", "requests.", "limits."].flatMap((prefix) => [`${prefix}cpu`, `${prefix}memory`])]

const onlyExists =
  "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"

/** Called for the spec of each quota. Faults of a requirement name no index, as in the reference. */
export const quotaSpec = defineCheck<ResourceQuotaSpec>((spec, context) => {
  const resources = Object.keys(spec.hard ?? {}).filter(isQuotaResource)
  checkQuotaAmounts(spec.hard ?? {}, "hard", context)
  const named = spec.scopes ?? []
  for (const scope of named) {
    if (!scopes.includes(scope)) context.fail("Invalid", named, "unsupported scope", "scopes")
    checkScope(scope, resources, { value: named, at: "scopes" }, context)
  }
  checkOpposites(named, { value: named, at: "scopes" }, context)
  if (context.operation === "update" && !sameScopes(named, context.old?.scopes ?? []))
    context.fail("Invalid", named, "field is immutable", "scopes")
  const at = "scopeSelector.matchExpressions"
  const requirements = spec.scopeSelector?.matchExpressions ?? []
  const whole = { value: typed<JsonValue>(spec.scopeSelector ?? {}), at }
  for (const requirement of requirements) {
    const { scopeName } = requirement
    if (!scopes.includes(scopeName)) context.fail("Invalid", scopeName, "unsupported scope", `${at}.scopeName`)
    checkScope(scopeName, resources, whole, context)
    checkRequirement(requirement, at, context)
  }
  const selected = requirements.map(({ scopeName }) => scopeName)
  checkOpposites(selected, whole, context)
})

/** The value that a failure shows, and its path. */
interface Shown {
  readonly value: JsonValue
  readonly at: string
}

function checkScope(scope: string, resources: readonly string[], { value, at }: Shown, context: CheckContext<unknown>): void {
  if (!scopes.includes(scope)) return
  const selected = scope === "BestEffort" ? bestEffortResources : podResources
  for (const resource of resources)
    if (!selected.includes(resource)) context.fail("Invalid", value, "unsupported scope applied to resource", at)
}

function checkOpposites(named: readonly string[], { value, at }: Shown, context: CheckContext<unknown>): void {
  for (const pair of opposites) if (pair.every((scope) => named.includes(scope))) context.fail("Invalid", value, "conflicting scopes", at)
}

function checkRequirement(requirement: ScopedResourceSelectorRequirement, at: string, context: CheckContext<unknown>): void {
  const { operator, scopeName, values = [] } = requirement
  if (scopes.includes(scopeName) && scopeName !== "PriorityClass" && operator !== "Exists")
    context.fail("Invalid", operator, onlyExists, `${at}.operator`)
  if (operator === "In" || operator === "NotIn") {
    if (values.length > 0) return
    context.fail("Required", undefined, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector", `${at}.values`)
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length === 0) return
    context.fail("Invalid", values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector", `${at}.values`)
  } else context.fail("Invalid", operator, "not a valid selector operator", `${at}.operator`)
}

/** Compares scopes in any order; repetitions do not count. */
function sameScopes(these: readonly string[], those: readonly string[]): boolean {
  const [one, other] = [new Set(these), new Set(those)]
  return one.size === other.size && [...one].every((scope) => other.has(scope))
}
