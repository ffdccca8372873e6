import { type Authorizer, decide, demand, isPublicPath } from "../authz/authorize.ts"
import { anonymous } from "../authn/authenticate.ts"
import type { Step } from "../http/env.ts"

/**
 * Throws 403 unless the user may do what the request asks for. The last filter: middleware, routes and verbs see only
 * permitted requests.
 */
export function authorization(options: { authorizers: readonly Authorizer[] }): Step {
  return function authorization({ request, incoming }) {
    const { user, info } = request
    if (isPublicPath(info)) return undefined
    const decision = decide(options.authorizers, { user, info })
    request.decision = decision
    demand(decision, { user, info })
    // The authorizers permit anonymous requests, so their connections are not limited as those of strangers.
    if (user === anonymous) incoming.account?.identify(user.name)
    return undefined
  }
}
