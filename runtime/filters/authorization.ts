import { askedInfo } from "../authz/asked-info.ts"
import { type Authorizer, decide, forbiddenFor } from "../authz/authorize.ts"
import { anonymous } from "../authn/authenticate.ts"
import type { AuthorizationMeter } from "../authz/meters.ts"
import type { Decision } from "../base/decision.ts"
import type { Operation } from "../http/request/operation.ts"
import type { OperationStep } from "../http/env.ts"
import { UnhandledError } from "../base/errors.ts"

export interface AuthorizationOptions {
  readonly authorizers: readonly Authorizer[]
  readonly meter: AuthorizationMeter
}

/**
 * Throws 403 unless the user may make the request, and 500 when an authorizer could not decide. The last filter:
 * middleware, routes and verbs see only permitted requests.
 */
export function authorization({ authorizers, meter }: AuthorizationOptions): OperationStep {
  return function authorization(request) {
    const { info, query } = request
    const asked = askedInfo(info, query)
    const { user } = request
    const began = meter.begin()
    const decision = decide(authorizers, asked === info ? request : { user, info: asked, signal: request.signal })
    if (decision instanceof Promise)
      return decision.then((decided) => {
        meter.end(decided, began)
        return settle(request, decided)
      })
    meter.end(decision, began)
    return settle(request, decision)
  }
}

function settle(request: Operation, decision: Decision): undefined {
  const { opinion, reason, error } = decision
  const { user, info, query } = request
  request.decision = decision
  if (opinion !== "allow") {
    if (error !== undefined) throw new UnhandledError(error)
    throw forbiddenFor({ user, info: askedInfo(info, query) }, reason)
  }
  // The authorizers permit anonymous requests, so the limits for strangers do not apply to their connections.
  if (user === anonymous) request.incoming.account?.identify(user.name)
  return undefined
}
