import { ApiError } from "../base/errors.ts"
import type { InFlightRequests } from "../observability/in-flight.ts"
import type { Step } from "../http/env.ts"

/** Answered also while the server goes: whoever probes it must see why. */
const exempt = /^\/(readyz|livez|healthz|metrics)/
const retryAfterSeconds = 5

/**
 * Counts what is in flight. Once `rejecting` is aborted new requests are told to come back, to another server if there is one: 429 with
 * `Retry-After` on a connection that closes. Specification section 3.2, `--shutdown-send-retry-after`.
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
