import { authorize, type Authorizer, isPublicPath } from "../access/authorize.ts"
import { anonymous } from "../access/authenticate.ts"
import { accountOf } from "../http/accounts.ts"
import type { Filter } from "../server-env.ts"

/** Decides whether the user may; 403 when not. Last of the filters: everything behind it may assume a permitted request. */
export function authorization(options: { authorizers: readonly Authorizer[] }): Filter {
  return function authorization(exchange) {
    const { user, info } = exchange.request
    if (isPublicPath(info)) return undefined
    authorize(options.authorizers, { user, info })
    // Where everybody may, nobody is a stranger.
    if (user === anonymous) accountOf(exchange.incoming)?.identify(user.name)
    return undefined
  }
}
