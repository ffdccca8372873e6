/** The rules of cluster roles: each is about resources or about paths (catalog validation.yaml: ClusterRole). */
import { defineCheck } from "../../schema/define.ts"
import type { ClusterRole } from "../../../generated/rbac.authorization.orch.io/v1/cluster-role/types.ts"
import { checkResources } from "./role-rules.ts"

/** Called for each cluster role. */
export const clusterRoleRules = defineCheck<ClusterRole>((role, context) => {
  for (const [index, rule] of (role.rules ?? []).entries()) {
    const { apiGroups = [], nonResourceURLs = [], resourceNames = [], resources = [] } = rule
    if (nonResourceURLs.length === 0) checkResources(rule, index, context)
    else if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0)
      context.fail(
        "Invalid",
        nonResourceURLs,
        "rules cannot apply to both regular resources and non-resource URLs",
        `rules[${index}].nonResourceURLs`,
      )
  }
})
