/**
 * Schedules the deletion of values whose time to live has passed in an embedded store. One timer per store, for any
 * number of values.
 */
import type { Clock } from "../base/clock.ts"

export interface ExpiryTimer {
  /** Called for every value written with a time to live, and at start for the value that is due first. */
  due(expiresAtMs: number): void
  cancel(): void
}

/** Values due within the same interval expire together, up to this much late. Leases of etcd are no more precise. */
const intervalMs = 1000
/** The longest delay the platform's timers are trusted with. After it the store checks again. */
const longestWaitMs = 3_600_000

/** `expire` deletes the values that are due and calls `due` for the next one. */
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
