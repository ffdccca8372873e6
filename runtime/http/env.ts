/** What Hono passes to filters and handlers with each request. */
import type { Hono, MiddlewareHandler } from "hono"
import type { Incoming, Outgoing } from "./exchange.ts"
import type { RequestContext } from "./request/context.ts"

export interface ServerEnv {
  Bindings: {
    readonly incoming: Incoming
    readonly outgoing: Outgoing
    /** Path, query and user. The application sets it before it routes, so every filter and handler finds it. */
    request: RequestContext
  }
}

/** The application as listeners call it. */
export interface App {
  readonly fetch: Hono<ServerEnv>["fetch"]
  /**
   * Answers requests for resources without the `Request` and `Response` of the web and without Hono's routing, which
   * together cost a tenth of a get. Called before `fetch`; undefined, having done nothing, for requests that are left
   * to it. Resolves with a Response to send, or with `RESPONSE_ALREADY_SENT`; never rejects.
   */
  readonly answerResource?: (incoming: Incoming, outgoing: Outgoing) => Promise<Response> | undefined
}

/**
 * A Hono middleware. It may wait, and may act once `next()` resolved: the request then has its answer, or a watch has
 * begun. Work for the end of a watch goes to `request.onEnd`. A filter throws an ApiError to answer with a Status,
 * returns a Response to answer with that, or writes to `outgoing` and returns `RESPONSE_ALREADY_SENT`.
 */
export type Filter = MiddlewareHandler<ServerEnv>

/**
 * A filter of the server: it acts before the filters behind it, and afterwards through `request.onEnd`. It returns
 * undefined to let the request go on, answers as a `Filter` does, or throws an ApiError to answer with a Status. Only a
 * step that waits returns a promise.
 */
export type Step = (env: ServerEnv["Bindings"]) => Response | undefined | Promise<Response | undefined>
