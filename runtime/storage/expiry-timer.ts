/** When an embedded store looks for values whose time to live has passed. One timer per store, however many values. */
import type { Clock } from "../clock.ts"

export interface ExpiryTimer {
  /** Called for every value written with a time to live, and at start for the first that is due. */
  due(expiresAtMs: number): void
  cancel(): void
}

/** Values that are due within one such interval go together, up to that much late: etcd's leases are no finer. */
const intervalMs = 1000
/** The longest a timer of the platform waits for sure; after that the store merely looks once more. */
const longestWaitMs = 3_600_000

/** `expire` deletes what is due and calls `due` for what comes next. */
export function createExpiryTimer(clock: Clock, expire: () => void): ExpiryTimer {
  let waiting: { atMs: number; cancel: () => void } | undefined
  function cancel(): void {
    waiting?.cancel()
    waiting = undefined
  }
  function due(expiresAtMs: number): void {
    const nowMs = clock.nowMs()
    const atMs = Math.min(Math.ceil(Math.max(expiresAtMs, nowMs) / intervalMs) * intervalMs, nowMs + longestWaitMs)
    if (waiting !== undefined && waiting.atMs <= atMs) return
    cancel()
    const stop = clock.after(atMs - nowMs, () => {
      waiting = undefined
      expire()
    })
    waiting = { atMs, cancel: stop }
  }
  return { due, cancel }
}
