/**
 * The roles and bindings of a server, by subject: a decision reads only the user's grants in the namespace of the
 * request. The informers of the objects call `put...` and `remove...`, one after the other; large objects are indexed
 * in stages, and a decision between two stages follows the old or the new version.
 */
import type { PolicyRule } from "../../../generated/rbac.authorization.orch.io/v1/shared/policy-rule/types.ts"
import type { Subject } from "../../../generated/rbac.authorization.orch.io/v1/shared/subject/types.ts"
import type { Decision } from "../../base/decision.ts"
import { quoted } from "../../base/quote.ts"
import type { Stages } from "../../base/turns.ts"
import { accountUser, type User } from "../../base/user.ts"
import type { Vendor } from "../../base/vendor.ts"
import { CompiledRules, compilingRules } from "./rules.ts"

/** An object with rules or subjects; "" is the namespace of ClusterRoles and ClusterRoleBindings. */
export interface PolicyPlace {
  readonly namespace: string
  readonly name: string
}

export interface BindingContent {
  readonly roleRef: { readonly kind: string; readonly name: string }
  readonly subjects: readonly Subject[]
}

/** A role that exists or that some binding names. */
export interface RoleSlot {
  /** Undefined: the role does not exist. */
  rules: CompiledRules | undefined
  readonly kind: string
  readonly name: string
  readonly key: string
  /** Bindings that name it. */
  uses: number
}

interface Binding extends PolicyPlace {
  readonly role: RoleSlot
  readonly subjects: readonly Subject[]
}

/** The grant of a binding to one subject. */
export interface Grant {
  readonly binding: Binding
  /** Index of the first matching subject. */
  readonly index: number
  /** Created when it first allows a request. */
  decision: Decision | undefined
}

/** Bindings of one scope by their role, then by their name: a role that is granted twice is checked once. */
export type ScopeGrants = Map<RoleSlot, Map<string, Grant>>

/** Grants of one user or group. Keys are namespaces; "" means all namespaces. */
type SubjectGrants = Map<string, ScopeGrants>

/** Subjects indexed in one stage: about five milliseconds. */
const subjectsPerStage = 10_000

/** One per server. */
export class RbacPolicy {
  private readonly roles = new Map<string, RoleSlot>()
  private readonly bindings = new Map<string, Binding>()
  private readonly users = new Map<string, SubjectGrants>()
  private readonly groups = new Map<string, SubjectGrants>()

  constructor(private readonly vendor: Vendor) {}

  /** Called for each new version of a Role or ClusterRole. */
  *putRole(place: PolicyPlace, rules: readonly PolicyRule[]): Stages<void> {
    const compiled = yield* compilingRules(rules, this.vendor.neutralGroup)
    this.slot(place).rules = compiled
  }

  removeRole(place: PolicyPlace): void {
    const slot = this.slot(place)
    slot.rules = undefined
    this.dropUnused(slot)
  }

  /** Called for each new version of a RoleBinding or ClusterRoleBinding. */
  *putBinding({ namespace, name }: PolicyPlace, { roleRef, subjects }: BindingContent): Stages<void> {
    const role = this.slot({ namespace: roleRef.kind === "ClusterRole" ? "" : namespace, name: roleRef.name })
    role.uses++
    const binding = { namespace, name, role, subjects }
    const key = keyOf(binding)
    const before = this.bindings.get(key)
    this.bindings.set(key, binding)
    // Runs before the old version is removed, so that subjects of both keep the permission meanwhile.
    yield* this.eachSubject(binding, (grants, index) => {
      const scope = grants.get(namespace) ?? new Map<RoleSlot, Map<string, Grant>>()
      const ofRole = scope.get(role) ?? new Map<string, Grant>()
      grants.set(namespace, scope)
      scope.set(role, ofRole)
      if (ofRole.get(name)?.binding !== binding) ofRole.set(name, { binding, index, decision: undefined })
    })
    if (before !== undefined) yield* this.withdraw(before)
  }

