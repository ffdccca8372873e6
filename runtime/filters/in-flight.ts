import { ApiError } from "../base/errors.ts"
import type { InFlightRequests } from "../observability/in-flight.ts"
import type { Step } from "../http/env.ts"

/** Served during a shutdown as well, so that probes can see the reason. */
const exempt = /^\/(readyz|livez|healthz|metrics)/
const retryAfterSeconds = 5

/**
 * Counts the requests in flight. Once `rejecting` is aborted, new requests get 429 with `Retry-After`, and their
 * connections close, so that clients try again elsewhere. Specification section 3.2, `--shutdown-send-retry-after`.
 */
export function inFlight(options: { requests: InFlightRequests; rejecting: AbortSignal }): Step {
  return function inFlight({ request, outgoing }) {
    const { info } = request
    if (options.rejecting.aborted && !exempt.test(info.path)) {
      outgoing.closeAfterAnswer()
      throw new ApiError(429, "TooManyRequests", "the server is shutting down, try again", { retryAfterSeconds })
    }
    options.requests.add(info, outgoing)
    return undefined
  }
}
