import { authenticate, type Authenticator } from "../access/authenticate.ts"
import { isPublicPath } from "../access/authorize.ts"
import type { Filter } from "../server-env.ts"

/** Decides who is asking; 401 when a credential is wrong, or missing while anonymous requests are off. */
export function authentication(options: { authenticators: readonly Authenticator[]; anonymous: boolean }): Filter {
  return async function authentication(context, next) {
    const request = context.get("request")
    request.user = authenticate(options.authenticators, request.headers, { anonymous: options.anonymous || isPublicPath(request.info) })
    await next()
  }
}
