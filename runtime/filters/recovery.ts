import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import { beginsWork, endsWork } from "../loop-watch.ts"
import { dropRest } from "../http/unread-body.ts"
import type { RequestContext } from "../request.ts"
import type { Filter } from "../server-env.ts"

/**
 * Outermost of the filters: answers whatever the others and the handlers let through, and lets go of the request. Hono hands every Error to
 * `app.onError`; what else is thrown, by a middleware of somebody else, arrives here.
 */
export function recovery(options: { fail: (request: RequestContext, thrown: unknown) => void; report: (fault: unknown) => void }): Filter {
  return async function recovery({ env: { request, incoming, outgoing } }, next) {
    beginsWork(request)
    try {
      return await next()
    } catch (thrown) {
      options.fail(request, thrown)
      return RESPONSE_ALREADY_SENT
    } finally {
      request.handled(options.report)
      endsWork(request)
      dropRest(incoming, outgoing)
    }
  }
}
