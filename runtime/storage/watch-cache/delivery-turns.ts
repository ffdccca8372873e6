/**
 * What is told to watchers later than at once: what they missed, and events that so many watch that telling all of them would hold up the loop. One queue
 * for a whole cache, so that a thousand watchers that catch up take no more of each turn of the event loop than one long request does.
 */
import { Turns } from "../../turns.ts"

/** One piece of work. */
export interface DeliveryStep {
  /** Answers what it did, in microseconds that it takes, about: see `turns.ts`. */
  run(): number
}

/** One per cache. */
export class DeliveryTurns {
  /** Watchers of the present, whose turn came while there was more to do than one turn may hold. */
  private readonly present: DeliveryStep[] = []
  private readonly past: DeliveryStep[] = []
  private lastMark: Mark | undefined
  private readonly turns = new Turns()
  private isRunning = false
  private mustWait = false
  private isPastNext = false

  /** Called with a step of somebody who reads the past. Runs after the caller has returned, behind all that wait. */
  add(step: DeliveryStep): void {
    this.past.push(step)
    this.start()
  }

  /** Called with a step that did not fit into this turn of the event loop: it comes in the next or later, before much of the past. */
  defer(step: DeliveryStep): void {
    this.present.push(step)
    this.mustWait = true
    this.start()
  }

  /** Resolves when all that was deferred before has had its step; undefined when nothing is. */
  caughtUp(): Promise<void> | undefined {
    const last = this.present.at(-1)
    if (last === undefined) return undefined
    if (last === this.lastMark) return this.lastMark.passed
    const mark = new Mark()
    this.lastMark = mark
    this.present.push(mark)
    return mark.passed
  }

  private start(): void {
    if (this.isRunning) return
    this.isRunning = true
    queueMicrotask(() => void this.run())
  }

  private async run(): Promise<void> {
    while (this.present.length + this.past.length > 0) {
      if (this.mustWait) {
        this.mustWait = false
        await this.turns.next()
      }
      const step = this.next()
      if (step !== undefined && this.turns.isOver(step.run())) this.mustWait = true
    }
    this.isRunning = false
  }

  /** Both in turn when both wait, so that neither starves. */
  private next(): DeliveryStep | undefined {
    this.isPastNext = !this.isPastNext
    return this.isPastNext ? (this.past.shift() ?? this.present.shift()) : (this.present.shift() ?? this.past.shift())
  }
}

class Mark implements DeliveryStep {
  private resolve: () => void = () => {}
  readonly passed = new Promise<void>((resolve) => {
    this.resolve = resolve
  })

  run(): number {
    this.resolve()
    return 0
  }
}
