import type { Clock } from "../clock.ts"
import { ApiError, badRequest } from "../errors.ts"
import { isLongRunning } from "../discovery/in-flight-requests.ts"
import { DurationError, parseDuration } from "../kit/duration.ts"
import type { Filter, Exchange } from "../server-env.ts"

interface DeadlineOptions {
  readonly clock: Clock
  readonly requestTimeoutMs: number
  /** Answers the request with the error, whatever it is waiting for. */
  readonly fail: (exchange: Exchange, error: ApiError) => void
}

/**
 * Ends a request that takes longer than `--request-timeout`, or than the shorter `timeout` it asked for, with 504, wherever it has got to: the
 * client is told at once, then whatever waits on the request's signal lets go. An answer that has begun is broken off. Long-running requests are
 * left alone. Specification section 8; how `timeout` is read is the reference's.
 */
export function deadline(options: DeadlineOptions): Filter {
  return function deadline(exchange) {
    const request = exchange.request
    if (isLongRunning(request.info)) return undefined
    const limitMs = Math.min(options.requestTimeoutMs, askedTimeoutMs(request.query) ?? Number.POSITIVE_INFINITY)
    const cancel = options.clock.after(limitMs, () => {
      const error = new ApiError(504, "Timeout", "Timeout: request did not complete within the allotted timeout", {})
      options.fail(exchange, error)
      request.expire(error)
    })
    request.atEnd(cancel)
    return undefined
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
