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
  /** Keys that are worked on at once; default 1. */
  readonly workers?: number
  /** Until the first retry; doubled by each further failure up to `retryMaxMs`. */
  readonly retryMinMs?: number
  readonly retryMaxMs?: number
}

/** Called by loops that react to events. Few workers: background work leaves the machine to requests. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { clock, work, onError, workers = 1, retryMinMs = 50, retryMaxMs = 60_000 } = options
  const waiting = new Set<string>()
  const running = new Set<string>()
  const failures = new Map<string, number>()
  const cancels = new Map<string, () => void>()
  const told: (() => void)[] = []
  let gathering = false
  let stopped = false

  function add(key: string): void {
    if (stopped) return
    cancels.get(key)?.()
    cancels.delete(key)
    waiting.add(key)
    if (gathering) return
    gathering = true
    // Keys of one batch of events are gathered before the first is worked on.
    void Promise.resolve().then(begin)
  }

  function begin(): void {
    gathering = false
    while (running.size < workers && !stopped) {
      const key = firstIn(waiting, running)
      if (key === undefined) break
      waiting.delete(key)
      running.add(key)
      void attempt(key)
    }
    if (!busy()) for (const tell of told.splice(0)) tell()
  }

  async function attempt(key: string): Promise<void> {
    try {
      await work(key)
      failures.delete(key)
    } catch (error) {
      onError(error, key)
      retry(key)
    }
    running.delete(key)
    begin()
  }

  function retry(key: string): void {
    const failed = failures.get(key) ?? 0
    failures.set(key, failed + 1)
    if (stopped || waiting.has(key)) return
    const again = (): void => {
      cancels.delete(key)
      add(key)
    }
    cancels.set(key, clock.after(Math.min(retryMinMs * 2 ** Math.min(failed, 16), retryMaxMs), again))
  }

  const busy = (): boolean => waiting.size > 0 || running.size > 0

  const idle = (): Promise<void> => (busy() ? new Promise((resolve) => told.push(resolve)) : Promise.resolve())

  function stop(): Promise<void> {
    stopped = true
    waiting.clear()
    for (const cancel of cancels.values()) cancel()
    cancels.clear()
    return idle()
  }

  return { add, idle, stop }
}

/** The first that waits and is not being worked on. */
function firstIn(waiting: ReadonlySet<string>, running: ReadonlySet<string>): string | undefined {
  for (const key of waiting) if (!running.has(key)) return key
  return undefined
}
