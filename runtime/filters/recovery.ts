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

interface RecoveryOptions {
  readonly fail: (request: RequestContext, thrown: unknown) => void
  readonly report: (fault: unknown) => void
}

/** Does the work of a request. Never rejects: what the work throws is answered. */
export type Recovered = <Answer>(env: ServerEnv["Bindings"], work: () => Promise<Answer>) => Promise<Answer | Response>

/**
 * What is around the whole of a request. Answers what was thrown; in any case it ends the bookkeeping of the request
 * and discards the unread body.
 */
export function recovering({ fail, report }: RecoveryOptions): Recovered {
  return async function recovered({ request, incoming, outgoing }, work) {
    beginsWork(request)
    try {
      return await work()
    } catch (thrown) {
      fail(request, thrown)
      return RESPONSE_ALREADY_SENT
    } finally {
      request.handled(report)
      endsWork(request)
      incoming.discardBody(outgoing)
    }
  }
}

/**
 * The same as the outermost middleware. It also answers what is no Error, which a foreign middleware may throw: Hono
 * passes only Errors to `app.onError`.
 */
export function recovery(recovered: Recovered): Filter {
  return function recovery(c, next) {
    return recovered(c.env, async () => {
      await next()
      if (c.finalized && c.res !== RESPONSE_ALREADY_SENT) settle(c)
      return undefined
    })
  }
}
