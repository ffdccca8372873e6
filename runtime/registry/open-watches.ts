/**
 * The watches that are open, and one timer for the bookmarks and ends of all of them: a thousand watchers with a timer each would cost a thousand
 * timers, and node a list for every length of time.
 */
import type { Clock } from "../base/clock.ts"
import { watchTimerStepMs } from "../base/limits.ts"
import { Turns } from "../base/turns.ts"

/** A watch as its timer sees it. */
export interface TimedWatch {
  /** Bytes that its client has not taken yet. */
  readonly waitingBytes: number
  /** Does what is due, and answers when it wants to be called again; Infinity: never. */
  due(nowMs: number): number
  /** Called when the server stops. */
  stop(): void
}

/** What a timer of node can wait at most; whoever wants to wait longer is looked at in between. */
const longestWaitMs = 2 ** 31 - 1

/** Microseconds that a bookmark or the end of a watch takes, about. */
const dueWork = 10

/** One per server. */
export class OpenWatches {
  private readonly slots = new Map<TimedWatch, number>()
  /** Watches by the step in which they are due. */
  private readonly bySlot = new Map<number, Set<TimedWatch>>()
  private armedForSlot = Number.POSITIVE_INFINITY
  private cancel: (() => void) | undefined

  /** `stopping`: aborted when the server stops, which ends every watch. */
  constructor(
    private readonly clock: Clock,
    private readonly stopping: AbortSignal,
  ) {
    stopping.addEventListener("abort", () => {
      for (const watch of [...this.slots.keys()]) watch.stop()
    })
  }

  /** How many watches are open; for tests. */
  get size(): number {
    return this.slots.size
  }

  /** What waits for all of them, with frames that they share counted for each; for tests. */
  get waitingBytes(): number {
    let bytes = 0
    for (const watch of this.slots.keys()) bytes += watch.waitingBytes
    return bytes
  }

  /** Called once per watch; its `due` is called at `dueMs`, or less than a step later. One that comes too late is stopped at once. */
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

  /** Called when a watch is over, however often. */
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
    const waitMs = slot * watchTimerStepMs - this.clock.nowMs()
    this.cancel = this.clock.after(Math.min(Math.max(waitMs, 0), longestWaitMs), () => void this.run())
  }

  private disarm(): void {
    this.cancel?.()
    this.cancel = undefined
    this.armedForSlot = Number.POSITIVE_INFINITY
  }

  /** Thousands may be due in one step: clients that come back together ask for their bookmarks together. */
  private async run(): Promise<void> {
    this.disarm()
    const dueSlot = Math.floor(this.clock.nowMs() / watchTimerStepMs)
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
      this.call(watch, this.clock.nowMs())
    }
  }

  private call(watch: TimedWatch, nowMs: number): void {
    if (!this.slots.has(watch)) return
    const dueMs = watch.due(nowMs)
    // It may have ended, which took it out.
    if (this.slots.has(watch)) this.add(watch, Math.max(dueMs, nowMs + watchTimerStepMs))
  }
}
