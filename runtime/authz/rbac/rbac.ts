/**
 * The mode RBAC: allows requests by the roles bound to the user, to its groups, or to the service account that it is.
 * It never denies. The texts are the reference's.
 */
import type { PolicyRule } from "../../../generated/rbac.authorization.orch.io/v1/shared/policy-rule/types.ts"
import type { Decision } from "../../base/decision.ts"
import { quoted } from "../../base/quote.ts"
import type { User } from "../../base/user.ts"
import type { UserRules } from "../../schema/access.ts"
import { allErrors, type Authorizer, namespaceOf, noOpinion } from "../authorize.ts"
import type { Grant, RbacPolicy, RoleSlot, ScopeGrants } from "./policy.ts"
import { questionOf, type RuleQuestion } from "./rules.ts"

/**
 * Rules in the answer to a review of a user's rules; an answer with more says that it is incomplete. A user may be
 * bound to thousands of roles, and may ask often.
 */
export const rulesListedMax = 10_000

/** Called once at start. The authorizer reads the policy as it is at each request. */
export function rbacAuthorizer(policy: RbacPolicy): Authorizer {
  return Object.assign(
    ({ user, info }: Parameters<Authorizer>[0]): Decision => {
      const question = questionOf(info)
      const errors: string[] = []
      const everywhere = policy.grantsOf(user, "")
      const decision = allowing(everywhere, question, policy, errors)
      if (decision !== undefined) return decision
      const namespace = namespaceOf(info)
      if (namespace !== "") {
        const inNamespace = allowing(policy.grantsOf(user, namespace), question, policy, errors)
        if (inNamespace !== undefined) return inNamespace
      }
      return errors.length === 0 ? noOpinion : { opinion: "no-opinion", reason: `RBAC: ${allErrors(errors) ?? ""}` }
    },
    { rulesFor: (user: User, namespace: string) => rulesFor(policy, user, namespace) },
  )
}

/** The decision of the first role that allows the request. Adds errors for roles that do not exist. */
function allowing(found: readonly ScopeGrants[], question: RuleQuestion, policy: RbacPolicy, errors: string[]): Decision | undefined {
  for (const scope of found) {
    for (const [role, grants] of scope) {
      if (role.rules === undefined) errors.push(policy.missing(role))
      else if (role.rules.allow(question)) for (const grant of grants.values()) return decisionOf(firstSubject(grant, found))
    }
  }
  return undefined
}

/** If a binding reaches the user in several ways, the reason names the first subject of its list. */
function firstSubject(grant: Grant, found: readonly ScopeGrants[]): Grant {
  let first = grant
  if (found.length === 1 || grant.binding.subjects.length === 1) return first
  const { role, name } = grant.binding
  for (const scope of found) {
    const other = scope.get(role)?.get(name)
    if (other !== undefined && other.index < first.index) first = other
  }
  return first
}

function decisionOf(grant: Grant): Decision {
  grant.decision ??= { opinion: "allow", reason: `RBAC: allowed by ${described(grant)}` }
  return grant.decision
}

function described({ binding, index }: Grant): string {
  const { namespace, name, role, subjects } = binding
  const subject = subjects[index]
  const account = subject?.kind === "ServiceAccount" ? `/${subject.namespace || namespace}` : ""
  const kind = namespace === "" ? "ClusterRoleBinding" : "RoleBinding"
  const place = namespace === "" ? name : `${name}/${namespace}`
  return `${kind} ${quoted(place)} of ${role.kind} ${quoted(role.name)} to ${subject?.kind ?? ""} ${quoted(`${subject?.name ?? ""}${account}`)}`
}

/** The roles that a user has in a namespace and everywhere, each once. */
export function rolesOf(policy: RbacPolicy, user: User, namespace: string): ReadonlySet<RoleSlot> {
  const scopes = [...policy.grantsOf(user, ""), ...(namespace === "" ? [] : policy.grantsOf(user, namespace))]
  return new Set(scopes.flatMap((scope) => [...scope.keys()]))
}

function rulesFor(policy: RbacPolicy, user: User, namespace: string): UserRules {
  const listed: PolicyRule[] = []
  const errors: string[] = []
  let incomplete = false
  for (const role of rolesOf(policy, user, namespace)) {
    if (role.rules === undefined) errors.push(policy.missing(role))
    else if (listed.length + role.rules.rules.length <= rulesListedMax) listed.push(...role.rules.rules)
    else incomplete = true
  }
  if (incomplete) errors.push(`the user has more than ${rulesListedMax} rules`)
  const error = allErrors(errors)
  return {
    resourceRules: listed
      .filter(({ resources = [] }) => resources.length > 0)
      .map(({ verbs, apiGroups = [], resources = [], resourceNames = [] }) => ({ verbs, apiGroups, resources, resourceNames })),
    nonResourceRules: listed
      .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs = [] }) => ({ verbs, nonResourceURLs })),
    incomplete,
    ...(error !== undefined && { error }),
  }
}