  *removeBinding(place: PolicyPlace): Stages<void> {
    const key = keyOf(place)
    const binding = this.bindings.get(key)
    if (binding === undefined) return
    this.bindings.delete(key)
    yield* this.withdraw(binding)
  }

  /** Whether a Role or ClusterRole exists. */
  hasRole(place: PolicyPlace): boolean {
    return this.roles.get(keyOf(place))?.rules !== undefined
  }

  /** Whether a RoleBinding or ClusterRoleBinding exists. */
  hasBinding(place: PolicyPlace): boolean {
    return this.bindings.has(keyOf(place))
  }

  /** The rules of a role; undefined when it does not exist. `namespace`: the namespace of the binding that names it. */
  rulesOf({ kind, name }: BindingContent["roleRef"], namespace: string): readonly PolicyRule[] | undefined {
    return this.roles.get(keyOf({ namespace: kind === "ClusterRole" ? "" : namespace, name }))?.rules?.rules
  }

  /**
   * A user's grants in one scope, directly and by groups; namespace "" means all namespaces. The caller reads both
   * scopes of a request: first all namespaces, then its own.
   */
  grantsOf({ name, groups }: User, namespace: string): readonly ScopeGrants[] {
    const found: ScopeGrants[] = []
    const own = this.users.get(name)?.get(namespace)
    if (own !== undefined) found.push(own)
    for (const group of groups) {
      const grants = this.groups.get(group)?.get(namespace)
      if (grants !== undefined) found.push(grants)
    }
    return found
  }

  /** `clusterrole.rbac.authorization.k8s.io "x" not found`. */
  missing({ kind, name }: Pick<RoleSlot, "kind" | "name">): string {
    return `${kind.toLowerCase()}.${this.vendor.group("rbac.authorization.orch.io")} ${quoted(name)} not found`
  }

  private slot(place: PolicyPlace): RoleSlot {
    const key = keyOf(place)
    let slot = this.roles.get(key)
    if (slot === undefined) {
      slot = { rules: undefined, kind: place.namespace === "" ? "ClusterRole" : "Role", name: place.name, key, uses: 0 }
      this.roles.set(key, slot)
    }
    return slot
  }

  private dropUnused(slot: RoleSlot): void {
    if (slot.rules === undefined && slot.uses === 0) this.roles.delete(slot.key)
  }

  private *withdraw(binding: Binding): Stages<void> {
    const { namespace, name, role } = binding
    yield* this.eachSubject(binding, (grants, _index, forget) => {
      const scope = grants.get(namespace)
      const ofRole = scope?.get(role)
      if (ofRole?.get(name)?.binding === binding) ofRole.delete(name)
      if (ofRole?.size === 0) scope?.delete(role)
      if (scope?.size === 0) grants.delete(namespace)
      if (grants.size === 0) forget()
    })
    role.uses--
    this.dropUnused(role)
  }

  private *eachSubject(
    { subjects, namespace }: Binding,
    visit: (grants: SubjectGrants, index: number, forget: () => void) => void,
  ): Stages<void> {
    for (const [index, subject] of subjects.entries()) {
      if (index > 0 && index % subjectsPerStage === 0) yield
      const of = subject.kind === "Group" ? this.groups : this.users
      const key = subjectName(subject, namespace)
      if (key === undefined) continue
      const grants = of.get(key) ?? new Map<string, ScopeGrants>()
      of.set(key, grants)
      visit(grants, index, () => of.delete(key))
    }
  }
}

function keyOf({ namespace, name }: PolicyPlace): string {
  return `${namespace}/${name}`
}

/**
 * The name of the user or group; undefined for other subjects. A service account's namespace defaults to the binding's.
 */
function subjectName({ kind, name, namespace: own = "" }: Subject, bindingNamespace: string): string | undefined {
  if (kind === "User" || kind === "Group") return name
  const namespace = own === "" ? bindingNamespace : own
  return kind === "ServiceAccount" && namespace !== "" ? accountUser(namespace, name) : undefined
}
