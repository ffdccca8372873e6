/**
 * The server as one Hono application: the filter chain, then the routes. Kinds are looked up in the kind table, so a
 * kind that is added at run time needs no route. Handlers write encoded answers to the outgoing stream themselves and
 * return `RESPONSE_ALREADY_SENT`.
 */
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import { Hono } from "hono"
import { RegExpRouter } from "hono/router/reg-exp-router"
import { refusalLog } from "./authn/refusal-log.ts"
import { discoveryRoutes, documentRoutes } from "./discovery/routes.ts"
import { internal } from "./base/errors.ts"
import { audit, auditBegin } from "./filters/audit.ts"
import { auditInit } from "./filters/audit-init.ts"
import { authentication } from "./filters/authentication.ts"
import { authorization } from "./filters/authorization.ts"
import { cacheControl } from "./filters/cache-control.ts"
import { cors } from "./filters/cors.ts"
import { deadline } from "./filters/deadline.ts"
import { goaway } from "./filters/goaway.ts"
import { hsts } from "./filters/hsts.ts"
import { httpLogging } from "./filters/http-logging.ts"
import { impersonation } from "./filters/impersonation.ts"
import { inOrder, take } from "./filters/in-order.ts"
import { maxInFlight } from "./filters/max-in-flight.ts"
import { type Recovered, recovering, recovery } from "./filters/recovery.ts"
import { requestCounts } from "./filters/request-counts.ts"
import { requestInfo } from "./filters/request-info.ts"
import { retryAfter } from "./filters/retry-after.ts"
import { vendorHint } from "./filters/vendor-hint.ts"
import { waitGroup } from "./filters/wait-group.ts"
import { RequestReader } from "./http/request/reader.ts"
import type { RequestContext } from "./http/request/context.ts"
import type { App, Filter, ServerEnv, Step } from "./http/env.ts"
import type { ServerParts } from "./server-parts.ts"
import { apiErrorOf } from "./verbs/failure.ts"
import { answerResource } from "./verbs/route.ts"
import { wantsPretty } from "./wire/negotiate.ts"
import { answerUnknownPath, sendError } from "./wire/send.ts"
import { failureStatus } from "./wire/status.ts"

/**
 * The filter chain: a request passes it from top to bottom, in the order of kube-apiserver. docs/ARCHITECTURE.md says
 * what differs. A step that the options leave without work is not there.
 */
export function filtersOf(parts: ServerParts): readonly Step[] {
  const { vendor, clock, options, random } = parts
  const audited = parts.audit
  const directives = options["strict-transport-security-directives"]
  const chance = options["goaway-chance"]
  const allowedOrigins = options["cors-allowed-origins"]
  return [
    auditInit({ random }),
    requestInfo(),
    requestCounts({ counts: parts.requestCounts, clock }),
    ...when(parts.log.isLevelEnabled("debug"), () => httpLogging({ clock, log: parts.log })),
    ...when(options["shutdown-send-retry-after"], () => retryAfter({ rejecting: parts.rejecting })),
    ...when(directives.length > 0, () => hsts({ directives })),
    cacheControl(),
    ...when(chance > 0, () => goaway({ chance, random })),
    waitGroup({ requests: parts.inFlight }),
    ...(audited === undefined ? [] : [auditBegin({ audit: audited })]),
    deadline({ clock, requestTimeoutMs: options["request-timeout"], fail: (request, error) => answerError(parts, request, error) }),
    ...when(vendor.name !== "kubernetes", () => vendorHint({ vendor })),
    ...when(allowedOrigins.length > 0, () => cors({ allowedOrigins })),
    authentication({
      authenticators: parts.authenticators,
      anonymous: options["anonymous-auth"],
      closesStrangers: options["feature-gates"].UnauthenticatedHTTP2DOSMitigation === true,
      audiences: parts.audiences,
      vendor,
      removeHeaders: parts.removeHeaders,
      meter: parts.accessMetrics.authentication,
      onFault: refusalLog({ clock, log: parts.log }),
    }),
    ...(audited === undefined ? [] : [audit()]),
    impersonation({ authorizers: parts.authorizers }),
    maxInFlight({
      requests: parts.inFlight,
      readOnlyMax: options["max-requests-inflight"],
      mutatingMax: options["max-mutating-requests-inflight"],
    }),
    authorization({ authorizers: parts.authorizers, meter: parts.accessMetrics.authorization }),
  ]
}

