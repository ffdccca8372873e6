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
  /** Answers the request with the error, whatever it is waiting for. */
  readonly fail: (request: RequestContext, error: ApiError) => void
}

/**
 * Ends a request that takes longer than `--request-timeout`, or than the shorter `timeout` it asked for, with 504, wherever it has got to: the
 * client is told at once, then whatever waits on the request's signal lets go. An answer that has begun is broken off, unless the time was the server's
 * and the client takes the answer at a fair rate: a long list over a slow line is not to be in vain. Long-running requests are left alone.
 * Specification section 8; how `timeout` is read is the reference's.
 */
export function deadline(options: DeadlineOptions): Step {
  const { clock, requestTimeoutMs } = options
  const afterRequestTimeout = sharedTimer(clock, requestTimeoutMs)
  return function deadline({ request, outgoing }) {
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
/** Clients repeat a creation that they find this in. */
const writeTimeoutText = "Timeout: request did not complete within requested timeout - context deadline exceeded"

/** Calls `expire` once the client takes less of an answer than it has to; the returned function cancels. */
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

/** As `clock.after` with the same delay for all: who comes within a moment shares a timer with the first, since most are gone long before it rings. */
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
    const nowMs = clock.nowMs()
    const waiting = latest !== undefined && Math.abs(nowMs - latest.startedMs) < deadlineEarlyMs ? latest.waiting : start(nowMs)
    waiting.add(callback)
    return () => waiting.delete(callback)
  }
}

/** Zero and less ask for no other time than the server's. Throws 400. */
function askedTimeoutMs(query: URLSearchParams): number | undefined {
  const text = query.get("timeout")
  if (text === null || text === "") return undefined
  try {
    const milliseconds = Number(parseDuration(text)) / 1e6
    return milliseconds > 0 ? milliseconds : undefined
  } catch (error) {
    if (error instanceof DurationError) throw badRequest(`query parameter timeout: ${error.message}`)
    throw error
  }
}
