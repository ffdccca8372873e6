import type { Logger } from "pino"
import type { Clock } from "../base/clock.ts"
import { firstFault, type HealthCheck } from "../observability/health.ts"

const pollMs = 100

/**
 * Called after the start, with the checks of `/readyz`. Resolves with true when all pass. Logs the first reason why
 * they do not, and each new one.
 */
export async function whenReady(checks: readonly HealthCheck[], { log, clock }: { log: Logger; clock: Clock }): Promise<true> {
  let logged: string | undefined
  for (;;) {
    const reason = await firstFault(checks)
    if (reason === undefined) return true
    if (reason !== logged) log.warn({ reason }, "listening, but not ready yet")
    logged = reason
    await new Promise<void>((resolve) => clock.after(pollMs, resolve))
  }
}
