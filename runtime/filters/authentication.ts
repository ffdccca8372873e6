import {
  anonymous as anonymousUser,
  authenticate,
  type AuthenticationError,
  type Authenticator,
  bearerToken,
} from "../authn/authenticate.ts"
import type { AuthenticationMeter } from "../authn/meters.ts"
import { withProtocolToken } from "../authn/websocket-token.ts"
import type { Step } from "../http/env.ts"
import type { RequestContext } from "../http/request/context.ts"
import type { User } from "../base/user.ts"
import type { Vendor } from "../base/vendor.ts"
import { asksForWebSocket, offeredProtocols } from "../wire/websocket-protocols.ts"

export interface AuthenticationOptions {
  readonly authenticators: readonly Authenticator[]
  readonly anonymous: boolean
  /**
   * Whether an HTTP/2 connection ends after the answer to a request without a user, as with the gate
   * `UnauthenticatedHTTP2DOSMitigation`: requests over HTTP/2 cost a stranger little and the server much.
   */
  readonly closesStrangers: boolean
  /** `--api-audiences` */
  readonly audiences: readonly string[]
  readonly vendor: Vendor
  /** Removes header fields that no other machine may get, once the user is known. */
  readonly removeHeaders?: ((headers: Record<string, unknown>) => void) | undefined
  /** Called with the reason of a 401, which the client does not learn. */
  readonly onFault?: (fault: AuthenticationError) => void
  readonly meter?: AuthenticationMeter
}

/**
 * Sets the user of the request. Throws 401 when a credential is wrong, or missing while anonymous requests are off. On
 * success the connection is accounted to the user instead of to strangers. Waits only when an authenticator does.
 */
export function authentication(options: AuthenticationOptions): Step {
  const { authenticators, audiences, vendor, closesStrangers, anonymous, meter, onFault } = options
  const asked = { anonymous, meter, onFault }
  const refuse = (request: RequestContext, fault: unknown): never => {
    if (closesStrangers) closeHttp2(request)
    throw fault
  }
  return function authentication(request) {
    const { headers, incoming } = request
    const shown = asksForWebSocket(headers) ? withProtocolToken(headers, offeredProtocols(headers, vendor)) : headers
    const credentials = { headers, token: bearerToken(shown), incoming, request, audiences }
    try {
      const user = authenticate(authenticators, credentials, asked)
      if (user instanceof Promise)
        return user.then(
          (known) => enter(request, known, options),
          (fault: unknown) => refuse(request, fault),
        )
      return enter(request, user, options)
    } catch (fault) {
      return refuse(request, fault)
    }
  }
}

function enter(request: RequestContext, user: User, { closesStrangers, removeHeaders }: AuthenticationOptions): undefined {
  request.user = user
  removeHeaders?.(request.headers)
  if (closesStrangers && isAnonymous(user)) closeHttp2(request)
  if (user !== anonymousUser) request.incoming.account?.identify(user.name)
  else if (ignoredToken.test(request.headers.authorization ?? "")) request.warnings.push(ignoredTokenWarning)
}

/** An authenticator may name the anonymous user as well. */
function isAnonymous(user: User): boolean {
  return user === anonymousUser || user.name === anonymousUser.name || user.groups.includes(unauthenticatedGroup)
}
const [unauthenticatedGroup = ""] = anonymousUser.groups

function closeHttp2({ incoming, outgoing }: RequestContext): void {
  if (incoming.httpVersionMajor === 2) outgoing.closeAfterAnswer()
}

/** kube-apiserver ignores a token after several blanks, and warns of it. */
const ignoredToken = /^\s*Bearer {2}/i
const ignoredTokenWarning = "the provided Authorization header contains extra space before the bearer token, and is ignored"
