/** Time of the simulation. Waits count elapsed time; what a clock shows can be stepped, as an operator or a time service steps it. */
import type { Clock } from "../../../runtime/clock.ts"
import { createManualClock } from "../../contract/manual-clock.ts"

export interface SimClock {
  /** Lets time pass; what falls due runs, of processes that live. */
  advance(byMs: number): void
  /** Milliseconds that have passed since the beginning. */
  elapsedMs(): number
  /** When the next callback falls due, in milliseconds from now; undefined while nothing waits. */
  nextDueInMs(): number | undefined
  /** The clock of one machine. */
  machine(): MachineClock
}

export interface MachineClock {
  /** Makes the clock show so much more, or less, without time having passed. */
  step(byMs: number): void
  /** What it shows, and how often it has been stepped. */
  shown(): { readonly ms: number; readonly steps: number }
  /** The clock as one process on the machine has it. Its callbacks die with it. */
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
