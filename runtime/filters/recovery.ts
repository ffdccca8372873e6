import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import type { Context } from "hono"
import { beginsWork, endsWork } from "../base/event-loop-monitor.ts"
import type { RequestContext } from "../http/request/context.ts"
import type { Filter, ServerEnv } from "../http/env.ts"

/**
 * Called with a Response that the adapter is going to write once the filters have returned. What follows a request sees its status on the stream. One that
 * comes too late, behind the 504 of the deadline, is dropped: node throws when a head is sent twice.
 */
function settle(c: Context<ServerEnv>): void {
  const { outgoing } = c.env
  if (c.res.headers.has(alreadySent)) return
  if (!outgoing.headersSent) {
    outgoing.statusCode = c.res.status
    return
  }
  // Set to another, its header fields would be added to those of the sentinel.
  c.res = undefined
  c.res = RESPONSE_ALREADY_SENT
}

/** Copies of the sentinel, which Hono makes when header fields are added to it, are known by the field that the adapter looks for. */
const [alreadySent = ""] = RESPONSE_ALREADY_SENT.headers.keys()

/**
 * Outermost of the filters: answers whatever the others and the handlers let through, and lets go of the request. Hono hands every Error to
 * `app.onError`; what else is thrown, by a middleware of somebody else, arrives here.
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
