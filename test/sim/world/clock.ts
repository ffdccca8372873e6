/**
 * Time of the simulation. Delays count elapsed time; an operator or a time service can step the time that a clock
 * shows.
 */
import type { Clock } from "../../../runtime/base/clock.ts"
import { createManualClock } from "../../contract/manual-clock.ts"

export interface SimClock {
  /** Advances time and runs the due callbacks of living processes. */
  advance(byMs: number): void
  /** Milliseconds since the beginning. */
  elapsedMs(): number
  /** Milliseconds until the next callback is due; undefined for none. */
  nextDueInMs(): number | undefined
  /** The clock of one machine. */
  machine(): MachineClock
}

export interface MachineClock {
  /** Changes the time that the clock shows, without elapsed time. */
  step(byMs: number): void
  /** The time that it shows, and how often it has been stepped. */
  shown(): { readonly ms: number; readonly steps: number }
  /** The clock of one process on the machine. Its callbacks die with it. */
  process(): { readonly clock: Clock; kill(): void }
}

/** Called once per simulation. */
export function createSimClock(): SimClock {
  const base = createManualClock()
  function machine(): MachineClock {
    let offsetMs = 0
    let steps = 0
    return {
      step(byMs) {
        offsetMs += byMs
        steps++
      },
      shown: () => ({ ms: base.nowMs() + offsetMs, steps }),
      process() {
        let alive = true
        const clock: Clock = {
          nowMs: () => base.nowMs() + offsetMs,
          elapsedMs: base.elapsedMs,
          after: (delayMs, callback) =>
            base.after(delayMs, () => {
              if (alive) callback()
            }),
        }
        return {
          clock,
          kill() {
            alive = false
          },
        }
      },
    }
  }
  return {
    advance: (byMs) => base.advance(byMs),
    elapsedMs: base.elapsedMs,
    nextDueInMs() {
      const dueMs = base.nextDueMs()
      return dueMs === undefined ? undefined : dueMs - base.nowMs()
    },
    machine,
  }
}
