/**
 * The open watches, and one timer for the bookmarks and ends of all of them: a timer for each of a thousand watches
 * would cost a thousand timers, and Node keeps a list for each duration.
 */
import type { Clock } from "../base/clock.ts"
import { watchTimerStepMs } from "../base/limits.ts"
import { Turns } from "../base/turns.ts"

/** A watch as `OpenWatches` calls it. */
export interface TimedWatch {
  /** Bytes sent that the client has not read yet. */
  readonly waitingBytes: number
  /** Sends or ends what is due. Returns the elapsed milliseconds of its next call; Infinity: never. */
  due(elapsedMs: number): number
  /** Called when the server stops. */
  stop(): void
}

/** The longest delay of a Node timer. Longer waits take several timers. */
const longestWaitMs = 2 ** 31 - 1

/** Approximate time for a bookmark or the end of a watch, in microseconds. */
const dueWork = 10

/** One per server. */
export class OpenWatches {
  private readonly slots = new Map<TimedWatch, number>()
  /** Watches by the timer step in which they are due. */
  private readonly bySlot = new Map<number, Set<TimedWatch>>()
  private armedForSlot = Number.POSITIVE_INFINITY
  private cancel: (() => void) | undefined

  /** `stopping`: aborted when the server stops, which stops every watch. */
  constructor(
    private readonly clock: Clock,
    private readonly stopping: AbortSignal,
  ) {
    stopping.addEventListener("abort", () => {
      for (const watch of [...this.slots.keys()]) watch.stop()
    })
  }

  /** The number of open watches; for tests. */
  get size(): number {
    return this.slots.size
  }

  /** Unread bytes of all watches, where a shared frame counts for each of them; for tests. */
  get waitingBytes(): number {
    let bytes = 0
    for (const watch of this.slots.keys()) bytes += watch.waitingBytes
    return bytes
  }

  /**
   * Called once per watch. Calls its `due` at `dueMs` of elapsed time, or less than a timer step later: a clock that is
   * set ends no watch. Stops the watch at once if the server is already stopping.
   */
  open(watch: TimedWatch, dueMs: number): void {
    this.add(watch, dueMs)
    if (this.stopping.aborted) watch.stop()
  }

  private add(watch: TimedWatch, dueMs: number): void {
    const slot = Math.ceil(dueMs / watchTimerStepMs)
    this.slots.set(watch, slot)
    if (slot === Number.POSITIVE_INFINITY) return
    const others = this.bySlot.get(slot)
    if (others === undefined) this.bySlot.set(slot, new Set([watch]))
    else others.add(watch)
    if (slot < this.armedForSlot) this.arm(slot)
  }

  /** Called when a watch has ended. Further calls do nothing. */
  remove(watch: TimedWatch): void {
    const slot = this.slots.get(watch)
    if (slot === undefined) return
    this.slots.delete(watch)
    const others = this.bySlot.get(slot)
    if (others?.delete(watch) === true && others.size === 0) this.bySlot.delete(slot)
    if (this.slots.size === 0) this.disarm()
  }

  private arm(slot: number): void {
    this.disarm()
    this.armedForSlot = slot
    const waitMs = slot * watchTimerStepMs - this.clock.elapsedMs()
    this.cancel = this.clock.after(Math.min(Math.max(waitMs, 0), longestWaitMs), () => void this.run())
  }

  private disarm(): void {
    this.cancel?.()
    this.cancel = undefined
    this.armedForSlot = Number.POSITIVE_INFINITY
  }

  /**
   * Takes turns, since thousands may be due in one step: clients that reconnect together share their bookmark times.
   */
  private async run(): Promise<void> {
    this.disarm()
    const dueSlot = Math.floor(this.clock.elapsedMs() / watchTimerStepMs)
    const due: TimedWatch[] = []
    let next = Number.POSITIVE_INFINITY
    for (const [slot, watches] of [...this.bySlot]) {
      if (slot > dueSlot) next = Math.min(next, slot)
      else {
        this.bySlot.delete(slot)
        for (const watch of watches) due.push(watch)
      }
    }
    if (next < this.armedForSlot) this.arm(next)
    const turns = new Turns()
    for (const watch of due) {
      if (turns.isOver(dueWork)) await turns.next()
      this.call(watch, this.clock.elapsedMs())
    }
  }

  private call(watch: TimedWatch, elapsedMs: number): void {
    if (!this.slots.has(watch)) return
    const dueMs = watch.due(elapsedMs)
    // `due` may have ended the watch, which removed it.
    if (this.slots.has(watch)) this.add(watch, Math.max(dueMs, elapsedMs + watchTimerStepMs))
  }
}
