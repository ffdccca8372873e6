import type { Clock } from "../base/clock.ts"
import { ApiError, badRequest } from "../base/errors.ts"
import { isLongRunning } from "../observability/in-flight.ts"
import { DurationError, parseDuration } from "../base/duration.ts"
import { deadlineEarlyMs, lateAnswerBytesPerSecondMin, writeStallTimeoutMs } from "../base/limits.ts"
import type { Outgoing } from "../http/exchange.ts"
import type { RequestContext } from "../http/request/context.ts"
import type { Step } from "../http/env.ts"

interface DeadlineOptions {
  readonly clock: Clock
  readonly requestTimeoutMs: number
  /** Answers the request with the error while its handler is still waiting. */
  readonly fail: (request: RequestContext, error: ApiError) => void
}

/**
 * Ends a request with 504 when it takes longer than `--request-timeout`, or than its own shorter `timeout` parameter.
 * The answer is sent first; then the request's signal aborts all waiting work. A response that has begun is broken off,
 * unless the server's limit ended it and the client reads at `lateAnswerBytesPerSecondMin` or faster: a long list over
 * a slow line may take its time. Long-running requests have no deadline. Specification section 8; `timeout` is parsed
 * as kube-apiserver does.
 */
export function deadline(options: DeadlineOptions): Step {
  const { clock, requestTimeoutMs } = options
  const afterRequestTimeout = sharedTimer(clock, requestTimeoutMs)
  return function deadline(request) {
    const { outgoing } = request
    if (isLongRunning(request.info)) return undefined
    const askedMs = askedTimeoutMs(request.query)
    const expire = (): void => {
      const error = new ApiError(504, "Timeout", request.info.method === "GET" ? readTimeoutText : writeTimeoutText, {})
      options.fail(request, error)
      request.expire(error)
    }
    const expireUnlessTaken = (): void => {
      if (outgoing.headersSent) cancel = whenSlow(clock, outgoing, expire)
      else expire()
    }
    let cancel = askedMs !== undefined && askedMs < requestTimeoutMs ? clock.after(askedMs, expire) : afterRequestTimeout(expireUnlessTaken)
    request.onEnd(() => cancel())
    return undefined
  }
}

const readTimeoutText = "Timeout: request did not complete within the allotted timeout"
/** Clients repeat a creation when they find this text. */
const writeTimeoutText = "Timeout: request did not complete within requested timeout - context deadline exceeded"

/** Calls `expire` once the client reads slower than `lateAnswerBytesPerSecondMin`. Returns a function that cancels. */
function whenSlow(clock: Clock, outgoing: Outgoing, expire: () => void): () => void {
  let taken = outgoing.takenBytes
  const look = (): void => {
    const takenNow = outgoing.takenBytes
    if (takenNow - taken < (lateAnswerBytesPerSecondMin * writeStallTimeoutMs) / 1000) return expire()
    taken = takenNow
    cancel = clock.after(writeStallTimeoutMs, look)
  }
  let cancel = clock.after(writeStallTimeoutMs, look)
  return () => cancel()
}

/**
 * Like `clock.after(delayMs)`, but requests that start within `deadlineEarlyMs` of each other share one timer: most end
 * long before it fires.
 */
function sharedTimer(clock: Clock, delayMs: number): (callback: () => void) => () => void {
  let latest: { readonly startedMs: number; readonly waiting: Set<() => void> } | undefined
  function start(startedMs: number): Set<() => void> {
    const waiting = new Set<() => void>()
    const timer = { startedMs, waiting }
    latest = timer
    clock.after(delayMs, () => {
      if (latest === timer) latest = undefined
      for (const callback of waiting) callback()
    })
    return waiting
  }
  return (callback) => {
    const elapsedMs = clock.elapsedMs()
    const waiting = latest !== undefined && elapsedMs - latest.startedMs < deadlineEarlyMs ? latest.waiting : start(elapsedMs)
    waiting.add(callback)
    return () => waiting.delete(callback)
  }
}

/** The `timeout` parameter; undefined when it is absent, zero or negative. Throws 400. */
function askedTimeoutMs(query: URLSearchParams): number | undefined {
  const text = query.get("timeout")
  if (text === null || text === "") return undefined
  try {
    const milliseconds = Number(parseDuration(text)) / 1e6
    return milliseconds > 0 ? milliseconds : undefined
  } catch (error) {
    if (error instanceof DurationError) throw badRequest(`invalid timeout specified in the request URL - ${error.message}`)
    throw error
  }
}
