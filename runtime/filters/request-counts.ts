import type { Clock } from "../base/clock.ts"
import type { Outgoing } from "../http/exchange.ts"
import { isLongRunning } from "../observability/in-flight.ts"
import type { RequestCounts } from "../observability/request-counts.ts"
import type { Step } from "../http/env.ts"

/**
 * Measures requests by their attributes and the status of their answer, for `/metrics`. A request is counted when it
 * has ended, a watch when its stream is closed.
 */
export function requestCounts({ counts, clock }: { counts: RequestCounts; clock: Pick<Clock, "elapsedMs"> }): Step {
  return function requestCounts(request) {
    const { outgoing } = request
    const startedMs = clock.elapsedMs()
    const taken = outgoing.takenBytes
    const ends = isLongRunning(request.info) ? counts.begins(request) : undefined
    request.onEnd(() => {
      ends?.()
      const seconds = (clock.elapsedMs() - startedMs) / 1000
      const bytes = request.info.method === "GET" ? lengthOf(outgoing, taken) : 0
      counts.record(request, outgoing.statusCode, { seconds, bytes, isEnded: request.expired || request.isRejected })
    })
    return undefined
  }
}

/** The length of an answer; without `content-length`, the bytes that the connection has taken of it. */
function lengthOf(outgoing: Outgoing, taken: number): number {
  const stated = outgoing.getHeader("content-length")
  return stated === undefined ? Math.max(0, outgoing.takenBytes - taken) : Number(stated)
}
