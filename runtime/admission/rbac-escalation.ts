/**
 * No user may grant more than the user holds (catalog rbac.yaml: escalation): checks writes of roles and bindings once
 * all plugins have changed them. The texts are the reference's.
 */
import type { ClusterRole } from "../../generated/rbac.authorization.orch.io/v1/cluster-role/types.ts"
import type { PolicyRule } from "../../generated/rbac.authorization.orch.io/v1/shared/policy-rule/types.ts"
import type { RoleRef } from "../../generated/rbac.authorization.orch.io/v1/shared/subject/types.ts"
import { privilegedGroup } from "../base/user.ts"
import { comparedPermissionsMax, findingUncovered, listText, permissionsIn, ruleText } from "../authz/rbac/cover.ts"
import type { RbacPolicy } from "../authz/rbac/policy.ts"
import { rolesOf } from "../authz/rbac/rbac.ts"
import { notFound } from "../base/errors.ts"
import type { ApiObject } from "../base/json.ts"
import { inTurns } from "../base/turns.ts"
import type { Vendor } from "../base/vendor.ts"
import { deepEqual } from "../encoding/field-path.ts"
import { typed } from "../schema/typed.ts"
import { changesOwnersAlone } from "./changes-owners.ts"
import { mayAlso } from "./may-also.ts"
import type { AdmissionPlugin, RequestAttributes } from "./plugin.ts"
import { refused } from "./refusal.ts"

export interface EscalationParts {
  readonly vendor: Vendor
  readonly policy: RbacPolicy
}

const group = "rbac.authorization.orch.io"

/** Runs after all other plugins. Throws 403, and 404 for a binding to a role that does not exist. */
export function rbacEscalation(parts: EscalationParts): AdmissionPlugin {
  return {
    name: "RBACEscalation",
    operations: ["CREATE", "UPDATE"],
    mutate(attributes) {
      const { resource, subresource, user, object, oldObject } = attributes
      if (resource.group !== group || subresource !== "" || object === undefined) return undefined
      if (user.groups.includes(privilegedGroup) || changesOwnersAlone(object, oldObject)) return undefined
      const check = resource.resource.endsWith("bindings") ? checkBinding : checkRole
      return check(parts, attributes, object)
    },
  }
}

async function checkRole(parts: EscalationParts, attributes: RequestAttributes, object: ApiObject): Promise<undefined> {
  const { namespace, pathName = "", resource } = attributes
  const { rules, aggregationRule } = typed<ClusterRole>(object)
  const old = attributes.oldObject === undefined ? undefined : typed<ClusterRole>(attributes.oldObject)
  const isAggregated = aggregationRule !== undefined || old?.aggregationRule !== undefined
  if (
    old !== undefined &&
    deepEqual(old.rules ?? [], rules ?? []) &&
    deepEqual(typed({ of: old.aggregationRule }), typed({ of: aggregationRule }))
  )
    return undefined
  const place = { resource: resource.resource, namespace, name: pathName }
  if (await mayAlso(attributes, { verb: "escalate", group, ...place })) return undefined
  if (isAggregated && (await missingText(parts, attributes, everything)) !== undefined)
    throw refused(attributes, "must have cluster-admin privileges to use the aggregationRule")
  await confirm(parts, attributes, rules ?? [])
}

async function checkBinding(parts: EscalationParts, attributes: RequestAttributes, object: ApiObject): Promise<undefined> {
  const { namespace } = attributes
  const { kind, name } = typed<{ readonly roleRef: RoleRef }>(object).roleRef
  const resource = kind === "ClusterRole" ? "clusterroles" : "roles"
  if (await mayAlso(attributes, { verb: "bind", group, resource, namespace, name })) return undefined
  const rules = parts.policy.rulesOf({ kind, name }, namespace)
  if (rules === undefined) throw notFound({ group, resource, name })
  await confirm(parts, attributes, rules)
}

const everything: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
]

/** Throws 403 with the rules that the user does not hold. */
async function confirm(parts: EscalationParts, attributes: RequestAttributes, rules: readonly PolicyRule[]): Promise<undefined> {
  const missing = await missingText(parts, attributes, rules)
  if (missing === undefined) return
  const { name, groups } = attributes.user
  const who = `user ${JSON.stringify(name)} (groups=${listText(groups)})`
  throw refused(attributes, `${who} is attempting to grant RBAC permissions not currently held:\n${missing}`)
}

/** Undefined: the user holds everything that the rules allow. */
async function missingText(
  { policy, vendor }: EscalationParts,
  attributes: RequestAttributes,
  rules: readonly PolicyRule[],
): Promise<string | undefined> {
  const count = permissionsIn(rules)
  if (count > comparedPermissionsMax)
    return `the rules are ${count} single permissions, and more than ${comparedPermissionsMax} are not compared: split the role`
  const roles = [...rolesOf(policy, attributes.user, attributes.namespace)]
  const held = roles.flatMap((role) => role.rules ?? [])
  const missing = await inTurns(findingUncovered(held, rules, vendor.neutralGroup))
  if (missing.length === 0) return undefined
  const broken = roles.filter((role) => role.rules === undefined).map((role) => policy.missing(role))
  const errors = broken.length === 0 ? "" : `; resolution errors: [${broken.join(", ")}]`
  return `${[...new Set(missing.map(ruleText))].sort().join("\n")}${errors}`
}
