/**
 * The server as one Hono application: filters in request order, then routes. Which kinds exist is looked up in the kind table, so a kind added at
 * run time needs no route. Answers are written to the outgoing stream, encoded already, which Hono is told with `RESPONSE_ALREADY_SENT`.
 */
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import { Hono } from "hono"
import { RegExpRouter } from "hono/router/reg-exp-router"
import { discoveryRoutes, documentRoutes } from "./discovery/routes.ts"
import { ApiError, internal } from "./base/errors.ts"
import { authentication } from "./filters/authentication.ts"
import { authorization } from "./filters/authorization.ts"
import { cors } from "./filters/cors.ts"
import { deadline } from "./filters/deadline.ts"
import { inFlight } from "./filters/in-flight.ts"
import { inOrder } from "./filters/in-order.ts"
import { maxInFlight } from "./filters/max-in-flight.ts"
import { recovery } from "./filters/recovery.ts"
import { requestCounts } from "./filters/request-counts.ts"
import { requestInfo } from "./filters/request-info.ts"
import { responseHeaders } from "./filters/response-headers.ts"
import { RequestReader } from "./http/request/reader.ts"
import { storeFailure } from "./registry/commit.ts"
import type { RequestContext } from "./http/request/context.ts"
import type { Filter, ServerEnv, Step } from "./http/env.ts"
import type { ServerParts } from "./server-parts.ts"
import { UndecodableError } from "./storage/cache.ts"
import { StoreError } from "./storage/store.ts"
import { ignoreReadErrorParameter } from "./verbs/delete-options.ts"
import { answerResource } from "./verbs/route.ts"
import { wantsPretty } from "./wire/negotiate.ts"
import { answerUnknownPath, sendError } from "./wire/send.ts"

/** Order is data: a request passes these from top to bottom, as in the reference. Comments say where later filters belong. */
export function filtersOf(parts: ServerParts): readonly Step[] {
  const { vendor, clock, options } = parts
  return [
    responseHeaders({ random: parts.random, hsts: options["strict-transport-security-directives"] }),
    requestInfo(),
    // Audit.
    requestCounts({ counts: parts.requestCounts }),
    inFlight({ requests: parts.inFlight, rejecting: parts.rejecting }),
    deadline({ clock, requestTimeoutMs: options["request-timeout"], fail: (request, error) => answerError(parts, request, error) }),
    cors({ allowedOrigins: options["cors-allowed-origins"] }),
    authentication({ authenticators: parts.authenticators, anonymous: options["anonymous-auth"], vendor }),
    // Impersonation.
    maxInFlight({
      requests: parts.inFlight,
      readOnlyMax: options["max-requests-inflight"],
      mutatingMax: options["max-mutating-requests-inflight"],
    }),
    authorization({ authorizers: parts.authorizers }),
  ]
}

/** Called once at start. `middleware` of the program that started the server comes last of the filters: its requests are permitted. */
export function createApp(parts: ServerParts, middleware: readonly Filter[] = []): Hono<ServerEnv> {
  const reader = new RequestReader(parts.vendor)
  const app = new Hono<ServerEnv>({
    router: new RegExpRouter(),
    // What is routed is what is authorized: nothing else reads the path.
    getPath: (_request, options) => {
      const env = (options as { env: ServerEnv["Bindings"] }).env // Hono's type does not know the application's.
      env.request = reader.read(env.incoming, env.outgoing)
      return routedPath(env.request.info.path)
    },
  })
  app.onError((error, { env }) => {
    answerError(parts, env.request, error)
    return RESPONSE_ALREADY_SENT
  })
  app.notFound(({ env }) => {
    answerUnknownPath(env.outgoing)
    return RESPONSE_ALREADY_SENT
  })
  app.use(
    recovery({
      fail: (request, thrown) => answerError(parts, request, thrown),
      report: (fault) => parts.log.error({ err: fault }, "what was to follow a request failed"),
    }),
    inOrder(filtersOf(parts)),
    ...middleware,
  )
  app.all("/api/*", resources(parts))
  app.all("/apis/*", resources(parts))
  app.route("/", discoveryRoutes(parts))
  app.route("/", documentRoutes(parts))
  return app
}

/** Patterns of routes match no line breaks, and a path may hold one. */
function routedPath(path: string): string {
  return lineBreak.test(path) ? path.replaceAll(lineBreaks, "_") : path
}
const lineBreak = /[\n\r\u2028\u2029]/
const lineBreaks = /[\n\r\u2028\u2029]/g

/** Paths of resources; a group, a version and nothing behind it is discovery's. */
function resources(parts: ServerParts): Filter {
  return async function resources({ env: { request } }, next) {
    if (!request.info.isResource) return next()
    await answerResource(parts, request)
    return RESPONSE_ALREADY_SENT
  }
}

const undecodableHelp = `DELETE of the object with ?${ignoreReadErrorParameter}=true removes it as it is`

/** Never throws: an error that cannot be answered ends its request, and not the server. */
function answerError(parts: ServerParts, request: RequestContext, error: unknown): void {
  // After its 504 was sent, what the request was waiting for fails as well.
  if (request.expired) return
  try {
    sendFailure(parts, request, error)
  } catch (fault) {
    parts.log.error({ err: fault }, "an error could not be answered; its request is broken off")
    request.outgoing.destroy()
  }
}

/** The one translation of whatever was thrown into a Status. What is no ApiError is our fault: logged with its stack, told without it. */
function sendFailure(parts: ServerParts, request: RequestContext, error: unknown): void {
  const { headers, incoming, outgoing, query } = request
  const { method, url = "" } = incoming
  const indented = wantsPretty({ query, userAgent: headers["user-agent"] })
  // What was said about a body is told although something else in it is refused.
  const options = { vendor: parts.vendor, accept: headers.accept, indented, warnings: request.warnings }
  if (error instanceof ApiError) return sendError(outgoing, error, options)
  if (error instanceof UndecodableError) return sendError(outgoing, internal(`${error.message}; ${undecodableHelp}`), options)
  if (error instanceof StoreError) return sendError(outgoing, storeFailure(error), options)
  parts.log.error({ err: error, path: url, method }, "a request failed unexpectedly")
  sendError(outgoing, internal("the request could not be carried out; the server's log says why"), options)
}
