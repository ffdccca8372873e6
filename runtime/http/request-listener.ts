/** From a connection to the application, of HTTP/1.1 and HTTP/2 alike. */
import { getRequestListener } from "@hono/node-server"
import type { Hono } from "hono"
import type { ServerEnv } from "../server-env.ts"
import { badRequest } from "../errors.ts"
import { cut } from "../kit/quote.ts"
import type { Incoming, Outgoing } from "./exchange.ts"
import { refuse } from "./malformed-request.ts"
import { originForm, refusalOf } from "./sound-request.ts"

type RequestListener = (incoming: Incoming, outgoing: Outgoing) => void

/** Called once per listener. What is returned is called once per request; it refuses what HTTP does not allow and hands on the others. */
export function requestListener(app: Hono<ServerEnv>): RequestListener {
  const dispatch = dispatchTo(app)
  return (incoming, outgoing) => {
    const refusal = refusalOf(incoming)
    if (refusal !== undefined) return refuse(outgoing, refusal)
    if (incoming.method === "OPTIONS" && incoming.url === "*") {
      outgoing.setHeader("content-length", "0")
      outgoing.end()
      return
    }
    incoming.url = originForm(incoming.url ?? "/")
    dispatch(incoming, outgoing)
  }
}

/** As `requestListener`, for whatever carries HTTP in place of a listener: nothing is checked before. */
export function dispatchTo(app: Hono<ServerEnv>): RequestListener {
  let fault: unknown
  const listener = getRequestListener((request, env) => app.fetch(request, env), {
    // Standard classes stay what they are for the rest of the process.
    overrideGlobalObjects: false,
    // A body that nobody reads is dropped by the `recovery` filter; the adapter would cut answers that are still being streamed.
    autoCleanupIncoming: false,
    // Of a request without `Host`, which HTTP/2 allows; nothing here looks at it.
    hostname: "localhost",
    // Called before `listener` returns when no URL can be made of the target; every other error was answered by the application.
    errorHandler: (error) => {
      fault = error
    },
  }) as unknown as (incoming: Incoming, outgoing: Outgoing) => Promise<void> // It takes node's own requests; ours have what it reads of those.
  return (incoming, outgoing) => {
    fault = undefined
    void listener(incoming, outgoing)
    if (fault !== undefined) refuse(outgoing, badRequest(`the target of the request is not valid: ${cut(incoming.url ?? "")}`))
  }
}
