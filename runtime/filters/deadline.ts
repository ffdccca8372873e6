import type { Clock } from "../clock.ts"
import { ApiError, badRequest } from "../errors.ts"
import { DurationError, parseDuration } from "../kit/duration.ts"
import type { Filter } from "../server-env.ts"

/** Requests that last as long as the client likes: watches and connections to other machines. */
const longRunningSubresources = new Set(["proxy", "exec", "attach", "log", "portforward"])

/**
 * Ends a request that takes longer than `--request-timeout`, or than the shorter `timeout` it asked for, with 504. Long-running requests
 * are left alone. Specification section 8.
 */
export function deadline(options: { clock: Clock; requestTimeoutMs: number; fail: (outgoing: unknown, error: ApiError) => void }): Filter {
  return async function deadline(context, next) {
    const { info, query } = context.get("request")
    if (info.verb === "watch" || longRunningSubresources.has(info.subresource)) return next()
    const limitMs = Math.min(options.requestTimeoutMs, askedTimeoutMs(query) ?? Number.POSITIVE_INFINITY)
    const cancel = options.clock.after(limitMs, () => {
      const message = "Timeout: request did not complete within the allotted timeout"
      options.fail(context.env.outgoing, new ApiError(504, "Timeout", message, {}))
    })
    try {
      await next()
    } finally {
      cancel()
    }
  }
}

function askedTimeoutMs(query: URLSearchParams): number | undefined {
  const text = query.get("timeout")
  if (text === null || text === "") return undefined
  try {
    return Number(parseDuration(text)) / 1e6
  } catch (error) {
    if (error instanceof DurationError) throw badRequest(`query parameter timeout: ${error.message}`)
    throw error
  }
}
