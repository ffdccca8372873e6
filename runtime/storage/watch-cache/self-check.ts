/**
 * Compares every resource with the store periodically while the cache is open (the reference does so every five minutes
 * as well). A cache that differs has missed or invented events, and so have its clients: the difference is logged and
 * counted, the clients' watches end so that they list again, and the resource is read again.
 */
import type { Clock } from "../../base/clock.ts"
import type { Verification } from "./verification.ts"

/** Number of comparisons of one resource by outcome. `error`: the store could not be read. */
export interface CheckCounts {
  /** Storage path. */
  readonly resource: string
  readonly success: number
  readonly failure: number
  readonly error: number
}

interface SelfCheckOptions {
  readonly clock: Clock
  /** From the end of one round to the beginning of the next; 0: never. */
  readonly intervalMs: number
  /** Resources that are filled, in any order. Called at the beginning of each round. */
  readonly resources: () => readonly string[]
  /** Throws when the store cannot be read. */
  readonly verify: (resource: string) => Promise<Verification>
  /** Called with each comparison that does not match. */
  readonly onMismatch: (verification: Verification) => void
}

type Outcome = "success" | "failure" | "error"

/** One per cache. */
export class SelfCheck {
  private readonly outcomes = new Map<string, Record<Outcome, number>>()
  private cancel = (): void => {}
  private stopped = false

  constructor(private readonly options: SelfCheckOptions) {}

  /** Called once, when the cache opens. */
  start(): void {
    const { clock, intervalMs } = this.options
    if (intervalMs > 0 && !this.stopped) this.cancel = clock.after(intervalMs, () => void this.round().then(() => this.start()))
  }

  stop(): void {
    this.stopped = true
    this.cancel()
  }

  /** For metrics. */
  counts(): CheckCounts[] {
    return [...this.outcomes].map(([resource, outcomes]) => ({ resource, ...outcomes }))
  }

  /** One resource after the other: a check is not urgent, and the store has other requests to serve. */
  private async round(): Promise<void> {
    for (const resource of this.options.resources()) {
      if (this.stopped) return
      const outcomes = this.outcomes.get(resource) ?? { success: 0, failure: 0, error: 0 }
      this.outcomes.set(resource, outcomes)
      outcomes[await this.check(resource)]++
    }
  }

  private async check(resource: string): Promise<Outcome> {
    try {
      const verification = await this.options.verify(resource)
      if (verification.matches || this.stopped) return "success"
      this.options.onMismatch(verification)
      return "failure"
    } catch {
      // Health reports a store that cannot be read; there is nothing to compare with.
      return "error"
    }
  }
}
