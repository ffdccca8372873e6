import type { InFlightRequests } from "../observability/in-flight.ts"
import type { Step } from "../http/env.ts"

/** Counts the requests in flight, for which a server that stops waits. */
export function waitGroup({ requests }: { requests: InFlightRequests }): Step {
  return function waitGroup({ info, outgoing }) {
    requests.add(info, outgoing)
    return undefined
  }
}
