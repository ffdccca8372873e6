/** Lists what the asker may do in a namespace (catalog resources.yaml: selfsubjectrulesreviews). */
import type { SelfSubjectRulesReview } from "../../generated/authorization.orch.io/v1/self-subject-rules-review/types.ts"
import { badRequest } from "../base/errors.ts"
import { defineSubresource } from "../schema/define.ts"

/** Answers SelfSubjectRulesReviews. */
export const selfSubjectRulesReview = defineSubresource<SelfSubjectRulesReview>({
  validate({ spec }) {
    if ((spec.namespace ?? "") === "") throw badRequest("no namespace on request")
  },
  async answer({ body, user, access }): Promise<SelfSubjectRulesReview> {
    const { resourceRules, nonResourceRules, incomplete, error } = await access.rulesFor(user, body.spec.namespace ?? "")
    const status = {
      resourceRules: resourceRules.map(({ verbs, apiGroups, resources, resourceNames = [] }) => ({
        verbs: [...verbs],
        apiGroups: [...apiGroups],
        resources: [...resources],
        ...(resourceNames.length > 0 && { resourceNames: [...resourceNames] }),
      })),
      nonResourceRules: nonResourceRules.map(({ verbs, nonResourceURLs }) => ({
        verbs: [...verbs],
        nonResourceURLs: [...nonResourceURLs],
      })),
      incomplete,
      ...(error !== undefined && { evaluationError: error }),
    }
    // As in the reference, the answer does not repeat the question.
    return { ...body, metadata: { creationTimestamp: null }, spec: {}, status }
  },
})
