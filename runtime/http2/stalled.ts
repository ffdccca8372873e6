/** Measures whether a client takes waiting bytes. Created for an answer or a connection, called at intervals. */
export class Stalled {
  /** The time of the last progress; undefined if nothing waits. */
  private sinceMs: number | undefined
  /** The bytes taken until then, and how many more count as progress. */
  private taken = 0
  private wanted = 0

  /** `progressBytes`: the bytes that count as progress when taken. If fewer wait, taking them suffices. */
  constructor(private readonly progressBytes: number) {}

  /**
   * `waits`: bytes that wait now. `taken`: all bytes taken so far. Returns for how many milliseconds the client has
   * made no progress.
   */
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
