/** Work at regular intervals, counted from the end of the last run: runs never overlap. */
import type { Clock } from "../clock.ts"
import type { Loop } from "./loop.ts"

export interface EveryOptions {
  readonly clock: Clock
  readonly intervalMs: number
  readonly task: () => Promise<void>
  /** Told of every failure; the next run is at its time all the same. */
  readonly onError: (error: unknown) => void
  /** Also run at once. */
  readonly atOnce?: boolean
}

/** Called by loops that look at the clock rather than at events. */
export function every(options: EveryOptions): Loop {
  const { clock, intervalMs, task, onError } = options
  let stopped = false
  let cancel = (): void => {}
  let running: Promise<void> = Promise.resolve()

  async function run(): Promise<void> {
    try {
      await task()
    } catch (error) {
      onError(error)
    }
    schedule()
  }

  function schedule(): void {
    if (stopped) return
    cancel = clock.after(intervalMs, () => {
      running = run()
    })
  }

  if (options.atOnce === true) running = run()
  else schedule()
  return {
    async stop() {
      stopped = true
      cancel()
      await running
    },
  }
}
