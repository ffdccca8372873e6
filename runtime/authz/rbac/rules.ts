/** The rules of one role, in the form in which requests are compared with them (catalog rbac.yaml: evaluation). */
import type { PolicyRule } from "../../../generated/rbac.authorization.orch.io/v1/shared/policy-rule/types.ts"
import type { RequestInfo } from "../../http/request/context.ts"
import type { Stages } from "../../base/turns.ts"

/** A request, as rules see it. Made once per decision. */
export interface RuleQuestion {
  readonly isResource: boolean
  readonly verb: string
  /** Neutral. */
  readonly group: string
  /** `pods`, `pods/log`. */
  readonly resource: string
  /** `*\/log`; "" without a sub-resource. */
  readonly anyWithSubresource: string
  readonly name: string
  readonly path: string
}

/** Called once per decision. */
export function questionOf({ isResource, verb, group, resource, subresource, name, path }: RequestInfo): RuleQuestion {
  if (subresource === "") return { isResource, verb, group, resource, anyWithSubresource: "", name, path }
  return { isResource, verb, group, resource: `${resource}/${subresource}`, anyWithSubresource: `*/${subresource}`, name, path }
}

interface ResourceRule {
  readonly verbs: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  /** Undefined: any name, and none. */
  readonly names: ReadonlySet<string> | undefined
}

interface PathRule {
  readonly verbs: ReadonlySet<string>
  readonly paths: ReadonlySet<string>
  /** What stands before the `*` at the end of a path, by its length. */
  readonly prefixes: ReadonlyMap<number, ReadonlySet<string>>
}

/** Values that are taken up in one stage: about five milliseconds. */
const valuesPerStage = 20_000

/** Called for each version of a role. `neutral` maps the groups that its author wrote. */
export function* compilingRules(rules: readonly PolicyRule[], neutral: (group: string) => string): Stages<CompiledRules> {
  const byResource = new Map<string, ResourceRule[]>()
  const ofPaths: PathRule[] = []
  let count = 0
  const over = (values: number): boolean => {
    count += values + 1
    if (count < valuesPerStage) return false
    count = 0
    return true
  }
  for (const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } of rules) {
    const verbSet = new Set(verbs)
    if (over(verbs.length + apiGroups.length)) yield
    if (nonResourceURLs.length > 0) ofPaths.push(pathRule(verbSet, nonResourceURLs))
    const names = resourceNames.length === 0 ? undefined : new Set(resourceNames)
    if (over(nonResourceURLs.length + resourceNames.length)) yield
    const rule = { verbs: verbSet, groups: new Set(apiGroups.map(neutral)), names }
    for (const resource of new Set(resources)) {
      const known = byResource.get(resource)
      if (known === undefined) byResource.set(resource, [rule])
      else known.push(rule)
      if (over(1)) yield
    }
  }
  return new CompiledRules(rules, byResource, ofPaths)
}

function pathRule(verbs: ReadonlySet<string>, urls: readonly string[]): PathRule {
  const prefixes = new Map<number, Set<string>>()
  for (const url of urls) {
    if (!url.endsWith("*")) continue
    let end = url.length
    while (end > 0 && url[end - 1] === "*") end--
    const known = prefixes.get(end) ?? new Set()
    prefixes.set(end, known.add(url.slice(0, end)))
  }
  return { verbs, paths: new Set(urls), prefixes }
}

/** Made by `compilingRules`. */
export class CompiledRules {
  constructor(
    /** As their author wrote them. */
    readonly rules: readonly PolicyRule[],
    private readonly byResource: ReadonlyMap<string, readonly ResourceRule[]>,
    private readonly ofPaths: readonly PathRule[],
  ) {}

  /** Whether some rule allows the request. Looks at the rules of its resource alone. */
  allow(question: RuleQuestion): boolean {
    if (!question.isResource) return this.ofPaths.some((rule) => allowsPath(rule, question))
    const { byResource } = this
    return (
      anyAllows(byResource.get(question.resource), question) ||
      anyAllows(byResource.get("*"), question) ||
      (question.anyWithSubresource !== "" && anyAllows(byResource.get(question.anyWithSubresource), question))
    )
  }
}

function anyAllows(rules: readonly ResourceRule[] | undefined, { verb, group, name }: RuleQuestion): boolean {
  if (rules === undefined) return false
  for (const { verbs, groups, names } of rules)
    if (has(verbs, verb) && has(groups, group) && (names === undefined || names.has(name))) return true
  return false
}

function allowsPath({ verbs, paths, prefixes }: PathRule, { verb, path }: RuleQuestion): boolean {
  if (!has(verbs, verb)) return false
  if (has(paths, path)) return true
  for (const [length, known] of prefixes) if (length <= path.length && known.has(path.slice(0, length))) return true
  return false
}

function has(values: ReadonlySet<string>, value: string): boolean {
  return values.has(value) || values.has("*")
}
