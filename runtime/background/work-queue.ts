/** Work by key: each key at most once at a time and at most once waiting; what fails is tried again later, ever more seldom. */
import type { Clock } from "../clock.ts"
import type { Loop } from "./loop.ts"

export interface WorkQueue extends Loop {
  /** Asks for the work on a key; one that is being worked on is done once more afterwards. */
  add(key: string): void
  /** Resolves when nothing waits or runs but retries. For tests. */
  idle(): Promise<void>
}

export interface WorkQueueOptions {
  readonly clock: Clock
  readonly work: (key: string) => Promise<void>
  /** Told of every failure; the key is tried again by itself. */
  readonly onError: (error: unknown, key: string) => void
  /** Until the first retry; doubled by each further failure up to `retryMaxMs`. */
  readonly retryMinMs?: number
  readonly retryMaxMs?: number
}

/** Called by loops that react to events. One key is worked on at a time: background work leaves the machine to requests. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { clock, work, onError, retryMinMs = 50, retryMaxMs = 60_000 } = options
  const waiting = new Set<string>()
  const failures = new Map<string, number>()
  const cancels = new Map<string, () => void>()
  let running: Promise<void> | undefined
  let stopped = false

  function add(key: string): void {
    if (stopped) return
    cancels.get(key)?.()
    cancels.delete(key)
    waiting.add(key)
    running ??= run()
  }

  async function run(): Promise<void> {
    // Keys of one batch of events are gathered before the first is worked on.
    await Promise.resolve()
    for (let key = first(waiting); key !== undefined && !stopped; key = first(waiting)) {
      waiting.delete(key)
      await attempt(key)
    }
    running = undefined
  }

  async function attempt(key: string): Promise<void> {
    try {
      await work(key)
      failures.delete(key)
    } catch (error) {
      onError(error, key)
      retry(key)
    }
  }

  function retry(key: string): void {
    const failed = failures.get(key) ?? 0
    failures.set(key, failed + 1)
    if (stopped || waiting.has(key)) return
    const cancel = clock.after(Math.min(retryMinMs * 2 ** Math.min(failed, 16), retryMaxMs), () => {
      cancels.delete(key)
      add(key)
    })
    cancels.set(key, cancel)
  }

  return {
    add,
    async idle() {
      while (running !== undefined) await running
    },
    async stop() {
      stopped = true
      waiting.clear()
      for (const cancel of cancels.values()) cancel()
      cancels.clear()
      await running
    },
  }
}

function first(keys: Set<string>): string | undefined {
  for (const key of keys) return key
  return undefined
}
