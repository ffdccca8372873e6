import type { Logger } from "pino"
import type { Clock } from "../base/clock.ts"
import { firstFault, type HealthCheck } from "../observability/health.ts"

const pollMs = 100

/** A start that takes longer than this is unusual. */
const patienceMs = 15_000

/**
 * Called after the start, with the checks of `/readyz`. Resolves with true when all pass. Logs once that they do not
 * pass yet, as at the beginning of every start; after `patienceMs` it warns of the reason, and of each new one.
 */
export async function whenReady(checks: readonly HealthCheck[], { log, clock }: { log: Logger; clock: Clock }): Promise<true> {
  const sinceMs = clock.elapsedMs()
  let isTold = false
  let warned: string | undefined
  for (;;) {
    const reason = await firstFault(checks)
    if (reason === undefined) return true
    if (!isTold) log.info({ reason }, "listening, but not ready yet")
    isTold = true
    if (reason !== warned && clock.elapsedMs() - sinceMs >= patienceMs) {
      log.warn({ reason }, "listening, but not ready yet")
      warned = reason
    }
    await new Promise<void>((resolve) => clock.after(pollMs, resolve))
  }
}
