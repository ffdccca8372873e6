/** The audit policy: which requests are recorded, at which stages, and how much of them. Facts of the catalog. */
import type { User } from "../base/user.ts"
import type { RequestInfo } from "../http/request/request-info.ts"

/** From nothing to everything. */
export const levels = ["None", "Metadata", "Request", "RequestResponse"] as const
export type Level = (typeof levels)[number]

export const stages = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"] as const
export type Stage = (typeof stages)[number]

/** Resources of one group. Empty lists match all. */
export interface ResourceRule {
  /** Neutral; "" is the core group. */
  readonly group: string
  /** `pods`, `pods/log`, `*`, `pods/*` or the form for one sub-resource of all resources, as in the API. */
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
}

/** A rule as the file has it. Empty lists match all requests. */
export interface PolicyRule {
  readonly level: Level
  readonly users: readonly string[]
  readonly userGroups: readonly string[]
  readonly verbs: readonly string[]
  readonly resources: readonly ResourceRule[]
  /** "" matches requests without a namespace. */
  readonly namespaces: readonly string[]
  readonly nonResourceURLs: readonly string[]
  readonly omitStages: readonly Stage[]
  /** Absent: as in the policy. */
  readonly omitManagedFields?: boolean
}

export interface Policy {
  readonly rules: readonly PolicyRule[]
  readonly omitStages: readonly Stage[]
  readonly omitManagedFields: boolean
}

/** The policy's decision on a request. */
export interface AuditDecision {
  readonly level: Level
  readonly omitStages: ReadonlySet<Stage>
  readonly omitManagedFields: boolean
}

/** The parts of a request that rules compare. */
export interface AuditedRequest {
  /** Absent: the request was not authenticated. */
  readonly user?: User
  readonly info: RequestInfo
}

/** Decides for one request. */
export type PolicyEvaluator = (request: AuditedRequest) => AuditDecision

const unrecorded: AuditDecision = { level: "None", omitStages: new Set(stages), omitManagedFields: false }

/** Called once at start. The first rule that matches decides; a request that none matches is not recorded. */
export function compilePolicy(policy: Policy): PolicyEvaluator {
  const compiled = policy.rules.map((rule) => ({ matches: compileRule(rule), decision: decisionOf(rule, policy) }))
  return (request) => {
    for (const { matches, decision } of compiled) if (matches(request)) return decision
    return unrecorded
  }
}

function decisionOf(rule: PolicyRule, policy: Policy): AuditDecision {
  return {
    level: rule.level,
    omitStages: new Set([...policy.omitStages, ...rule.omitStages]),
    omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields,
  }
}

function compileRule(rule: PolicyRule): (request: AuditedRequest) => boolean {
  const { resources, nonResourceURLs } = rule
  const [users, groups, verbs, namespaces] = [rule.users, rule.userGroups, rule.verbs, rule.namespaces].map((list) => new Set(list))
  const ofResources = resources.length > 0 || rule.namespaces.length > 0
  return ({ user, info }) => {
    if (users !== undefined && users.size > 0 && (user === undefined || !users.has(user.name))) return false
    if (groups !== undefined && groups.size > 0 && user?.groups.some((group) => groups.has(group)) !== true) return false
    if (verbs !== undefined && verbs.size > 0 && !verbs.has(info.verb)) return false
    if (ofResources) {
      if (!info.isResource) return false
      if (namespaces !== undefined && namespaces.size > 0 && !namespaces.has(auditedNamespace(info))) return false
      return resources.length === 0 || resources.some((resource) => matchesResource(resource, info))
    }
    return nonResourceURLs.length === 0 || (!info.isResource && nonResourceURLs.some((pattern) => matchesPath(pattern, info.path)))
  }
}

function matchesResource({ group, resources, resourceNames }: ResourceRule, info: RequestInfo): boolean {
  if (group !== info.group) return false
  if (resources.length === 0) return true
  if (resourceNames.length > 0 && !resourceNames.includes(info.name)) return false
  return resources.some((pattern) => matchesName(pattern, info))
}

/** As in the reference, the pattern for all sub-resources matches the resource itself too. */
function matchesName(pattern: string, { resource, subresource }: RequestInfo): boolean {
  if (pattern === "*" || pattern === (subresource === "" ? resource : `${resource}/${subresource}`)) return true
  if (pattern.endsWith("/*")) return pattern.length === resource.length + 2 && pattern.startsWith(resource)
  return subresource !== "" && pattern.startsWith("*/") && pattern.slice(2) === subresource
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : pattern === path
}

/** The namespace of a request. A Namespace is in itself, as in the reference. */
export function auditedNamespace({ group, resource, name, namespace }: RequestInfo): string {
  return resource === "namespaces" && group === "" && name !== "" ? name : namespace
}
