/** From a connection to the application, of HTTP/1.1 and HTTP/2 alike. */
import { getRequestListener } from "@hono/node-server"
import type { Hono } from "hono"
import type { ServerEnv } from "./env.ts"
import type { Incoming, Outgoing } from "./exchange.ts"
import { refuse } from "./malformed-request.ts"
import { originForm, refusalOf } from "./request-validation.ts"

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
  let current: Incoming
  let isRefused = false
  const listener = getRequestListener((request, { outgoing }) => app.fetch(request, { incoming: current, outgoing }), {
    // Standard classes stay what they are for the rest of the process.
    overrideGlobalObjects: false,
    // The `recovery` filter drops a body that nobody reads; the adapter would cut answers that are still being streamed.
    autoCleanupIncoming: false,
    // Of a request without `Host`, which HTTP/2 allows.
    hostname: "localhost",
    // Called before `listener` returns when no URL can be made of host and target. Every other error was answered by the application.
    errorHandler: () => {
      isRefused = true
    },
  }) as unknown as (incoming: object, outgoing: Outgoing) => Promise<void> // It takes node's own requests; ours have what it reads of those.
  return (incoming, outgoing) => {
    current = incoming
    isRefused = false
    void listener(incoming, outgoing)
    if (isRefused) void listener(withoutTarget(incoming), outgoing)
  }
}

/**
 * For a request whose host or target is no part of a URL as WHATWG has it, such as the host `[fd00:0:0::1]` or a path with a backslash. Go's clients
 * send them, and the application routes by a path that it reads itself.
 */
function withoutTarget(incoming: Incoming): object {
  return { method: incoming.method, url: "/", headers: {}, socket: incoming.socket }
}
