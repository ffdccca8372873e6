/** Work at regular intervals, counted from the end of the last run: runs never overlap. */
import type { Clock } from "../clock.ts"
import type { Loop } from "./loop.ts"

export interface EveryOptions {
  readonly clock: Clock
  readonly intervalMs: number
  readonly task: () => Promise<void>
  /** Until the run after one that failed; default `intervalMs`. */
  readonly retryMs?: number
  /** Told of every failure. */
  readonly onError: (error: unknown) => void
  /** Also run at once. */
  readonly atOnce?: boolean
}

/** Called by loops that look at the clock rather than at events. */
export function every(options: EveryOptions): Loop {
  const { clock, intervalMs, retryMs = intervalMs, task, onError } = options
  let stopped = false
  let cancel = (): void => {}
  let running: Promise<void> = Promise.resolve()

  async function run(): Promise<void> {
    let waitMs = intervalMs
    try {
      await task()
    } catch (error) {
      onError(error)
      waitMs = retryMs
    }
    schedule(waitMs)
  }

  function schedule(waitMs: number): void {
    if (stopped) return
    cancel = clock.after(waitMs, () => {
      running = run()
    })
  }

  if (options.atOnce === true) running = run()
  else schedule(intervalMs)
  return {
    async stop() {
      stopped = true
      cancel()
      await running
    },
  }
}
