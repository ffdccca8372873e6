import type { RequestCounts } from "../discovery/request-counts.ts"
import type { Filter } from "../server-env.ts"

/** Counts requests by what they asked for and how they were answered; a watch counts when it ends. Needs the request's context. */
export function requestCounts(options: { counts: RequestCounts }): Filter {
  return async function requestCounts(context, next) {
    await next()
    options.counts.record(context.get("request"), context.env.outgoing.statusCode)
  }
}
