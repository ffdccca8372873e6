/**
 * What all watches together have waiting for clients that take nothing. Each holds little (`watchWaitingBytesMax` and one piece), but there may be thousands
 * of them, and objects may be long. Beyond the budget those that have not moved for a while are ended, the one that holds most first: it resumes from its
 * last event when it reads again. A watch that moves is never ended here.
 */
import type { Logger } from "pino"
import type { Clock } from "../clock.ts"
import { watchOutputBytesMax, watchStillMs } from "../limits.ts"

/** A watch whose client has not taken what was sent. */
export interface HeldUpWatch {
  readonly waitingBytes: number
  /** Ends the stream. */
  giveUp(): void
}

/** One per server. */
export class WatchBudget {
  /** In the order in which they began to wait, with what waited then. */
  private readonly heldUp = new Map<HeldUpWatch, { readonly bytes: number; readonly sinceMs: number }>()
  private used = 0
  private cancel: (() => void) | undefined

  constructor(private readonly options: { readonly clock: Clock; readonly log: Pick<Logger, "warn">; readonly limitBytes?: number }) {}

  /** Bytes that wait in streams that are held up. */
  get usedBytes(): number {
    return this.used
  }

  /** Called when a watch has no room. */
  add(watch: HeldUpWatch): void {
    this.remove(watch)
    const { clock } = this.options
    const bytes = watch.waitingBytes
    this.heldUp.set(watch, { bytes, sinceMs: clock.nowMs() })
    this.used += bytes
    if (this.isOver) this.cancel ??= clock.after(watchStillMs, () => this.look())
  }

  /** Called when it has room again, or is over. */
  remove(watch: HeldUpWatch): void {
    const held = this.heldUp.get(watch)
    if (held === undefined) return
    this.heldUp.delete(watch)
    this.used -= held.bytes
  }

  private get limitBytes(): number {
    return this.options.limitBytes ?? watchOutputBytesMax
  }

  private get isOver(): boolean {
    return this.used > this.limitBytes
  }

  private look(): void {
    this.cancel = undefined
    const { clock, log } = this.options
    const beforeMs = clock.nowMs() - watchStillMs
    const still = [...this.heldUp].filter(([, { sinceMs }]) => sinceMs <= beforeMs).sort(([, left], [, right]) => right.bytes - left.bytes)
    for (const [watch, { bytes }] of still) {
      if (!this.isOver) break
      log.warn(
        { bytes, allBytes: this.used, watchOutputBytesMax: this.limitBytes, watchStillMs },
        "a watch was ended: its client takes nothing, and too much waits for all such clients together",
      )
      this.remove(watch)
      watch.giveUp()
    }
    if (this.isOver) this.cancel = clock.after(watchStillMs, () => this.look())
  }
}
