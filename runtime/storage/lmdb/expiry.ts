/** Deletes values whose time to live has passed, by ordinary commits. */
import type { Clock } from "../../base/clock.ts"
import { createExpiryTimer } from "../expiry-timer.ts"
import type { Reader } from "./reader.ts"

export interface Expiry {
  /**
   * Called once a time to live is durable. If it were called earlier, a scan of the store that ends before the write
   * would miss the value.
   */
  due(expiresAtMs: number): void
  /** Called when the store is opened and when it is reopened: schedules values that expired while it was closed. */
  start(): void
  /** Called at close: no further deletion begins. */
  cancel(): void
}

export interface ExpiryOptions {
  readonly clock: Clock
  reader(): Reader
  /** Deletes the value unless it was written again meanwhile; resolves with whether it did. */
  remove(item: { key: string; modRevision: number }): Promise<boolean>
}

/** Values deleted at once. */
const stepValues = 500
/** Delay before a retry when deletions failed or made no progress: retrying at once would keep a core busy. */
const retryAfterMs = 1000

/** Called once per open store. */
export function createExpiry({ clock, reader, remove }: ExpiryOptions): Expiry {
  const timer = createExpiryTimer(clock, () => void expire())
  let expiring = false
  let cancelled = false
  async function expire(): Promise<void> {
    if (expiring) return
    expiring = true
    try {
      const nextMs = await removeDue()
      if (nextMs !== undefined && !cancelled) timer.due(nextMs)
    } catch {
      // The store reports the failure as its fault; the values stay due.
      if (!cancelled) timer.due(clock.nowMs() + retryAfterMs)
    } finally {
      expiring = false
    }
  }
  /**
   * Deletes each value in a commit of its own, so that each deletion has its revision. Resolves with the time when the
   * next one is due.
   */
  async function removeDue(): Promise<number | undefined> {
    while (!cancelled) {
      const { items, nextMs } = reader().due(clock.nowMs(), stepValues)
      if (items.length === 0) return nextMs
      const removed = await Promise.all(items.map(remove))
      if (!removed.includes(true)) return clock.nowMs() + retryAfterMs
    }
    return undefined
  }
  return {
    due: (expiresAtMs) => timer.due(expiresAtMs),
    start() {
      const { nextMs } = reader().due(Number.NEGATIVE_INFINITY, 0)
      if (nextMs !== undefined) timer.due(nextMs)
    },
    cancel() {
      cancelled = true
      timer.cancel()
    },
  }
}
