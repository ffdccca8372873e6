/** Whether the client takes what waits for it. Made for what may have to wait, an answer or a connection, and asked now and then. */
export class Stalled {
  /** Since when nothing that counts was taken; undefined: nothing waits. */
  private sinceMs: number | undefined
  /** What had been taken then, and how much more counts. */
  private taken = 0
  private wanted = 0

  /** `progressBytes`: bytes that have to be taken to count as progress, or all that waits if that is less. */
  constructor(private readonly progressBytes: number) {}

  /** `waits`: bytes that wait now. `taken`: bytes that were taken ever. Answers for how many milliseconds the client has taken next to nothing of them. */
  forMs(nowMs: number, { waits, taken }: { readonly waits: number; readonly taken: number }): number {
    if (waits === 0) {
      this.sinceMs = undefined
      return 0
    }
    if (this.sinceMs === undefined || taken - this.taken >= this.wanted) {
      this.sinceMs = nowMs
      this.taken = taken
      this.wanted = Math.min(waits, this.progressBytes)
    }
    return nowMs - this.sinceMs
  }
}
