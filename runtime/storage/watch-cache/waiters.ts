/** Reads that wait until the cache reaches a revision. */
import type { Clock } from "../../base/clock.ts"

interface Waiter {
  readonly revision: number
  readonly settle: (reached: boolean) => void
}

/** One per resource. */
export class Waiters {
  private readonly waiting = new Set<Waiter>()

  constructor(private readonly clock: Clock) {}

  get isEmpty(): boolean {
    return this.waiting.size === 0
  }

  /**
   * Resolves with true once `whenReached` was called with `revision` or more, and with false when `timeoutMs` passed
   * first or the cache was closed.
   */
  wait(revision: number, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (reached: boolean): void => {
        this.waiting.delete(waiter)
        cancel()
        resolve(reached)
      }
      const waiter: Waiter = { revision, settle }
      this.waiting.add(waiter)
      const cancel = this.clock.after(timeoutMs, () => settle(false))
    })
  }

  /** Called after every batch. */
  reached(revision: number): void {
    for (const waiter of this.waiting) if (waiter.revision <= revision) waiter.settle(true)
  }

  /** Called when the cache closes. */
  giveUp(): void {
    for (const waiter of this.waiting) waiter.settle(false)
  }
}
