/** Logs why requests were refused with 401; clients do not learn the reason. */
import type { Clock } from "../base/clock.ts"
import { cut } from "../base/quote.ts"
import type { AuthenticationError } from "./authenticate.ts"
import { loggedReasonCharactersMax, loggedReasonsMax, loggedReasonsMs } from "./limits.ts"

interface RefusalLog {
  warn(values: object, text: string): void
  debug(values: object, text: string): void
}

const text = "a request could not be authenticated"

/**
 * Called once at start; the returned function, once per refused request. Each reason is a warning at most once a
 * minute, with ten different reasons a minute: attackers choose the issuers in them. Other refusals are logged at level
 * debug; the next warning counts them as `unlogged`.
 */
export function refusalLog({ clock, log }: { readonly clock: Clock; readonly log: RefusalLog }): (fault: AuthenticationError) => void {
  const reasons = new Set<string>()
  let beganMs = Number.NEGATIVE_INFINITY
  let unlogged = 0
  return ({ logged }) => {
    const error = cut(logged, loggedReasonCharactersMax)
    const elapsedMs = clock.elapsedMs()
    if (elapsedMs - beganMs >= loggedReasonsMs) {
      reasons.clear()
      beganMs = elapsedMs
    }
    if (reasons.has(error) || reasons.size >= loggedReasonsMax) {
      unlogged++
      log.debug({ error }, text)
      return
    }
    reasons.add(error)
    log.warn(unlogged === 0 ? { error } : { error, unlogged }, text)
    unlogged = 0
  }
}
