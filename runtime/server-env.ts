/** What Hono carries of a request to filters and handlers. */
import type { MiddlewareHandler } from "hono"
import type { Incoming, Outgoing } from "./http/exchange.ts"
import type { RequestContext } from "./request.ts"

export interface ServerEnv {
  Bindings: {
    readonly incoming: Incoming
    readonly outgoing: Outgoing
    /** Path, query and user. The application sets it before it routes, so every filter and handler finds it. */
    request: RequestContext
  }
}

/**
 * A Hono middleware of the server. It may wait, and do something once `next()` resolved: the request then has its answer, or the answer has begun
 * to be streamed. It throws an ApiError to answer with a Status. One that writes the answer itself returns `RESPONSE_ALREADY_SENT`. A filter that
 * does nothing afterwards returns `next()` without awaiting it, which costs one hop less.
 */
export type Filter = MiddlewareHandler<ServerEnv>
