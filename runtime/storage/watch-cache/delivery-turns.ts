/**
 * Queue of deferred deliveries: missed events, and events with so many watchers that delivering to all at once would
 * block the event loop. One queue for a whole cache, so that a thousand watchers that catch up take no more of each
 * turn than one long request does.
 */
import { Turns } from "../../base/turns.ts"

/** One piece of work. */
export interface DeliveryStep {
  /** Does the work and returns its approximate cost in microseconds (see `base/turns.ts`). */
  run(): number
}

/** One per cache. */
export class DeliveryQueue {
  /** Deliveries of live events that exceeded the budget of a turn. */
  private readonly present: DeliveryStep[] = []
  private readonly past: DeliveryStep[] = []
  private lastMark: Mark | undefined
  private readonly turns = new Turns()
  private isRunning = false
  private mustWait = false
  private isPastNext = false

  /** Queues a step of a reader of the past. It runs after the caller has returned, and after all queued steps. */
  add(step: DeliveryStep): void {
    this.past.push(step)
    this.start()
  }

  /**
   * Queues a step that did not fit into this turn of the event loop: it runs in a later one, before most of the past.
   */
  defer(step: DeliveryStep): void {
    this.present.push(step)
    this.mustWait = true
    this.start()
  }

  /** Resolves when every step deferred before has run; undefined when there is none. */
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

  /** Alternates between the queues, so that neither starves. */
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
