/** Waits until a storm of changes is over: editors write a file in several steps, and tools write many files. */
import type { Clock } from "../base/clock.ts"

/** After this long without a change the changes are complete. */
const quietMs = 25
/** Changes that never pause are acted on after this long. */
const patienceMs = 300

/** Created once per program. */
export class Settle {
  private firstMs: number | undefined
  private cancel = (): void => {}

  /** `act` gets the time of the first change, in milliseconds of `clock.elapsedMs()`. */
  constructor(
    private readonly clock: Clock,
    private readonly act: (firstMs: number) => void,
  ) {}

  /** Called for each change. */
  changed(): void {
    const now = this.clock.elapsedMs()
    this.firstMs ??= now
    const first = this.firstMs
    this.cancel()
    this.cancel = this.clock.after(Math.max(0, Math.min(quietMs, first + patienceMs - now)), () => {
      this.firstMs = undefined
      this.act(first)
    })
  }

  /** Forgets changes that have not been acted on. */
  stop(): void {
    this.cancel()
    this.firstMs = undefined
  }
}
