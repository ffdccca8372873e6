import type { RequestCounts } from "../observability/request-counts.ts"
import type { Step } from "../http/env.ts"

/**
 * Counts requests by their attributes and the status of their answer, for `/metrics`. A request is counted when it has
 * ended, a watch when its stream is closed.
 */
export function requestCounts(options: { counts: RequestCounts }): Step {
  return function requestCounts({ request, outgoing }) {
    request.onEnd(() => options.counts.record(request, outgoing.statusCode))
    return undefined
  }
}
