/** Decisions of access reviews. */
import type {
  NonResourceAttributes,
  ResourceAttributes,
  SubjectAccessReviewStatus,
} from "../../../generated/authorization.orch.io/v1/shared/attributes/types.ts"
import type { User } from "../../base/user.ts"
import type { Access, AccessQuestion } from "../../schema/access.ts"

/** Attributes that a valid review asks about: one of the two is set. */
export interface AskedAttributes {
  readonly resourceAttributes?: ResourceAttributes
  readonly nonResourceAttributes?: NonResourceAttributes
}

/** Asks whether a user may do what a review names. */
export async function accessStatus(access: Access, user: User, asked: AskedAttributes): Promise<SubjectAccessReviewStatus> {
  const { allowed, denied, reason, error } = await access.authorize(questionOf(user, asked))
  return {
    allowed,
    ...(denied && { denied }),
    ...(reason !== "" && { reason }),
    ...(error !== undefined && { evaluationError: error }),
  }
}

function questionOf(user: User, { resourceAttributes, nonResourceAttributes }: AskedAttributes): AccessQuestion {
  if (resourceAttributes === undefined) {
    const { path = "", verb = "" } = nonResourceAttributes ?? {}
    return { user, verb, path }
  }
  const { verb = "", group = "", version = "", resource = "", subresource = "", namespace = "", name = "" } = resourceAttributes
  return { user, verb, resource: { group, version, resource, subresource, namespace, name } }
}
