/**
 * Two candidates of one election must never consider themselves the leader at the same time; Leases exist to prevent
 * that.
 */
import type { LifeHistory } from "../lives/history.ts"

export function electionFaults({ beliefs }: LifeHistory): string[] {
  return beliefs.flatMap((belief, index) =>
    beliefs
      .slice(0, index)
      .filter((other) => other.candidate !== belief.candidate && other.fromMs < belief.untilMs && belief.fromMs < other.untilMs)
      .map(
        (other) =>
          `elections: ${other.candidate} led from ${other.fromMs} to ${other.untilMs} ms, and ${belief.candidate} from ${belief.fromMs} to ${belief.untilMs} ms`,
      ),
  )
}
