/** Schedules the checks of client certificates, which cost the event loop more than the rest of a handshake. */
import type { Clock } from "../base/clock.ts"
import { certificateChargeFactor, certificateCheckFreeMs } from "../tls/limits.ts"

/**
 * Checks the certificates of one connection in a turn of the event loop. Addresses take turns. The time of a check
 * beyond `certificateCheckFreeMs` is charged to its address, whose next check waits; others do not wait for it. Created
 * once per listener.
 */
export class CertificateTurns {
  /** Checks that wait, by address; the next address in turn comes first. */
  private readonly waiting = new Map<string, (() => void)[]>()
  /** The time at which the next check of a charged address may begin. */
  private readonly freeAtMs = new Map<string, number>()
  private isScheduled = false
  private cancelTimer: () => void = () => undefined

  /** `usedMs`: the CPU time used so far. Wall-clock time would charge clients for a busy machine. */
  constructor(
    private readonly clock: Clock,
    private readonly usedMs: () => number = cpuMs,
  ) {}

  /** `check` is called once, in a turn of its own. */
  wait(address: string, check: () => void): void {
    const row = this.waiting.get(address)
    if (row === undefined) this.waiting.set(address, [check])
    else row.push(check)
    this.schedule()
  }

  private schedule(): void {
    if (this.isScheduled || this.waiting.size === 0) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      this.takeTurn()
    })
  }

  private takeTurn(): void {
    const { clock, freeAtMs, waiting } = this
    const nowMs = clock.elapsedMs()
    for (const [address, atMs] of freeAtMs) if (atMs <= nowMs) freeAtMs.delete(address)
    let soonestMs = Number.POSITIVE_INFINITY
    for (const [address, row] of waiting) {
      const atMs = freeAtMs.get(address) ?? nowMs
      soonestMs = Math.min(soonestMs, atMs)
      if (atMs > nowMs) continue
      this.check(address, row)
      return this.schedule()
    }
    // All waiting addresses have been charged.
    this.cancelTimer()
    this.cancelTimer = clock.after(soonestMs - nowMs, () => this.schedule())
  }

  private check(address: string, row: (() => void)[]): void {
    const { clock, freeAtMs, usedMs, waiting } = this
    const check = row.shift()
    waiting.delete(address)
    if (row.length > 0) waiting.set(address, row)
    const beforeMs = usedMs()
    check?.()
    const chargedMs = usedMs() - beforeMs - certificateCheckFreeMs
    if (chargedMs > 0) freeAtMs.set(address, clock.elapsedMs() + chargedMs * certificateChargeFactor)
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
