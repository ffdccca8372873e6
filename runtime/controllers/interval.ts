/** Runs a task at regular intervals. The interval starts when a run ends, so runs never overlap. */
import type { Clock } from "../base/clock.ts"
import type { Controller } from "./controller.ts"

export interface IntervalOptions {
  readonly clock: Clock
  readonly intervalMs: number
  readonly task: () => Promise<void>
  /** Delay after a failed run; default `intervalMs`. */
  readonly retryMs?: number
  /** Called for every failure. */
  readonly onError: (error: unknown) => void
  /** Whether the first run starts immediately. */
  readonly atOnce?: boolean
}

/** Called by controllers that act on time instead of events. */
export function runEvery(options: IntervalOptions): Controller {
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
