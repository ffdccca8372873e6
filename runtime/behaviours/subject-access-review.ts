/** Whether a user may do something (catalog resources.yaml: subjectaccessreviews, localsubjectaccessreviews). */
import type { SubjectAccessReview } from "../../generated/authorization.orch.io/v1/subject-access-review/types.ts"
import { defineSubresource } from "../schema/define.ts"
import { accessStatus } from "./reviews/access-status.ts"

/** Answers SubjectAccessReviews and LocalSubjectAccessReviews, whose rules say where the namespace is. */
export const subjectAccessReview = defineSubresource<SubjectAccessReview>({
  async answer({ body, access }): Promise<SubjectAccessReview> {
    const { user = "", uid, groups = [], extra = {} } = body.spec
    const asked = { name: user, ...(uid !== undefined && { uid }), groups, extra }
    return { ...body, status: await accessStatus(access, asked, body.spec) }
  },
})
