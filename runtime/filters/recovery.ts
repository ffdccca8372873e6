import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import type { Context } from "hono"
import { beginsWork, endsWork } from "../base/event-loop-monitor.ts"
import type { RequestContext } from "../http/request/context.ts"
import type { Filter, ServerEnv } from "../http/env.ts"

/**
 * Called when a handler returned a Response, which the adapter writes after the filters. Copies its status to the
 * outgoing stream, where callbacks of `onEnd` read it. A Response that comes after the 504 of the deadline is dropped:
 * node throws when a head is sent twice.
 */
function settle(c: Context<ServerEnv>): void {
  const { outgoing } = c.env
  if (c.res.headers.has(alreadySent)) return
  if (!outgoing.headersSent) {
    outgoing.statusCode = c.res.status
    return
  }
  // Cleared first, because Hono adds the fields of the old Response to those of a new one.
  c.res = undefined
  c.res = RESPONSE_ALREADY_SENT
}

/**
 * The header field by which the adapter recognises the sentinel. Hono copies the sentinel when fields are added to it,
 * so comparing identities is not enough.
 */
const [alreadySent = ""] = RESPONSE_ALREADY_SENT.headers.keys()

/**
 * The outermost filter. Answers what was thrown and is no Error, which a foreign middleware may do: Hono passes only
 * Errors to `app.onError`. In any case it ends the bookkeeping of the request and discards the unread body.
 */
export function recovery(options: { fail: (request: RequestContext, thrown: unknown) => void; report: (fault: unknown) => void }): Filter {
  return async function recovery(c, next) {
    const { request, incoming, outgoing } = c.env
    beginsWork(request)
    try {
      await next()
      if (c.finalized && c.res !== RESPONSE_ALREADY_SENT) settle(c)
      return undefined
    } catch (thrown) {
      options.fail(request, thrown)
      return RESPONSE_ALREADY_SENT
    } finally {
      request.handled(options.report)
      endsWork(request)
      incoming.discardBody(outgoing)
    }
  }
}
