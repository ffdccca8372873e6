/** Who the asker is (catalog resources.yaml: selfsubjectreviews). */
import type { SelfSubjectReview } from "../../generated/authentication.orch.io/v1/self-subject-review/types.ts"
import { timeText } from "../base/time.ts"
import { defineSubresource } from "../schema/define.ts"
import { userInfoOf } from "./reviews/user-info.ts"

/** Answers SelfSubjectReviews. The answer has nothing of the request. */
export const selfSubjectReview = defineSubresource<SelfSubjectReview>(({ clock }) => ({
  answer({ body: { apiVersion, kind }, user }): SelfSubjectReview {
    return { apiVersion, kind, metadata: { creationTimestamp: timeText(clock.nowMs()) }, status: { userInfo: userInfoOf(user) } }
  },
}))
