/**
 * The one way of every request: read, recover, the filter chain, then Hono, which dispatches to the middleware of the
 * program and to a handler. Kinds are looked up in the kind table, so a kind that is added at run time needs no route.
 */
import { type Handler, Hono } from "hono"
import { RegExpRouter } from "hono/router/reg-exp-router"
import { refusalLog } from "./authn/refusal-log.ts"
import { documentHandlers } from "./discovery/routes.ts"
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
import { inOrder } from "./filters/in-order.ts"
import { maxInFlight } from "./filters/max-in-flight.ts"
import { recovered } from "./filters/recovery.ts"
import { requestCounts } from "./filters/request-counts.ts"
import { requestInfo } from "./filters/request-info.ts"
import { retryAfter } from "./filters/retry-after.ts"
import { vendorHint } from "./filters/vendor-hint.ts"
import { waitGroup } from "./filters/wait-group.ts"
import { RequestReader } from "./http/request/reader.ts"
import type { RequestContext } from "./http/request/context.ts"
import { answered, type App, type Filter, type ServerEnv, type Step } from "./http/env.ts"
import { webRequest } from "./http/web-request.ts"
import { isAlreadySent, RESPONSE_ALREADY_SENT, writeResponse } from "./http/web-response.ts"
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

/** The application, and its routes, which tests walk. */
export interface Served {
  readonly app: App
  readonly routes: Hono<ServerEnv>["routes"]
}

/**
 * Called once at start. `middleware` is the program's own (`startServer`). It runs after the filter chain, so it sees
 * only authorized requests.
 */
export function createApp(parts: ServerParts, middleware: readonly Filter[] = []): Served {
  const reader = new RequestReader(parts.vendor)
  const filters = filtersOf(parts)
  const hono = routesOf(parts, middleware)
  const recovery = {
    fail: (request: RequestContext, thrown: unknown) => answerError(parts, request, thrown),
    report: (fault: unknown) => parts.log.error({ err: fault }, "what was to follow a request failed"),
  }
  const answer = async (request: RequestContext): Promise<void> => {
    const result = inOrder(filters, request)
    if (result !== undefined && (await result) === answered) return
    const { incoming, outgoing } = request
    const response = await hono.fetch(webRequest(request), { incoming, outgoing, request })
    if (isAlreadySent(response)) return
    // Of a middleware of the program. Request and deadline end now, since the body may be a stream of events.
    void writeResponse(outgoing, response).catch((fault) => {
      if (!outgoing.destroyed) recovery.fail(request, fault)
    })
  }
  const app: App = (incoming, outgoing) => {
    // The path is read once, here, so that routes and authorization cannot disagree about it.
    const request = reader.read(incoming, outgoing)
    void recovered(request, answer, recovery)
  }
  return { app, routes: hono.routes }
}

/**
 * The program's middleware, then a handler for each path. A request meets one handler alone, which Hono calls without
 * its chain of promises.
 */
function routesOf(parts: ServerParts, middleware: readonly Filter[]): Hono<ServerEnv> {
  const hono = new Hono<ServerEnv>({ router: new RegExpRouter(), getPath: routedPath })
  hono.onError((error, { env }) => {
    answerError(parts, env.request, error)
    return RESPONSE_ALREADY_SENT
  })
  hono.notFound(({ env }) => {
    answerUnknownPath(env.outgoing)
    return RESPONSE_ALREADY_SENT
  })
  const { discovery, documents } = documentHandlers(parts)
  const underApi = handler((request) => (request.info.isResource ? answerResource(parts, request) : discovery(request)))
  for (const each of middleware) hono.use(each)
  hono.all("/api/*", underApi).all("/apis/*", underApi)
  for (const [path, answer] of documents) hono.all(path, handler(answer))
  return hono
}

/** Handlers of the server write their answer to the outgoing stream. */
function handler(answer: (request: RequestContext) => Promise<void>): Handler<ServerEnv> {
  return async ({ env }) => {
    await answer(env.request)
    return RESPONSE_ALREADY_SENT
  }
}

/** Hono's route patterns do not match line breaks, but a path may contain one. */
function routedPath(_request: Request, options?: object): string {
  const { path } = (options as { env: ServerEnv["Bindings"] }).env.request.info // Hono's type does not know the application's.
  return lineBreak.test(path) ? path.replaceAll(lineBreaks, "_") : path
}
const lineBreak = /[\n\r\u2028\u2029]/
const lineBreaks = /[\n\r\u2028\u2029]/g

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
