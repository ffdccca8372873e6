import type { RequestCounts } from "../discovery/request-counts.ts"
import type { Filter } from "../server-env.ts"

/** Counts requests by what they asked for and how they were answered; a watch counts when it ends. Needs the request's context. */
export function requestCounts(options: { counts: RequestCounts }): Filter {
  return function requestCounts(exchange) {
    const request = exchange.request
    const { outgoing } = exchange
    request.atEnd(() => options.counts.record(request, outgoing.statusCode))
    return undefined
  }
}
