/**
 * A work queue of keys. A key is processed at most once at a time and queued at most once. A failed key is retried with
 * exponential backoff. The work on keys takes turns of the event loop, even if none of it waits.
 */
import type { Clock } from "../base/clock.ts"
import { SharedTurns } from "../base/turns.ts"
import { keyWork } from "../base/work.ts"
import type { Controller, QueueMeter } from "./controller.ts"

export interface WorkQueue extends Controller {
  /** Queues a key. A key that is being processed is processed once more afterwards. */
  add(key: string): void
  /** Queues a key after a delay, unless it is queued before. Of two delays, the one that ends first counts. */
  addAfter(key: string, delayMs: number): void
  /** Resolves when nothing is queued or running, apart from scheduled retries. For tests. */
  idle(): Promise<void>
}

export interface WorkQueueOptions {
  /** Absent: nothing is measured. */
  readonly meter?: QueueMeter
  readonly clock: Clock
  readonly work: (key: string) => Promise<void>
  /** Called for every failure; the retry is automatic. */
  readonly onError: (error: unknown, key: string) => void
  /** Keys processed in parallel; default 1. */
  readonly workers?: number
  /** Delay of the first retry; doubled by each further failure, up to `retryMaxMs`. */
  readonly retryMinMs?: number
  readonly retryMaxMs?: number
}

/** Called by controllers that react to events. Few workers: background work leaves the machine to requests. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  return new KeyedQueue(options)
}

/** Node's timers take no more than 24.8 days; a key that is due later is queued once in between. */
const delayMaxMs = 24 * 3600 * 1000

interface Scheduled {
  readonly dueMs: number
  readonly cancel: () => void
}

class KeyedQueue implements WorkQueue {
  /** Queued keys, with the time since which they wait. */
  private readonly waiting = new Map<string, number>()
  private readonly running = new Set<string>()
  private readonly failures = new Map<string, number>()
  private readonly scheduled = new Map<string, Scheduled>()
  private readonly turns = new SharedTurns()
  private readonly idlers: (() => void)[] = []
  private gathering = false
  private stopped = false

  constructor(private readonly options: WorkQueueOptions) {}

  add(key: string): void {
    if (this.stopped) return
    this.scheduled.get(key)?.cancel()
    this.scheduled.delete(key)
    if (!this.waiting.has(key)) {
      this.waiting.set(key, this.options.clock.elapsedMs())
      this.options.meter?.added()
    }
    if (this.gathering) return
    this.gathering = true
    // Collects the keys of one batch of events before the first is processed.
    void Promise.resolve().then(() => {
      this.gathering = false
      this.begin()
    })
  }

  addAfter(key: string, delayMs: number): void {
    if (this.stopped || this.waiting.has(key)) return
    const { clock } = this.options
    const waitMs = Math.min(Math.max(0, delayMs), delayMaxMs)
    const dueMs = clock.elapsedMs() + waitMs
    const before = this.scheduled.get(key)
    if (before !== undefined && before.dueMs <= dueMs) return
    before?.cancel()
    this.scheduled.set(key, { dueMs, cancel: clock.after(waitMs, () => this.add(key)) })
  }

  async idle(): Promise<void> {
    if (this.busy()) await new Promise<void>((resolve) => this.idlers.push(resolve))
  }

  async stop(): Promise<void> {
    this.stopped = true
    this.waiting.clear()
    for (const { cancel } of this.scheduled.values()) cancel()
    this.scheduled.clear()
    await this.idle()
  }

  private begin(): void {
    const { workers = 1 } = this.options
    while (this.running.size < workers && !this.stopped) {
      const key = this.next()
      if (key === undefined) break
      const { clock, meter } = this.options
      const ended = meter?.begun(clock.elapsedMs() - (this.waiting.get(key) ?? 0))
      this.waiting.delete(key)
      this.running.add(key)
      void this.attempt(key).then(ended)
    }
    if (!this.busy()) for (const tell of this.idlers.splice(0)) tell()
  }

  /** The first queued key that is not being processed. */
  private next(): string | undefined {
    for (const key of this.waiting.keys()) if (!this.running.has(key)) return key
    return undefined
  }

  private async attempt(key: string): Promise<void> {
    try {
      await this.options.work(key)
      this.failures.delete(key)
    } catch (error) {
      this.options.onError(error, key)
      this.retry(key)
    }
    const pause = this.turns.pause(keyWork)
    if (pause !== undefined) await pause
    this.running.delete(key)
    this.begin()
  }

  private retry(key: string): void {
    const { meter, retryMinMs = 50, retryMaxMs = 60_000 } = this.options
    const failed = this.failures.get(key) ?? 0
    this.failures.set(key, failed + 1)
    if (this.stopped || this.waiting.has(key)) return
    meter?.retried()
    this.addAfter(key, Math.min(retryMinMs * 2 ** Math.min(failed, 16), retryMaxMs))
  }

  private busy(): boolean {
    return this.waiting.size > 0 || this.running.size > 0
  }
}
