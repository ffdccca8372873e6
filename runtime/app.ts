/**
 * The server as one Hono application: filters in request order, then generic routes. Which kinds exist is looked up in the kind table, so a
 * kind added at run time needs no route. Hono carries filters and routing; answers are written straight to the outgoing stream.
 */
import { Hono } from "hono"
import { ApiError, internal } from "./errors.ts"
import { authentication } from "./filters/authentication.ts"
import { authorization } from "./filters/authorization.ts"
import { cors } from "./filters/cors.ts"
import { deadline } from "./filters/deadline.ts"
import { inFlight } from "./filters/in-flight.ts"
import { maxInFlight } from "./filters/max-in-flight.ts"
import { requestCounts } from "./filters/request-counts.ts"
import { requestInfo } from "./filters/request-info.ts"
import { responseHeaders } from "./filters/response-headers.ts"
import type { Exchange, Filter, ServerEnv } from "./server-env.ts"
import { parseQuery } from "./query.ts"
import { beginsWork, endsWork } from "./loop-watch.ts"
import { wantsPretty } from "./wire/negotiate.ts"
import { storeFailure } from "./registry/commit.ts"
import { UndecodableError } from "./storage/cache.ts"
import { StoreError } from "./storage/store.ts"
import { dropRest } from "./http/unread-body.ts"
import { sendError } from "./wire/send.ts"
import type { ServerParts } from "./server-parts.ts"
import { answerOther } from "./discovery/routes.ts"
import { ignoreReadErrorParameter } from "./verbs/delete-options.ts"
import { answerResource } from "./verbs/route.ts"

/** Order is data: a request passes these from top to bottom. */
export function filtersOf(parts: ServerParts): readonly Filter[] {
  const { vendor, clock, settings } = parts
  return [
    responseHeaders({ random: parts.random, hsts: settings.strictTransportSecurity }),
    requestInfo({ vendor }),
    requestCounts({ counts: parts.requestCounts }),
    inFlight({ requests: parts.inFlight, rejecting: parts.rejecting }),
    deadline({
      clock,
      requestTimeoutMs: settings.requestTimeoutMs,
      fail: (exchange, error) => answerError(parts, exchange, error),
    }),
    cors({ allowedOrigins: settings.corsAllowedOrigins }),
    authentication({ authenticators: parts.authenticators, anonymous: settings.anonymousAuth, vendor }),
    maxInFlight({ requests: parts.inFlight, readOnlyMax: settings.requestsInFlightMax, mutatingMax: settings.mutatingRequestsInFlightMax }),
    authorization({ authorizers: parts.authorizers }),
  ]
}

/** What Hono is told of every answer: it is, or will be, on the outgoing stream. */
const answeredElsewhere = new Response(null)

/** Called once at start. There is one route, so Hono need not look at paths. */
export function createApp(parts: ServerParts): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>({ getPath: () => "/" })
  const filters = filtersOf(parts)
  app.all("/", ({ env }) => {
    void answer(parts, filters, env)
    return answeredElsewhere
  })
  return app
}

/** Never rejects. */
async function answer(parts: ServerParts, filters: readonly Filter[], exchange: Exchange): Promise<void> {
  beginsWork(exchange)
  try {
    if (!isAnswered(filters, exchange)) await route(parts, exchange)
  } catch (error) {
    // After its 504 was sent, what it was waiting for fails as well.
    if (exchange.context?.expired !== true) answerError(parts, exchange, error)
  } finally {
    endsWork(exchange)
    exchange.context?.end()
    dropRest(exchange.incoming, exchange.outgoing)
  }
}

function isAnswered(filters: readonly Filter[], exchange: Exchange): boolean {
  for (const filter of filters) if (filter(exchange) === "answered") return true
  return false
}

function route(parts: ServerParts, exchange: Exchange): Promise<void> {
  return exchange.request.info.isResource ? answerResource(parts, exchange) : answerOther(parts, exchange)
}

/** As far as it was read: a request may have failed for its path or its query. */
function queryOf({ context, incoming: { url = "" } }: Exchange): URLSearchParams {
  if (context !== undefined) return context.query
  const mark = url.indexOf("?")
  try {
    return parseQuery(mark < 0 ? "" : url.slice(mark + 1))
  } catch {
    return parseQuery("")
  }
}
const undecodableHelp = `DELETE of the object with ?${ignoreReadErrorParameter}=true removes it as it is`

/** Never throws: an error that cannot be answered ends its request, and not the server. */
function answerError(parts: ServerParts, exchange: Exchange, error: unknown): void {
  try {
    sendFailure(parts, exchange, error)
  } catch (fault) {
    parts.log.error({ err: fault }, "an error could not be answered; its request is broken off")
    exchange.outgoing.destroy()
  }
}

/** The one translation of whatever was thrown into a Status. What is no ApiError is our fault: logged with its stack, told without it. */
function sendFailure(parts: ServerParts, exchange: Exchange, error: unknown): void {
  const { incoming, outgoing } = exchange
  const { headers, method, url = "" } = incoming
  const laidOut = wantsPretty({ query: queryOf(exchange), userAgent: headers["user-agent"] })
  // What was said about a body is told although something else in it is refused.
  const options = { vendor: parts.vendor, accept: headers.accept, laidOut, warnings: exchange.context?.warnings ?? [] }
  if (error instanceof ApiError) return sendError(outgoing, error, options)
  if (error instanceof UndecodableError) return sendError(outgoing, internal(`${error.message}; ${undecodableHelp}`), options)
  if (error instanceof StoreError) return sendError(outgoing, storeFailure(error), options)
  parts.log.error({ err: error, path: url, method }, "a request failed unexpectedly")
  sendError(outgoing, internal("the request could not be carried out; the server's log says why"), options)
}
