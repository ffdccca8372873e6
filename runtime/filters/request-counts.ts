import type { RequestCounts } from "../discovery/request-counts.ts"
import type { Filter } from "../server-env.ts"

/** Counts requests by what they asked for and how they were answered; a watch counts once it has begun. */
export function requestCounts(options: { counts: RequestCounts }): Filter {
  return async function requestCounts({ env: { request, outgoing } }, next) {
    try {
      await next()
    } finally {
      options.counts.record(request, outgoing.statusCode)
    }
  }
}
