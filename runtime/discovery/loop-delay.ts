/** How late the event loop is, for `/metrics`: what every client waits for while one of them is served. */
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks"
import { loopDelayResolutionMs } from "../limits.ts"

/** Seconds. */
export interface LoopDelays {
  readonly min: number
  readonly max: number
  readonly mean: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
}

/**
 * Made once per server; measures until it is stopped. Two histograms run at a time: one that begins sees nothing until its second sample, and what
 * holds the loop right behind a scrape must not be lost.
 */
export class LoopDelayMeter {
  private older = begun()
  private newer = begun()

  /** Called once per scrape. Of the time since the scrape before the last one, or one before that when they came at once. */
  take(): LoopDelays {
    const { older } = this
    if (this.newer.count > 0) {
      older.disable()
      this.older = this.newer
      this.newer = begun()
    }
    if (older.count === 0) return { min: 0, max: 0, mean: 0, p50: 0, p90: 0, p99: 0 }
    return {
      min: late(older.min),
      max: late(older.max),
      mean: late(older.mean),
      p50: late(older.percentile(50)),
      p90: late(older.percentile(90)),
      p99: late(older.percentile(99)),
    }
  }

  stop(): void {
    this.older.disable()
    this.newer.disable()
  }
}

function begun(): IntervalHistogram {
  const histogram = monitorEventLoopDelay({ resolution: loopDelayResolutionMs })
  histogram.enable()
  return histogram
}

/** The histogram holds the time from one sample to the next; what that is above the resolution is the delay. */
function late(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - loopDelayResolutionMs) / 1000
}
