/** The rules of cluster roles, and which roles are aggregated (catalog validation.yaml: ClusterRole). */
import { defineCheck } from "../../schema/define.ts"
import { isSelector } from "../../schema/selectors.ts"
import type { ClusterRole } from "../../../generated/rbac.authorization.orch.io/v1/cluster-role/types.ts"
import { checkRule } from "./role-rules.ts"

/** Called for each cluster role. */
export const clusterRoleRules = defineCheck<ClusterRole>((role, context) => {
  for (const [index, rule] of (role.rules ?? []).entries()) checkRule(rule, `rules[${index}]`, context)
  for (const [index, selector] of (role.aggregationRule?.clusterRoleSelectors ?? []).entries())
    if (!isSelector(selector)) context.fail("Invalid", "null", "invalid label selector.", `aggregationRule.clusterRoleSelectors[${index}]`)
})
