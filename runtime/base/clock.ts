/**
 * The clock and timers of the server. All code that reads the time or waits uses one, so that tests and the simulation
 * control time.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number
  /**
   * Milliseconds since an arbitrary moment in the past. Only differences are meaningful; setting the system clock does
   * not affect them.
   */
  elapsedMs(): number
  /** Calls `callback` once after `delayMs`; the returned function cancels it. Does not keep the process alive. */
  after(delayMs: number, callback: () => void): () => void
}

/** The machine's clock, for production; tests pass their own. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
