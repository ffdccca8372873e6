/** Passes requests of HTTP/1.1 and HTTP/2 from connections to the application. */
import { getRequestListener } from "@hono/node-server"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import type { App } from "./env.ts"
import type { Incoming, Outgoing } from "./exchange.ts"
import { refuse } from "./malformed-request.ts"
import { originForm, refusalOf } from "./request-validation.ts"

type RequestListener = (incoming: Incoming, outgoing: Outgoing) => void

/**
 * Called once per listener. The result is called once per request; it refuses what HTTP forbids and passes the other
 * requests to the application.
 */
export function requestListener(app: App): RequestListener {
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

/** As `requestListener`, for a caller other than a listener: it checks nothing first. */
export function dispatchTo(app: App): RequestListener {
  let current: Incoming
  let isRefused = false
  let answer: Response | undefined
  const listener = getRequestListener((request, { outgoing }) => answer ?? app.fetch(request, { incoming: current, outgoing }), {
    // The standard classes must not change for the rest of the process.
    overrideGlobalObjects: false,
    // The `recovery` filter drops unread bodies. The adapter would cut answers that are still being streamed.
    autoCleanupIncoming: false,
    // For requests without `Host`, which HTTP/2 allows.
    hostname: "localhost",
    // Called before `listener` returns if host and target form no URL. The application has answered every other error.
    errorHandler: () => {
      isRefused = true
    },
  }) as unknown as (incoming: object, outgoing: Outgoing) => Promise<void> // Its type asks for node's requests; ours have the members that it reads.
  /** With a Response only writes it. */
  const dispatch = (incoming: Incoming, outgoing: Outgoing, response?: Response): void => {
    answer = response
    current = incoming
    isRefused = false
    void listener(incoming, outgoing)
    if (isRefused) void listener(withoutTarget(incoming), outgoing)
  }
  return (incoming, outgoing) => {
    const answered = app.answerResource?.(incoming, outgoing)
    if (answered === undefined) return dispatch(incoming, outgoing)
    void answered.then((response) => {
      if (response !== RESPONSE_ALREADY_SENT) dispatch(incoming, outgoing, response)
    })
  }
}

/**
 * For a request whose host or target cannot be part of a WHATWG URL, such as the host `[fd00:0:0::1]` or a path with a
 * backslash. Clients in Go send them, and the application routes by a path that it parses itself.
 */
function withoutTarget(incoming: Incoming): object {
  return { method: incoming.method, url: "/", headers: {}, socket: incoming.socket }
}
