/**
 * Whether rules cover all permissions of other rules (catalog rbac.yaml: escalation, coverage). Used to check that no
 * user grants more than the user holds, and to find the permissions that the server's own roles lack.
 */
import type { PolicyRule } from "../../../generated/rbac.authorization.orch.io/v1/shared/policy-rule/types.ts"
import { quoted } from "../../base/quote.ts"
import type { Stages } from "../../base/turns.ts"
import { type CompiledRules, type RuleQuestion, withBits } from "./rules.ts"

/**
 * Single permissions, each a verb on a resource or path, up to which a role is compared. The lists of a rule multiply:
 * a body of a few kilobytes can hold billions.
 */
export const comparedPermissionsMax = 20_000

/** The number of single permissions in rules. */
export function permissionsIn(rules: readonly PolicyRule[]): number {
  let count = 0
  for (const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } of rules)
    count += verbs.length * (apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length)
  return count
}

/** Comparisons of a permission with a role in one stage: about five milliseconds. */
const comparisonsPerStage = 20_000

/**
 * The permissions in `wanted` that no rule of `held` has, joined per resource. Called with at most
 * `comparedPermissionsMax` permissions. `neutral` maps the groups of `wanted`; the groups of `held` are mapped already.
 */
export function* findingUncovered(
  held: readonly CompiledRules[],
  wanted: readonly PolicyRule[],
  neutral: (group: string) => string,
): Stages<readonly PolicyRule[]> {
  const missing = new Map<string, Missing>()
  let compared = 0
  for (const permission of permissionsOf(wanted, neutral)) {
    compared += held.length + 1
    if (compared > comparisonsPerStage) {
      compared = 0
      yield
    }
    if (held.some((rules) => rules.allow(permission.question))) continue
    const { question, rule } = permission
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames, rule.nonResourceURLs])
    const known = missing.get(key)
    if (known === undefined || !question.isResource) missing.set(known === undefined ? key : `${key}${question.verb}`, rule)
    else if (!known.verbs.includes(question.verb)) known.verbs.push(question.verb)
  }
  return [...missing.values()]
}

/** One permission as a rule. */
interface Missing {
  readonly verbs: string[]
  readonly apiGroups?: string[]
  readonly resources?: string[]
  readonly resourceNames?: string[]
  readonly nonResourceURLs?: string[]
}

interface Permission {
  readonly question: RuleQuestion
  readonly rule: Missing
}

function* permissionsOf(rules: readonly PolicyRule[], neutral: (group: string) => string): Generator<Permission> {
  for (const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } of rules) {
    for (const apiGroup of apiGroups)
      for (const resource of resources)
        for (const verb of verbs)
          for (const name of resourceNames.length === 0 ? [""] : resourceNames)
            yield {
              question: resourceQuestion(verb, neutral(apiGroup), resource, name),
              rule: { apiGroups: [apiGroup], resources: [resource], ...(name !== "" && { resourceNames: [name] }), verbs: [verb] },
            }
    for (const url of nonResourceURLs)
      for (const verb of verbs)
        yield {
          question: withBits({ isResource: false, verb, path: url, group: "", resource: "", anyWithSubresource: "", name: "" }),
          rule: { nonResourceURLs: [url], verbs: [verb] },
        }
  }
}

function resourceQuestion(verb: string, group: string, resource: string, name: string): RuleQuestion {
  const slash = resource.indexOf("/")
  const anyWithSubresource = slash < 0 ? "" : `*${resource.slice(slash)}`
  return withBits({ isResource: true, verb, group, resource, anyWithSubresource, name, path: "" })
}

/** `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}`, as the reference writes a rule. */
export function ruleText({ apiGroups = [], resources = [], nonResourceURLs = [], resourceNames = [], verbs = [] }: PolicyRule): string {
  const parts = Object.entries({
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  })
  return `{${parts
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `${name}:${listText(values)}`)
    .join(", ")}}`
}

/** `["a" "b"]`. */
export function listText(values: readonly string[]): string {
  return `[${values.map(quoted).join(" ")}]`
}
