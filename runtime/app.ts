/**
 * The server as one Hono application: filters in request order, then generic routes. Which kinds exist is looked up in the kind table, so a
 * kind added at run time needs no route. Hono carries filters and routing; answers are written straight to the outgoing stream.
 */
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import { Hono } from "hono"
import { ApiError, internal } from "./errors.ts"
import { authentication } from "./filters/authentication.ts"
import { authorization } from "./filters/authorization.ts"
import { cors } from "./filters/cors.ts"
import { deadline } from "./filters/deadline.ts"
import { inFlight } from "./filters/in-flight.ts"
import { requestCounts } from "./filters/request-counts.ts"
import { requestInfo } from "./filters/request-info.ts"
import { responseHeaders } from "./filters/response-headers.ts"
import type { RequestContext } from "./request.ts"
import type { Filter, ServerContext, ServerEnv } from "./server-env.ts"
import { wantsPretty } from "./wire/negotiate.ts"
import { storeFailure } from "./registry/commit.ts"
import { StoreError } from "./storage/store.ts"
import { sendError } from "./wire/send.ts"
import type { ServerParts } from "./server-parts.ts"
import { answerOther } from "./discovery/routes.ts"
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
      fail: (context, error) => answerError(parts, context, error),
    }),
    cors({ allowedOrigins: settings.corsAllowedOrigins }),
    authentication({ authenticators: parts.authenticators, anonymous: settings.anonymousAuth, vendor }),
    authorization({ authorizers: parts.authorizers }),
  ]
}

/** Called once at start. */
export function createApp(parts: ServerParts): Hono<ServerEnv> {
  const app = new Hono<ServerEnv>()
  const filters = filtersOf(parts)
  app.all("*", async (context) => {
    try {
      if (!isAnswered(filters, context)) await route(parts, context)
    } catch (error) {
      // After its 504 was sent, what it was waiting for fails as well.
      if (requestOf(context)?.expired !== true) answerError(parts, context, error)
    } finally {
      requestOf(context)?.end()
    }
    return RESPONSE_ALREADY_SENT
  })
  return app
}

function isAnswered(filters: readonly Filter[], context: ServerContext): boolean {
  for (const filter of filters) if (filter(context) === "answered") return true
  return false
}

function route(parts: ServerParts, context: ServerContext): Promise<void> {
  return context.get("request").info.isResource ? answerResource(parts, context) : answerOther(parts, context)
}

/** Undefined for a request whose path could not be read. */
function requestOf(context: ServerContext): RequestContext | undefined {
  const { request }: Partial<ServerEnv["Variables"]> = context.var
  return request
}

/** The one translation of whatever was thrown into a Status. What is no ApiError is our fault: logged with its stack, told without it. */
function answerError(parts: ServerParts, context: ServerContext, error: unknown): void {
  const { outgoing } = context.env
  const { headers, url = "" } = context.env.incoming
  const laidOut = wantsPretty({ query: new URLSearchParams(url.split("?")[1] ?? ""), userAgent: headers["user-agent"] })
  // What was said about a body is told although something else in it is refused.
  const options = { vendor: parts.vendor, accept: headers.accept, laidOut, warnings: requestOf(context)?.warnings ?? [] }
  if (error instanceof ApiError) return sendError(outgoing, error, options)
  if (error instanceof StoreError) return sendError(outgoing, storeFailure(error), options)
  parts.log.error({ err: error, path: context.req.path, method: context.req.method }, "a request failed unexpectedly")
  sendError(outgoing, internal("the request could not be carried out; the server's log says why"), options)
}
