import type { Clock } from "../../base/clock.ts"
import type { Decision } from "../../base/decision.ts"

interface Kept {
  readonly decision: Decision
  readonly untilMs: number
}

/**
 * Caches decisions by question, each for its own time. With more than `max` decisions, drops the least recently used.
 */
export class DecisionCache {
  private readonly kept = new Map<string, Kept>()

  constructor(
    private readonly clock: Clock,
    private readonly max: number,
  ) {}

  get(question: string): Decision | undefined {
    const found = this.kept.get(question)
    if (found === undefined) return undefined
    this.kept.delete(question)
    if (this.clock.elapsedMs() >= found.untilMs) return undefined
    this.kept.set(question, found)
    return found.decision
  }

  put(question: string, decision: Decision, ms: number): void {
    this.kept.delete(question)
    this.kept.set(question, { decision, untilMs: this.clock.elapsedMs() + ms })
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= this.max) return
      this.kept.delete(oldest)
    }
  }
}
