/** The mode ABAC: a file of policies, one JSON object per line (catalog operations.yaml: authorization, abac). */
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import type { User } from "../base/user.ts"
import type { Vendor } from "../base/vendor.ts"
import type { UserRules } from "../schema/access.ts"
import { allowed, type AuthorizedRequest, type Authorizer, namespaceOf, noOpinion } from "./authorize.ts"

/** One line. `*` stands for any value. */
export interface AbacPolicy {
  readonly user: string
  readonly group: string
  readonly readonly: boolean
  /** Neutral. */
  readonly apiGroup: string
  readonly namespace: string
  readonly resource: string
  readonly nonResourcePath: string
}

/** The current policies of the file. */
export interface AbacPolicies {
  readonly current: readonly AbacPolicy[]
}

/** Called with the text of the file, at the start and when it has changed. Throws an Error that names the line. */
export function parseAbacPolicies(text: string, vendor: Vendor): readonly AbacPolicy[] {
  return text.split("\n").flatMap((line, index) => {
    const trimmed = line.trim()
    if (trimmed === "" || trimmed.startsWith("#")) return []
    try {
      return [policyOf(JSON.parse(trimmed) as JsonValue, vendor)] // JSON has no other values.
    } catch (error) {
      throw new Error(`line ${index + 1}: ${error instanceof Error ? error.message : String(error)}`)
    }
  })
}

function policyOf(value: JsonValue, vendor: Vendor): AbacPolicy {
  if (!isObject(value)) throw new Error("a policy is a JSON object")
  const { apiVersion, kind, spec } = value
  if (apiVersion === undefined && kind === undefined) return unversioned(value, vendor)
  const expected = vendor.domain("abac.authorization.orch.io/v1beta1")
  if (apiVersion !== expected || kind !== "Policy") throw new Error(`expected apiVersion ${expected} and kind Policy`)
  if (!isObject(spec)) throw new Error("spec is missing")
  return withoutSubjectOfAll(fieldsOf(spec, vendor))
}

function fieldsOf(spec: JsonObject, vendor: Vendor): AbacPolicy {
  const text = (name: string): string => {
    const value = spec[name] ?? ""
    if (typeof value !== "string") throw new Error(`${name} must be a text`)
    return value
  }
  const readonly = spec["readonly"] ?? false
  if (typeof readonly !== "boolean") throw new Error("readonly must be true or false")
  return {
    user: text("user"),
    group: text("group"),
    readonly,
    apiGroup: vendor.neutralGroup(text("apiGroup")),
    namespace: text("namespace"),
    resource: text("resource"),
    nonResourcePath: text("nonResourcePath"),
  }
}

/** The older form: an absent field matches everything, and a line without `resource` also allows paths. */
function unversioned(value: JsonObject, vendor: Vendor): AbacPolicy {
  const given = fieldsOf(value, vendor)
  const { namespace, resource, user, group } = given
  return withoutSubjectOfAll({
    ...given,
    user: user === "" && group === "" ? "*" : user,
    namespace: namespace || "*",
    resource: resource || "*",
    apiGroup: "*",
    nonResourcePath: namespace === "" && resource === "" ? "*" : "",
  })
}

/** `*` as user or group matches every authenticated user. */
function withoutSubjectOfAll(policy: AbacPolicy): AbacPolicy {
  const { user, group } = policy
  return user === "*" || group === "*" ? { ...policy, user: "", group: "system:authenticated" } : policy
}

/** Called once at start. */
export function abacAuthorizer(policies: AbacPolicies, vendor: Vendor): Authorizer {
  return Object.assign(
    (request: AuthorizedRequest) =>
      policies.current.some((policy) => isSubject(policy, request.user) && allows(policy, request)) ? allowed : noMatch,
    { rulesFor: (user: User, namespace: string) => rulesFor(policies.current, { user, namespace, vendor }) },
  )
}

const noMatch = { ...noOpinion, reason: "No policy matched." }

function isSubject({ user, group }: AbacPolicy, { name, groups }: User): boolean {
  if (user === "" && group === "") return false
  return (user === "" || user === name) && (group === "" || groups.includes(group))
}

const readVerbs: ReadonlySet<string> = new Set(["get", "list", "watch"])

function allows(policy: AbacPolicy, { info }: AuthorizedRequest): boolean {
  if (policy.readonly && !readVerbs.has(info.verb)) return false
  if (!info.isResource) return isPath(policy.nonResourcePath, info.path)
  return isAny(policy.namespace, namespaceOf(info)) && isAny(policy.resource, info.resource) && isAny(policy.apiGroup, info.group)
}

function isAny(wanted: string, found: string): boolean {
  return wanted === "*" || wanted === found
}

function isPath(wanted: string, path: string): boolean {
  if (wanted === "*" || (wanted !== "" && wanted === path)) return true
  return wanted.endsWith("*") && path.startsWith(withoutStars(wanted))
}

function withoutStars(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === "*") end--
  return text.slice(0, end)
}

function rulesFor(policies: readonly AbacPolicy[], asked: { user: User; namespace: string; vendor: Vendor }): UserRules {
  const { user, namespace, vendor } = asked
  const own = policies.filter((policy) => isSubject(policy, user) && isAny(policy.namespace, namespace))
  const verbs = ({ readonly }: AbacPolicy): readonly string[] => (readonly ? [...readVerbs] : ["*"])
  return {
    resourceRules: own
      .filter(({ resource }) => resource !== "")
      .map((policy) => ({ verbs: verbs(policy), apiGroups: [vendor.group(policy.apiGroup)], resources: [policy.resource] })),
    nonResourceRules: own
      .filter(({ nonResourcePath }) => nonResourcePath !== "")
      .map((policy) => ({ verbs: verbs(policy), nonResourceURLs: [policy.nonResourcePath] })),
    incomplete: false,
  }
}
