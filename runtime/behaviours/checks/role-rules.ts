/** The rules of roles (catalog validation.yaml: Role, ClusterRole). */
import type { CheckContext } from "../../schema/validate.ts"
import { defineCheck } from "../../schema/define.ts"
import type { Role } from "../../../generated/rbac.authorization.orch.io/v1/role/types.ts"
import type { PolicyRule } from "../../../generated/rbac.authorization.orch.io/v1/shared/policy-rule/types.ts"

/** Called for each role of a namespace. Its rules are about resources. */
export const roleRules = defineCheck<Role>((role, context) => {
  for (const [index, rule] of (role.rules ?? []).entries()) {
    if ((rule.nonResourceURLs ?? []).length > 0)
      context.fail("Invalid", rule.nonResourceURLs, "namespaced rules cannot apply to non-resource URLs", `rules[${index}].nonResourceURLs`)
    checkResources(rule, index, context)
  }
})

/** Fails for a rule about resources that names no group or no resource. */
export function checkResources(rule: PolicyRule, index: number, context: CheckContext<unknown>): void {
  if ((rule.apiGroups ?? []).length === 0)
    context.fail("Required", undefined, "resource rules must supply at least one api group", `rules[${index}].apiGroups`)
  if ((rule.resources ?? []).length === 0)
    context.fail("Required", undefined, "resource rules must supply at least one resource", `rules[${index}].resources`)
}
