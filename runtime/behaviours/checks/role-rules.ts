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
    checkRule(rule, `rules[${index}]`, context)
  }
})

/** A rule is about paths, or about resources, of which it then names group and resource. */
export function checkRule(rule: PolicyRule, at: string, context: CheckContext<unknown>): void {
  const { apiGroups = [], nonResourceURLs = [], resourceNames = [], resources = [] } = rule
  if (nonResourceURLs.length === 0) {
    if (apiGroups.length === 0) context.fail("Required", undefined, "resource rules must supply at least one api group", `${at}.apiGroups`)
    if (resources.length === 0) context.fail("Required", undefined, "resource rules must supply at least one resource", `${at}.resources`)
  } else if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0) {
    const detail = "rules cannot apply to both regular resources and non-resource URLs"
    context.fail("Invalid", nonResourceURLs, detail, `${at}.nonResourceURLs`)
  }
}
