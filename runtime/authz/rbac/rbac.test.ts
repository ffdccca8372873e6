/** Compares the indexed authorizer with one that reads every binding and rule, over random policies and requests. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { PolicyRule } from "../../../generated/rbac.authorization.orch.io/v1/shared/policy-rule/types.ts"
import type { Subject } from "../../../generated/rbac.authorization.orch.io/v1/shared/subject/types.ts"
import type { Decision } from "../../base/decision.ts"
import { atOnce } from "../../base/turns.ts"
import type { User } from "../../base/user.ts"
import { vendorProfile } from "../../base/vendor.ts"
import type { RequestInfo } from "../../http/request/request-info.ts"
import { RbacPolicy } from "./policy.ts"
import { rbacAuthorizer, rulesListedMax } from "./rbac.ts"

const vendor = vendorProfile("kubernetes")

interface Role {
  readonly namespace: string
  readonly name: string
  readonly rules: readonly PolicyRule[]
}

interface Binding {
  readonly namespace: string
  readonly name: string
  readonly roleRef: { readonly kind: string; readonly name: string }
  readonly subjects: readonly Subject[]
}

interface Policy {
  readonly roles: readonly Role[]
  readonly bindings: readonly Binding[]
}

/** A list or watch whose field selector names the object: it is of all namespaces. */
function isSelection({ verb, watchPath }: RequestInfo): boolean {
  return (verb === "list" || verb === "watch") && !watchPath
}

type Asked = { readonly user: User; readonly info: RequestInfo }

/**
 * Applies the rules of the catalog directly, to every binding and rule. Returns the reasons that allow, or the missing
 * roles.
 */
function naive({ roles, bindings }: Policy, { user, info }: Asked): { allowed: string[]; missing: string[] } {
  const allowed: string[] = []
  const missing: string[] = []
  const namespace = info.group === "" && info.resource === "namespaces" && !isSelection(info) ? info.name : info.namespace
  for (const binding of bindings) {
    if (binding.namespace !== "" && (binding.namespace !== namespace || namespace === "")) continue
    const subject = binding.subjects.find((one) => isUser(one, user, binding.namespace))
    if (subject === undefined) continue
    const { kind, name } = binding.roleRef
    const role = roles.find((one) => one.name === name && one.namespace === (kind === "Role" ? binding.namespace : ""))
    if (role === undefined) missing.push(`${kind.toLowerCase()}.rbac.authorization.k8s.io "${name}" not found`)
    else if (role.rules.some((rule) => allows(rule, info))) allowed.push(reason(binding, subject))
  }
  return { allowed, missing }
}

function reason({ namespace, name, roleRef }: Binding, subject: Subject): string {
  const binding = namespace === "" ? `ClusterRoleBinding "${name}"` : `RoleBinding "${name}/${namespace}"`
  const account = subject.kind === "ServiceAccount" ? `/${subject.namespace ?? namespace}` : ""
  return `RBAC: allowed by ${binding} of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} "${subject.name}${account}"`
}

function isUser(subject: Subject, { name, groups }: User, namespace: string): boolean {
  if (subject.kind === "User") return subject.name === name
  if (subject.kind === "Group") return groups.includes(subject.name)
  const own = subject.namespace ?? namespace
  return own !== "" && name === `system:serviceaccount:${own}:${subject.name}`
}

