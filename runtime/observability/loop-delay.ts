/** Measures the delay of the event loop for `/metrics`: the time that all clients wait while one of them is served. */
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks"
import { loopDelayResolutionMs } from "../base/limits.ts"

/** In seconds. */
export interface LoopDelays {
  readonly min: number
  readonly max: number
  readonly mean: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
}

/** Where nothing was measured. */
export const noDelays: LoopDelays = { min: 0, max: 0, mean: 0, p50: 0, p90: 0, p99: 0 }

/** Delays of the event loop, measured until stopped. */
export interface LoopMeter {
  /** Called once per scrape: the delays since the scrape before the last one. */
  take(): LoopDelays
  stop(): void
}

/**
 * Created once per server; measures until stopped. Runs two histograms at a time: a new one records nothing before its
 * second sample, and a delay right after a scrape must not be lost.
 */
export class LoopDelayMeter implements LoopMeter {
  private older = begun()
  private newer = begun()

  /**
   * Called once per scrape. Covers the time since the scrape before the last one, or since an earlier one if scrapes
   * follow each other closely.
   */
  take(): LoopDelays {
    const { older } = this
    if (this.newer.count > 0) {
      older.disable()
      this.older = this.newer
      this.newer = begun()
    }
    if (older.count === 0) return noDelays
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

/** The histogram records the time between two samples; what exceeds the resolution is the delay. */
function late(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - loopDelayResolutionMs) / 1000
}
