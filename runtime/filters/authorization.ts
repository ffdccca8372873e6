import { authorize, type Authorizer, isPublicPath } from "../authz/authorize.ts"
import { anonymous } from "../authn/authenticate.ts"
import type { Step } from "../http/env.ts"

/** Decides whether the user may; 403 when not. Last of the filters: everything behind it may assume a permitted request. */
export function authorization(options: { authorizers: readonly Authorizer[] }): Step {
  return function authorization({ request, incoming }) {
    const { user, info } = request
    if (isPublicPath(info)) return undefined
    authorize(options.authorizers, { user, info })
    // If anonymous requests are permitted, the connection is no stranger's.
    if (user === anonymous) incoming.account?.identify(user.name)
    return undefined
  }
}
