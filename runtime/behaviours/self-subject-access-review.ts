/** Whether the asker may do something (catalog resources.yaml: selfsubjectaccessreviews). */
import type { SelfSubjectAccessReview } from "../../generated/authorization.orch.io/v1/self-subject-access-review/types.ts"
import { defineSubresource } from "../schema/define.ts"
import { accessStatus } from "./reviews/access-status.ts"

/** Answers SelfSubjectAccessReviews. */
export const selfSubjectAccessReview = defineSubresource<SelfSubjectAccessReview>({
  async answer({ body, user, access }): Promise<SelfSubjectAccessReview> {
    return { ...body, status: await accessStatus(access, user, body.spec) }
  },
})
