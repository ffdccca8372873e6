/** Time as the server sees it. Everything that reads a clock or waits takes one of these, so that tests and simulation own time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number
  /** Milliseconds since some moment of the past. Only differences mean something; nobody who sets the clock, forward or back, changes them. */
  elapsedMs(): number
  /** Calls `callback` once after `delayMs`; the returned function cancels. Never keeps the process alive. */
  after(delayMs: number, callback: () => void): () => void
}

/** The machine's clock. Used by `main`; tests pass their own. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
