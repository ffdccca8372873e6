import { isHealthPath } from "../authz/authorize.ts"
import { privilegedGroup } from "../base/user.ts"
import { type InFlightRequests, isLongRunning } from "../observability/in-flight.ts"
import { tooManyRequests } from "../base/errors.ts"
import { tooManyRequestsRetrySeconds } from "../base/limits.ts"
import type { Step } from "../http/env.ts"
import { readOnlyVerbs } from "../http/request/info.ts"

/**
 * Throws 429 while as many requests are in flight as `--max-requests-inflight` (read only) or
 * `--max-mutating-requests-inflight` (all others) allow; 0 means no limit. Long-running requests, health probes and
 * members of system:masters pass, as in kube-apiserver 1.30. Runs after authentication, because it needs the user. Each
 * request in flight may hold a body of `requestBodyBytesMax`.
 */
export function maxInFlight(options: { requests: InFlightRequests; readOnlyMax: number; mutatingMax: number }): Step {
  const { requests, readOnlyMax, mutatingMax } = options
  return function maxInFlight(request) {
    const { info, user, outgoing } = request
    if (isLongRunning(info) || isHealthPath(info)) return undefined
    const sort = readOnlyVerbs.has(info.verb) ? "readOnly" : "mutating"
    const max = sort === "readOnly" ? readOnlyMax : mutatingMax
    if (max === 0 || requests.seats[sort] < max) requests.occupy(sort, outgoing)
    else if (!user.groups.includes(privilegedGroup)) {
      request.isRejected = true
      throw tooManyRequests("Too many requests, please try again later.", tooManyRequestsRetrySeconds)
    }
    return undefined
  }
}
