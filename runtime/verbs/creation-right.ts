import { decide, demand } from "../authz/authorize.ts"
import type { Decision } from "../base/decision.ts"
import type { AuthorizeCreate } from "../registry/create.ts"
import type { ObjectRequest } from "./call.ts"

/**
 * The right that a PUT or an apply also needs when it creates its object: the filter has checked `update` or `patch`
 * alone. Authorizers are called once per request, also if the creation is tried again. Throws 403 with the text for
 * `create`, and 500 when an authorizer could not decide.
 */
export function creationRight({ parts, request }: ObjectRequest): AuthorizeCreate {
  let isAllowed = false
  return function authorizeCreate() {
    if (isAllowed) return undefined
    const { user, info, signal } = request
    const asked = { user, info: { ...info, verb: "create" }, signal }
    const settle = (decision: Decision): undefined => {
      demand(decision, asked)
      isAllowed = true
    }
    const decision = decide(parts.authorizers, asked)
    return decision instanceof Promise ? decision.then(settle) : settle(decision)
  }
}
