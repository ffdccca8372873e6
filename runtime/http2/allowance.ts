import type { ElapsedClock } from "./surroundings.ts"

/** How often something may happen: so many times at once, and so many times a second in the long run. */
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

  /** Called each time it happens. False: it happens too often. */
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
