/** A clock that advances only when a test advances it. */
import type { Clock } from "../../runtime/base/clock.ts"

export interface ManualClock extends Clock {
  /** Advances the clock and runs the callbacks that become due, in order of time. */
  advance(byMs: number): void
  /** When the next callback is due; undefined for none. */
  nextDueMs(): number | undefined
}

/** Starts at a whole second, so that tests can count in seconds from here. */
export function createManualClock(startMs = 1_700_000_000_000): ManualClock {
  const waiting = new Set<{ atMs: number; callback: () => void }>()
  let nowMs = startMs
  function runDue(untilMs: number): boolean {
    const [next] = [...waiting].filter((timer) => timer.atMs <= untilMs).sort((left, right) => left.atMs - right.atMs)
    if (next === undefined) return false
    waiting.delete(next)
    nowMs = Math.max(nowMs, next.atMs)
    next.callback()
    return true
  }
  return {
    nowMs: () => nowMs,
    elapsedMs: () => nowMs - startMs,
    after(delayMs, callback) {
      const timer = { atMs: nowMs + delayMs, callback }
      waiting.add(timer)
      // A callback that is already due runs without `advance`.
      if (delayMs <= 0) setImmediate(() => runDue(nowMs))
      return () => waiting.delete(timer)
    },
    advance(byMs) {
      const untilMs = nowMs + byMs
      while (runDue(untilMs));
      nowMs = untilMs
    },
    nextDueMs() {
      let nextMs: number | undefined
      for (const { atMs } of waiting) if (nextMs === undefined || atMs < nextMs) nextMs = atMs
      return nextMs
    },
  }
}
