/** Types of the application that listeners call, and of the middleware of a program. */
import type { MiddlewareHandler } from "hono"
import type { Incoming, Outgoing } from "./exchange.ts"
import type { RequestContext } from "./request/context.ts"
import type { Operation } from "./request/operation.ts"

/** Answers a request. Called once for each, whatever its protocol. Never throws. */
export type App = (incoming: Incoming, outgoing: Outgoing) => void

export interface ServerEnv {
  Bindings: {
    readonly incoming: Incoming
    readonly outgoing: Outgoing
    /** Path, query and user. Set before Hono routes, so every middleware and handler finds it. */
    readonly request: RequestContext
  }
}

/**
 * A Hono middleware. It may wait, and may act once `next()` resolved: the request then has its answer, or a watch has
 * begun. Pass work for the end of a watch to `request.onEnd`. A filter throws an ApiError to answer with a Status,
 * returns a Response to answer with that, or writes to `outgoing` and returns `RESPONSE_ALREADY_SENT`.
 */
export type Filter = MiddlewareHandler<ServerEnv>

/** A step has written the answer of the request to `outgoing`, so nothing follows it. */
export const answered = "answered"

/**
 * A filter of the server: it acts before the steps behind it, and afterwards through `request.onEnd`. It returns
 * undefined to let the request go on, writes an answer and returns `answered`, or throws an ApiError to answer with a
 * Status. Only a step that waits returns a promise.
 */
export type Step = StepOf<RequestContext>

/** A step that operations of programs in this process pass as well. */
export type OperationStep = StepOf<Operation>

type StepOf<Request> = (request: Request) => StepResult | Promise<StepResult>

type StepResult = typeof answered | undefined
