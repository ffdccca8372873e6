import type { ElapsedClock } from "./surroundings.ts"

/** A rate limit: a burst at once, and a number per second in the long run. */
export class Allowance {
  private left: number
  private untilMs: number

  constructor(
    private readonly options: { readonly burst: number; readonly perSecond: number },
    private readonly clock: ElapsedClock,
  ) {
    this.left = options.burst
    this.untilMs = clock.elapsedMs()
  }

  /** Called for each event. False if there are too many. */
  take(): boolean {
    this.refill()
    if (this.left < 1) return false
    this.left--
    return true
  }

  private refill(): void {
    const { burst, perSecond } = this.options
    const nowMs = this.clock.elapsedMs()
    this.left = Math.min(burst, this.left + ((nowMs - this.untilMs) * perSecond) / 1000)
    this.untilMs = nowMs
  }
}
