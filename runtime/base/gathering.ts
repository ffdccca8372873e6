/**
 * Lets work that shares a cost, as writes do, wait for more of it without a timer. While each turn of the event loop
 * brings more, it waits for the next turn; when one brings nothing, the process is about to be idle and the work is
 * done.
 */

const gatheringTurns = 4
/** With many clients one turn takes milliseconds: work that clients wait for is done after this time. */
const gatheringMs = 4

export class Gathering {
  private before = 0
  private turns = 0
  private sinceMs = 0

  /** `elapsedMs` never goes backwards; absent where no client waits: then only turns are counted. */
  constructor(private readonly elapsedMs?: () => number) {}

  /**
   * Called at the end of each turn, with how much there is to do by now. Returns whether it waits for another turn.
   * After false the work is to be done now, and the next call begins again.
   */
  goesOn(gathered: number): boolean {
    if (gathered > this.before && this.turns < gatheringTurns && !this.isLate()) {
      this.before = gathered
      this.turns++
      return true
    }
    this.before = 0
    this.turns = 0
    return false
  }

  private isLate(): boolean {
    if (this.elapsedMs === undefined) return false
    const nowMs = this.elapsedMs()
    if (this.turns === 0) this.sinceMs = nowMs
    return nowMs - this.sinceMs >= gatheringMs
  }
}
