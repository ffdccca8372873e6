/**
 * The path of every request: read, recover, the filter chain, then Hono, which dispatches to the middleware of the
 * program and to a handler. Kinds are looked up in the kind table, so a kind that is added at run time needs no route.
 */
import { type Handler, Hono } from "hono"
import { RegExpRouter } from "hono/router/reg-exp-router"
import { documentHandlers } from "./discovery/routes.ts"
import { internal, UnhandledError } from "./base/errors.ts"
import { connectionSteps } from "./filters/chain.ts"
import { inOrder } from "./filters/in-order.ts"
import { answerUnhandled } from "./filters/internal-error.ts"
import { recovered } from "./filters/recovery.ts"
import { RequestReader } from "./http/request/reader.ts"
import type { RequestContext } from "./http/request/context.ts"
import { answered, type App, type Filter, type ServerEnv } from "./http/env.ts"
import { webRequest } from "./http/web-request.ts"
import { isAlreadySent, RESPONSE_ALREADY_SENT, writeResponse } from "./http/web-response.ts"
import type { ServerParts } from "./server-parts.ts"
import { apiErrorOf } from "./verbs/failure.ts"
import { answerResource } from "./verbs/route.ts"
import { wantsPretty } from "./wire/negotiate.ts"
import { answerUnknownPath, sendError } from "./wire/send.ts"
import { failureStatus } from "./wire/status.ts"

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
  const hono = routesOf(parts, middleware)
  const recovery = {
    fail: (request: RequestContext, thrown: unknown) => answerError(parts, request, thrown),
    report: (fault: unknown) => parts.log.error({ err: fault }, "what was to follow a request failed"),
  }
  const steps = connectionSteps(parts, recovery.fail)
  const answer = async (request: RequestContext): Promise<void> => {
    const result = inOrder(steps, request)
    if (result !== undefined && (await result) === answered) return
    const { incoming, outgoing } = request
    const response = await hono.fetch(webRequest(request), { incoming, outgoing, request })
    if (isAlreadySent(response)) return
    // A Response from the program's middleware. Request and deadline end now, since the body may be a stream of events.
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
 * The program's middleware, then a handler for each path. Only one handler matches a request, so Hono calls it without
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
  // The 504 is sent already; the abort caused this error in work that was still running.
  if (request.expired) return
  try {
    sendFailure(parts, request, error)
  } catch (fault) {
    parts.log.error({ err: fault }, "an error could not be answered; its request is broken off")
    request.outgoing.destroy()
  }
}

/**
 * Translates a thrown error into a Status; the only place that does. Any other than the three known errors is a fault
 * of the server: it is logged with its stack and answered without.
 */
function sendFailure(parts: ServerParts, request: RequestContext, error: unknown): void {
  const { headers, incoming, outgoing, query } = request
  const { method, url = "" } = incoming
  const indented = wantsPretty({ query, userAgent: headers["user-agent"] })
  // A refused body may have caused warnings as well: they are sent with the refusal.
  const options = { vendor: parts.vendor, accept: headers.accept, indented, warnings: request.warnings }
  if (error instanceof UnhandledError) return void answerUnhandled(request, error)
  const known = apiErrorOf(error)
  if (known !== undefined) {
    request.audit?.answeredStatus(known.code, failureStatus(known, parts.vendor))
    request.trace.answering()
    return sendError(outgoing, known, options)
  }
  request.audit?.panicked()
  parts.log.error({ err: error, path: url, method }, "a request failed unexpectedly")
  sendError(outgoing, internal("the request could not be carried out; the server's log says why"), options)
}