function when(condition: boolean, make: () => Step): readonly Step[] {
  return condition ? [make()] : []
}

/**
 * Called once at start. `middleware` is the program's own (`startServer`). It runs after the filter chain, so it sees
 * only authorized requests.
 */
export function createApp(parts: ServerParts, middleware: readonly Filter[] = []): Hono<ServerEnv> & App {
  const reader = new RequestReader(parts.vendor)
  const filters = filtersOf(parts)
  const recovered = recovering({
    fail: (request, thrown) => answerError(parts, request, thrown),
    report: (fault) => parts.log.error({ err: fault }, "what was to follow a request failed"),
  })
  const app = new Hono<ServerEnv>({
    router: new RegExpRouter(),
    // The path is read once, here, so that routes and authorization cannot disagree about it.
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
  app.use(recovery(recovered), inOrder(filters), ...middleware)
  app.all("/api/*", resources(parts))
  app.all("/apis/*", resources(parts))
  app.route("/", discoveryRoutes(parts))
  app.route("/", documentRoutes(parts))
  // A middleware of the program wants Hono's context.
  return middleware.length > 0 ? app : Object.assign(app, { answerResource: resourcesOnly(parts, { reader, filters, recovered }) })
}

/** The way of requests for resources past Hono: the same filters, and the one handler that Hono would find for them. */
function resourcesOnly(
  parts: ServerParts,
  { reader, filters, recovered }: { reader: RequestReader; filters: readonly Step[]; recovered: Recovered },
): NonNullable<App["answerResource"]> {
  const answer = async (env: ServerEnv["Bindings"]): Promise<Response> => {
    const filtered = take(filters, env, 0)
    const response = filtered instanceof Promise ? await filtered : filtered
    if (response === undefined) await answerResource(parts, env.request)
    // The deadline may have answered meanwhile.
    if (response === undefined || response === RESPONSE_ALREADY_SENT || env.outgoing.headersSent) return RESPONSE_ALREADY_SENT
    env.outgoing.statusCode = response.status
    return response
  }
  return (incoming, outgoing) => {
    // Hono answers HEAD without a body.
    if (incoming.method === "HEAD") return undefined
    const request = reader.read(incoming, outgoing)
    if (!request.info.isResource) return undefined
    const env = { incoming, outgoing, request }
    return recovered(env, () => answer(env))
  }
}

/** Hono's route patterns do not match line breaks, but a path may contain one. */
function routedPath(path: string): string {
  return lineBreak.test(path) ? path.replaceAll(lineBreaks, "_") : path
}
const lineBreak = /[\n\r\u2028\u2029]/
const lineBreaks = /[\n\r\u2028\u2029]/g

/** Handles the paths of resources. Discovery handles a path that ends with the version. */
function resources(parts: ServerParts): Filter {
  return async function resources({ env: { request } }, next) {
    if (!request.info.isResource) return next()
    await answerResource(parts, request)
    return RESPONSE_ALREADY_SENT
  }
}

/** Answers a request with an error. Never throws: if the answer fails, the connection of the request is closed. */
function answerError(parts: ServerParts, request: RequestContext, error: unknown): void {
  // The 504 is sent already; this error is what the abort made of the work that was still running.
  if (request.expired) return
  try {
    sendFailure(parts, request, error)
  } catch (fault) {
    parts.log.error({ err: fault }, "an error could not be answered; its request is broken off")
    request.outgoing.destroy()
  }
}

/**
 * Translates a thrown error into a Status; the one place that does. Anything but the three known errors is a fault of
 * the server: it is logged with its stack and answered without.
 */
function sendFailure(parts: ServerParts, request: RequestContext, error: unknown): void {
  const { headers, incoming, outgoing, query } = request
  const { method, url = "" } = incoming
  const indented = wantsPretty({ query, userAgent: headers["user-agent"] })
  // A refused body may have caused warnings as well: they are sent with the refusal.
  const options = { vendor: parts.vendor, accept: headers.accept, indented, warnings: request.warnings }
  const known = apiErrorOf(error)
  if (known !== undefined) {
    request.audit?.answeredStatus(known.code, failureStatus(known, parts.vendor))
    request.audit?.latencies.answering()
    return sendError(outgoing, known, options)
  }
  request.audit?.panicked()
  parts.log.error({ err: error, path: url, method }, "a request failed unexpectedly")
  sendError(outgoing, internal("the request could not be carried out; the server's log says why"), options)
}
