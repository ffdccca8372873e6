/** A cluster role binding has no namespace that a service account could be in (catalog validation.yaml). */
import { defineCheck } from "../../schema/define.ts"
import type { ClusterRoleBinding } from "../../../generated/rbac.authorization.orch.io/v1/cluster-role-binding/types.ts"

/** Called for each cluster role binding. */
export const clusterSubjects = defineCheck<ClusterRoleBinding>((binding, context) => {
  for (const [index, subject] of (binding.subjects ?? []).entries())
    if (subject.kind === "ServiceAccount" && (subject.namespace ?? "") === "")
      context.fail("Required", undefined, "", `subjects[${index}].namespace`)
})