function allows(rule: PolicyRule, info: RequestInfo): boolean {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  if (!rule.verbs.some((verb) => verb === "*" || verb === info.verb)) return false
  if (!info.isResource)
    return nonResourceURLs.some((url) => url === info.path || (url.endsWith("*") && info.path.startsWith(url.replace(/\*+$/, ""))))
  const full = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`
  return (
    apiGroups.some((group) => group === "*" || group === vendor.group(info.group)) &&
    resources.some((one) => one === "*" || one === full || (info.subresource !== "" && one === `*/${info.subresource}`)) &&
    (resourceNames.length === 0 || resourceNames.includes(info.name))
  )
}

const oneOf = (...values: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...values)
const some = (...values: readonly string[]): fc.Arbitrary<string[]> => fc.uniqueArray(oneOf(...values), { maxLength: 3 })
const verbs = oneOf("get", "list", "*", "create")
const groups = oneOf("", "apps", "events.k8s.io", "*")
const resources = oneOf("pods", "pods/log", "*", "*/log", "namespaces", "deployments")
const names = oneOf("a", "b", "c")
const namespaces = oneOf("x", "y")
const urls = oneOf("/", "/api", "/api/*", "/ap**", "*", "/metrics")

const rules: fc.Arbitrary<PolicyRule> = fc.oneof(
  fc.record({
    verbs: fc.array(verbs, { maxLength: 2 }),
    apiGroups: fc.array(groups, { minLength: 1, maxLength: 2 }),
    resources: fc.array(resources, { minLength: 1, maxLength: 2 }),
    resourceNames: fc.oneof({ weight: 2, arbitrary: fc.constant<string[]>([]) }, { weight: 1, arbitrary: some("a", "b") }),
  }),
  fc.record({ verbs: fc.array(verbs, { maxLength: 2 }), nonResourceURLs: fc.array(urls, { minLength: 1, maxLength: 2 }) }),
)
const subjects: fc.Arbitrary<Subject> = fc.oneof(
  fc.record({ kind: fc.constant("User"), name: oneOf("jane", "joe", "system:serviceaccount:x:bot") }),
  fc.record({ kind: fc.constant("Group"), name: oneOf("devs", "ops") }),
  fc.record({ kind: fc.constant("ServiceAccount"), name: oneOf("bot"), namespace: namespaces }),
  fc.record({ kind: fc.constant("ServiceAccount"), name: oneOf("bot") }),
)
const place = fc.record({ namespace: oneOf("", "x", "y"), name: names })
const distinct = { selector: ({ namespace, name }: { namespace: string; name: string }) => `${namespace}/${name}` }
const policies: fc.Arbitrary<Policy> = fc.record({
  roles: fc.uniqueArray(
    fc.tuple(place, fc.array(rules, { maxLength: 3 })).map(([at, own]) => ({ ...at, rules: own })),
    { ...distinct, maxLength: 5 },
  ),
  bindings: fc.uniqueArray(
    fc
      .tuple(place, fc.record({ kind: oneOf("Role", "ClusterRole"), name: names }), fc.array(subjects, { maxLength: 3 }))
      .map(([at, roleRef, own]) => ({
        ...at,
        roleRef: at.namespace === "" ? { ...roleRef, kind: "ClusterRole" } : roleRef,
        subjects: own,
      })),
    { ...distinct, maxLength: 6 },
  ),
})
const users: fc.Arbitrary<User> = fc.record({
  name: oneOf("jane", "joe", "system:serviceaccount:x:bot", "system:serviceaccount:y:bot"),
  groups: some("devs", "ops", "system:authenticated"),
  extra: fc.constant({}),
})
const infos: fc.Arbitrary<RequestInfo> = fc
  .record({
    isResource: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    verb: oneOf("get", "list", "create", "watch"),
    group: oneOf("", "apps", "events.orch.io"),
    resource: oneOf("pods", "deployments", "namespaces"),
    subresource: oneOf("", "log", "status"),
    namespace: oneOf("", "x", "y"),
    name: oneOf("", "a", "b", "x"),
    path: oneOf("/", "/api", "/api/v1", "/ap", "/metrics", "/m"),
  })
  .map((info) => ({
    ...info,
    ...(info.isResource ? {} : { namespace: "", resource: "", group: "" }),
    method: "",
    version: "v1",
    tail: [],
    watchPath: false,
  }))
const requests: fc.Arbitrary<Asked> = fc.record({ user: users, info: infos })

function indexed({ roles, bindings }: Policy): RbacPolicy {
  const policy = new RbacPolicy(vendor)
  for (const role of roles) atOnce(policy.putRole(role, role.rules))
  for (const binding of bindings) atOnce(policy.putBinding(binding, binding))
  return policy
}

/** RBAC never waits. */
function decisionOf(policy: RbacPolicy, asked: Asked): Decision {
  const decision = rbacAuthorizer(policy)(asked)
  if (decision instanceof Promise) throw new Error("RBAC has made a promise")
  return decision
}

/** One assertion for many requests: a hundred thousand assertions take seconds. */
function expectSame(policy: RbacPolicy, objects: Policy, requested: readonly Asked[]): void {
  const different = requested.filter((asked) => {
    const { allowed, missing } = naive(objects, asked)
    const { opinion, reason: told, error } = decisionOf(policy, asked)
    if (error !== undefined || (opinion === "allow") !== allowed.length > 0) return true
    if (opinion === "allow") return !allowed.includes(told)
    return missing.length === 0 ? told !== "" : missing.some((text) => !told.includes(text))
  })
  expect(different).toEqual([])
}

describe("the indexed authorizer", () => {
  it("decides 100,000 random requests as one that looks at everything", () => {
    fc.assert(
      fc.property(policies, fc.array(requests, { minLength: 200, maxLength: 200 }), (objects, asked) => {
        expectSame(indexed(objects), objects, asked)
      }),
      { numRuns: 500 },
    )
  })

  // Three states and the first one again: removed roles and bindings come back, some of them changed.
  it("decides after changes as if it had been made of what is left", () => {
    const states = fc.tuple(policies, policies, policies).map(([first, second, third]) => [first, second, third, first])
    fc.assert(
      fc.property(states, fc.array(requests, { minLength: 50, maxLength: 50 }), (objects, asked) => {
        const policy = new RbacPolicy(vendor)
        for (const [index, after] of objects.entries()) {
          change(policy, objects[index - 1] ?? { roles: [], bindings: [] }, after)
          expectSame(policy, after, asked)
        }
      }),
      { numRuns: 300 },
    )
  })

  it("lists the rules with which the naive authorizer decides the same", () => {
    fc.assert(
      fc.property(policies, users, oneOf("x", "y"), fc.array(infos, { minLength: 50, maxLength: 50 }), (objects, user, namespace, all) => {
        const { resourceRules = [], incomplete } = rbacAuthorizer(indexed(objects)).rulesFor?.(user, namespace) ?? {}
        expect(incomplete).toBe(false)
        for (const info of all.filter((one) => one.isResource && one.resource !== "namespaces")) {
          const listed = resourceRules.some((rule) => allows({ ...rule, verbs: [...rule.verbs] } as PolicyRule, info))
          expect(listed).toBe(naive(objects, { user, info: { ...info, namespace } }).allowed.length > 0)
        }
      }),
      { numRuns: 200 },
    )
  })
})

function change(policy: RbacPolicy, before: Policy, after: Policy): void {
  for (const role of after.roles) atOnce(policy.putRole(role, role.rules))
  for (const binding of after.bindings) atOnce(policy.putBinding(binding, binding))
  for (const role of before.roles) if (!after.roles.some((one) => isAt(one, role))) policy.removeRole(role)
  for (const binding of before.bindings) if (!after.bindings.some((one) => isAt(one, binding))) atOnce(policy.removeBinding(binding))
}

function isAt(one: { namespace: string; name: string }, other: { namespace: string; name: string }): boolean {
  return one.namespace === other.namespace && one.name === other.name
}

const pods: PolicyRule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] }
const jane: User = { name: "jane", groups: ["devs", "ops"], extra: {} }
const getPods: RequestInfo = {
  isResource: true,
  verb: "get",
  method: "GET",
  path: "",
  group: "",
  version: "v1",
  namespace: "x",
  resource: "pods",
  subresource: "",
  name: "p",
  tail: [],
  watchPath: false,
}

describe("the reason", () => {
  const told = (...bindings: readonly Binding[]): string =>
    decisionOf(indexed({ roles: [{ namespace: "", name: "reader", rules: [pods] }], bindings }), { user: jane, info: getPods }).reason
  const roleRef = { kind: "ClusterRole", name: "reader" }

  it("names binding, role and the first subject that the user is", () => {
    const subjects = [
      { kind: "Group", name: "others" },
      { kind: "Group", name: "ops" },
      { kind: "User", name: "jane" },
    ]
    expect(told({ namespace: "", name: "all", roleRef, subjects })).toBe(
      'RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "reader" to Group "ops"',
    )
    expect(told({ namespace: "x", name: "here", roleRef, subjects: subjects.slice(2) })).toBe(
      'RBAC: allowed by RoleBinding "here/x" of ClusterRole "reader" to User "jane"',
    )
  })

  it("tells roles that do not exist, each once", () => {
    const subjects = [{ kind: "User", name: "jane" }]
    const gone = { kind: "ClusterRole", name: "gone" }
    const one = { namespace: "", name: "a", roleRef: gone, subjects }
    const other = { namespace: "x", name: "b", roleRef: { kind: "Role", name: "lost" }, subjects }
    expect(told(one, { ...one, name: "c" })).toBe('RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found')
    expect(told(one, other)).toBe(
      'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "lost" not found]',
    )
  })
})

it("a list of very many rules is cut, and says so", () => {
  const many = Array.from({ length: rulesListedMax + 1 }, () => pods)
  const subjects = [{ kind: "User", name: "jane" }]
  const bind = (name: string): Binding => ({ namespace: "", name, roleRef: { kind: "ClusterRole", name }, subjects })
  const policy = indexed({
    roles: [
      { namespace: "", name: "many", rules: many },
      { namespace: "", name: "one", rules: [pods] },
    ],
    bindings: [bind("many"), bind("one")],
  })
  expect(rbacAuthorizer(policy).rulesFor?.(jane, "x")).toEqual({
    resourceRules: [{ ...pods, resourceNames: [] }],
    nonResourceRules: [],
    incomplete: true,
    error: `the user has more than ${rulesListedMax} rules`,
  })
})

it("large objects are taken up in stages", () => {
  const policy = new RbacPolicy(vendor)
  const subjects = Array.from({ length: 100_000 }, (_, index) => ({ kind: "User", name: `u${index}` }))
  const resources = Array.from({ length: 100_000 }, (_, index) => `r${index}`)
  const binding = { roleRef: { kind: "ClusterRole", name: "big" }, subjects }
  expect([...policy.putBinding({ namespace: "", name: "big" }, binding)].length).toBeGreaterThanOrEqual(9)
  expect([...policy.putRole({ namespace: "", name: "big" }, [{ ...pods, resources }])].length).toBeGreaterThanOrEqual(9)
  const asked = { user: { ...jane, name: "u99999" }, info: { ...getPods, resource: "r99999" } }
  expect(decisionOf(policy, asked).opinion).toBe("allow")
  // A user that keeps a permission through a change also has it between the stages of the change.
  for (const _ of policy.putBinding({ namespace: "", name: "big" }, { ...binding, subjects: subjects.slice(50_000) }))
    expect(decisionOf(policy, asked).opinion).toBe("allow")
  expect([...policy.removeBinding({ namespace: "", name: "big" })].length).toBeGreaterThanOrEqual(4)
  expect(decisionOf(policy, asked)).toEqual({ opinion: "no-opinion", reason: "" })
})
