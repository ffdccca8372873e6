/** The rules of one role, indexed for decisions (catalog rbac.yaml: evaluation). */
import type { PolicyRule } from "../../../generated/rbac.authorization.orch.io/v1/shared/policy-rule/types.ts"
import type { RequestInfo } from "../../http/request/request-info.ts"
import type { Stages } from "../../base/turns.ts"

/** A request in the form that rules need. Made once per decision. */
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
  /** The bit of the verb. */
  readonly verbBit: number
  readonly groupBit: number
  /** The bits of `resource` and `anyWithSubresource`. */
  readonly resourceBits: number
}

/** Called once per decision. */
export function questionOf({ isResource, verb, group, resource, subresource, name, path }: RequestInfo): RuleQuestion {
  if (subresource === "") return withBits({ isResource, verb, group, resource, anyWithSubresource: "", name, path })
  const whole = `${resource}/${subresource}`
  return withBits({ isResource, verb, group, resource: whole, anyWithSubresource: `*/${subresource}`, name, path })
}

/** Completes a question. */
export function withBits(asked: Omit<RuleQuestion, "verbBit" | "groupBit" | "resourceBits">): RuleQuestion {
  const { isResource, verb, group, resource, anyWithSubresource, name, path } = asked
  const verbBit = bitOfVerb(verb)
  const groupBit = bitOfName(group)
  const resourceBits = bitOfName(resource) | (anyWithSubresource === "" ? 0 : bitOfName(anyWithSubresource))
  return { isResource, verb, group, resource, anyWithSubresource, name, path, verbBit, groupBit, resourceBits }
}

/**
 * Most roles of a user have no rule for a request. Roles have bits for their verbs, groups and resources, so that
 * comparing numbers excludes them: names without a common bit differ. `*` has all bits.
 */
const allBits = -1
const commonVerbs = "get list watch create update patch delete deletecollection impersonate escalate bind use approve sign".split(" ")
const verbBits: ReadonlyMap<string, number> = new Map([...commonVerbs.map((verb, index) => [verb, 1 << index] as const), ["*", allBits]])
const otherVerb = 1 << commonVerbs.length

function bitOfVerb(verb: string): number {
  return verbBits.get(verb) ?? otherVerb
}

function bitOfName(name: string): number {
  if (name === "*") return allBits
  let hash = 0
  for (let index = 0; index < name.length; index++) hash = (Math.imul(hash, 31) + name.charCodeAt(index)) | 0
  return 1 << (Math.imul(hash, 0x9e3779b1) >>> 27)
}

function bitsOf(values: Iterable<string>, bitOf: (value: string) => number): number {
  let bits = 0
  for (const value of values) bits |= bitOf(value)
  return bits
}

interface ResourceRule {
  readonly verbs: ReadonlySet<string>
  readonly verbBits: number
  readonly groups: ReadonlySet<string>
  readonly groupBits: number
  /** Undefined: any name, and requests without a name. */
  readonly names: ReadonlySet<string> | undefined
}

interface PathRule {
  readonly verbs: ReadonlySet<string>
  readonly paths: ReadonlySet<string>
  /** Prefixes before the `*` at the end of a path, by their length. */
  readonly prefixes: ReadonlyMap<number, ReadonlySet<string>>
}

/** Values indexed in one stage: about five milliseconds. */
const valuesPerStage = 20_000

/** Called for each version of a role. `neutral` maps the groups that its author wrote. */
export function* compilingRules(rules: readonly PolicyRule[], neutral: (group: string) => string): Stages<CompiledRules> {
  const byResource = new Map<string, ResourceRule[]>()
  const ofPaths: PathRule[] = []
  const bits = { verbs: 0, groups: 0, resources: 0 }
  let count = 0
  const over = (values: number): boolean => {
    count += values + 1
    if (count < valuesPerStage) return false
    count = 0
    return true
  }
  for (const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } of rules) {
    const verbSet = new Set(verbs)
    const ownBits = bitsOf(verbSet, bitOfVerb)
    bits.verbs |= ownBits
    if (over(verbs.length + apiGroups.length)) yield
    if (nonResourceURLs.length > 0) ofPaths.push(pathRule(verbSet, nonResourceURLs))
    const names = resourceNames.length === 0 ? undefined : new Set(resourceNames)
    if (over(nonResourceURLs.length + resourceNames.length)) yield
    const groups = new Set(apiGroups.map(neutral))
    const groupBits = bitsOf(groups, bitOfName)
    bits.groups |= groupBits
    const rule = { verbs: verbSet, verbBits: ownBits, groups, groupBits, names }
    for (const resource of new Set(resources)) {
      bits.resources |= bitOfName(resource)
      const known = byResource.get(resource)
      if (known === undefined) byResource.set(resource, [rule])
      else known.push(rule)
      if (over(1)) yield
    }
  }
  return new CompiledRules(rules, byResource, ofPaths, bits)
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
    private readonly bits: { readonly verbs: number; readonly groups: number; readonly resources: number },
  ) {}

  /** Whether some rule allows the request. Checks only the rules of its resource. */
  allow(question: RuleQuestion): boolean {
    const { verbs, groups, resources } = this.bits
    if ((verbs & question.verbBit) === 0) return false
    if (question.isResource && ((groups & question.groupBit) === 0 || (resources & question.resourceBits) === 0)) return false
    if (!question.isResource) return this.ofPaths.some((rule) => allowsPath(rule, question))
    const { byResource } = this
    return (
      anyAllows(byResource.get(question.resource), question) ||
      anyAllows(byResource.get("*"), question) ||
      (question.anyWithSubresource !== "" && anyAllows(byResource.get(question.anyWithSubresource), question))
    )
  }
}

function anyAllows(rules: readonly ResourceRule[] | undefined, question: RuleQuestion): boolean {
  if (rules === undefined) return false
  for (const { verbs, verbBits, groups, groupBits, names } of rules) {
    if ((verbBits & question.verbBit) === 0 || (groupBits & question.groupBit) === 0) continue
    if (has(verbs, question.verb) && has(groups, question.group) && (names === undefined || names.has(question.name))) return true
  }
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
