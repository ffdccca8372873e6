/** Whether the client takes what waits for it. */
import { writeProgressBytes } from "../limits.ts"

/** Answers whose readers may stop for as long as they like. */
const patient = new WeakSet<object>()

/**
 * Called with an answer that is passed on from another machine, logs that somebody pages through for example: it holds no more than what is on its way,
 * and its reader is not ended for stopping.
 */
export function letWait(outgoing: object): void {
  patient.add(outgoing)
}

/** Whether `letWait` was called with it. */
export function mayWait(outgoing: object): boolean {
  return patient.has(outgoing)
}

/** Made for what may have to wait, an answer or a connection, and asked now and then. */
export class Stalled {
  /** Since when nothing that counts was taken; undefined: nothing waits. */
  private sinceMs: number | undefined
  /** What had been taken then, and how much more counts. */
  private taken = 0
  private wanted = 0

  /** `waits`: bytes that wait now. `taken`: bytes that were taken ever. Answers for how many milliseconds the client has taken next to nothing of them. */
  forMs(nowMs: number, { waits, taken }: { readonly waits: number; readonly taken: number }): number {
    if (waits === 0) {
      this.sinceMs = undefined
      return 0
    }
    if (this.sinceMs === undefined || taken - this.taken >= this.wanted) {
      this.sinceMs = nowMs
      this.taken = taken
      this.wanted = Math.min(waits, writeProgressBytes)
    }
    return nowMs - this.sinceMs
  }
}
