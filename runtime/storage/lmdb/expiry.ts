/** Deletes values whose time to live has passed, by ordinary commits. */
import type { Clock } from "../../clock.ts"
import { createExpiryTimer } from "../expiry-timer.ts"
import type { Reader } from "./reader.ts"

export interface Expiry {
  /** Called once a time to live is durable: told before, it is overlooked when a look at the store ends before the write. */
  due(expiresAtMs: number): void
  /** Called at open, and when the store was opened anew: what fell due while it was closed goes now. */
  start(): void
  /** Called at close: no deletion begins any more. */
  cancel(): void
}

export interface ExpiryOptions {
  readonly clock: Clock
  reader(): Reader
  /** Deletes the value if it was not written again meanwhile; answers whether it did. */
  remove(item: { key: string; modRevision: number }): Promise<boolean>
}

/** Values deleted in one go. */
const stepValues = 500
/** When deleting failed, or nothing that was due could be deleted, it is tried again after this: a loop without progress would take a core. */
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
      // The store knows the failure as its fault; what is due stays due.
      if (!cancelled) timer.due(clock.nowMs() + retryAfterMs)
    } finally {
      expiring = false
    }
  }
  /** Each value in a commit of its own, so that each deletion has its revision. Answers when the next one is due. */
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
