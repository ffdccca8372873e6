/** Returns the user of a token (catalog resources.yaml: tokenreviews). */
import type { TokenReview, TokenReviewStatus } from "../../generated/authentication.orch.io/v1/token-review/types.ts"
import { badRequest } from "../base/errors.ts"
import type { TokenAnswer } from "../schema/access.ts"
import { defineSubresource } from "../schema/define.ts"
import { userInfoOf } from "./reviews/user-info.ts"

/** Answers TokenReviews. */
export const tokenReview = defineSubresource<TokenReview>({
  validate({ spec }) {
    if ((spec.token ?? "") === "") throw badRequest("token is required for TokenReview in authentication")
  },
  async answer({ body, access }): Promise<TokenReview> {
    return { ...body, status: statusOf(await access.authenticate(body.spec.token ?? "", body.spec.audiences ?? [])) }
  },
})

function statusOf(answer: TokenAnswer): TokenReviewStatus {
  if ("error" in answer) return { user: {}, error: answer.error }
  const { user, audiences = [] } = answer
  return { authenticated: true, user: userInfoOf(user), ...(audiences.length > 0 && { audiences: [...audiences] }) }
}
