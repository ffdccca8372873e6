import { anonymous as anonymousUser, authenticate, type Authenticator } from "../authn/authenticate.ts"
import { isPublicPath } from "../authz/authorize.ts"
import { withProtocolToken } from "../authn/websocket-token.ts"
import type { Step } from "../http/env.ts"
import type { Vendor } from "../base/vendor.ts"
import { asksForWebSocket, offeredProtocols } from "../wire/websocket-protocols.ts"

/**
 * Sets the user of the request. Throws 401 when a credential is wrong, or missing while anonymous requests are off. On
 * success the connection is accounted to the user instead of to strangers.
 */
export function authentication(options: { authenticators: readonly Authenticator[]; anonymous: boolean; vendor: Vendor }): Step {
  const { authenticators, anonymous, vendor } = options
  return function authentication({ request, incoming }) {
    const { headers, info } = request
    const credentials = asksForWebSocket(headers) ? withProtocolToken(headers, offeredProtocols(headers, vendor)) : headers
    const user = authenticate(authenticators, credentials, { anonymous: anonymous || isPublicPath(info) })
    request.user = user
    if (user !== anonymousUser) incoming.account?.identify(user.name)
    return undefined
  }
}
