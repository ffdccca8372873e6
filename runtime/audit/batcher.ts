/** Mode `batch`: events wait for each other in memory and are stored together, while their requests go on. */
import type { Clock } from "../base/clock.ts"
import { type AuditEvent, sizeOf } from "./event.ts"
import { auditWaitingBytesMax } from "./limits.ts"

export interface BatcherOptions {
  readonly clock: Clock
  /** Events that may wait; further ones are dropped. */
  readonly bufferSize: number
  readonly maxBatchSize: number
  /** Milliseconds that a batch waits if it is not full. */
  readonly maxBatchWaitMs: number
  /** Batches per second, and the number that may begin together after a pause. */
  readonly throttle?: { readonly qps: number; readonly burst: number } | undefined
  /** Batches that may be in storage at the same time. */
  readonly atOnce: number
  /** Stores a batch. Never rejects. */
  readonly store: (batch: readonly AuditEvent[]) => Promise<void> | undefined
  /** Called with the number of events that were dropped. */
  readonly dropped: (events: number) => void
}

export class Batcher {
  private waiting: AuditEvent[] = []
  /** Size of events that wait or are being stored. */
  private bytes = 0
  private storing = 0
  /** Batches that may begin now; refilled over time. */
  private tokens: number
  private refilledMs: number
  private isScheduled = false
  private cancelWait: (() => void) | undefined
  /** A batch is due although it is not full. */
  private isDue = false
  private whenDone: (() => void) | undefined
  private isStopping = false

  constructor(private readonly options: BatcherOptions) {
    this.tokens = options.throttle?.burst ?? 0
    this.refilledMs = options.clock.elapsedMs()
  }

  add(event: AuditEvent): void {
    const size = sizeOf(event)
    const { bufferSize, maxBatchSize, maxBatchWaitMs, clock, dropped } = this.options
    if (this.isStopping || this.waiting.length >= bufferSize || this.bytes + size > auditWaitingBytesMax) return dropped(1)
    this.waiting.push(event)
    this.bytes += size
    if (this.waiting.length >= maxBatchSize || maxBatchWaitMs === 0) this.schedule()
    else
      this.cancelWait ??= clock.after(maxBatchWaitMs, () => {
        this.cancelWait = undefined
        this.isDue = true
        this.pump()
      })
  }

  /** Resolves once all waiting events were passed to `store` and it has finished. */
  stop(): Promise<void> {
    this.isStopping = true
    this.cancelWait?.()
    return new Promise((resolve) => {
      this.whenDone = resolve
      this.pump()
    })
  }

  /** Events that `stop` would lose now. */
  get left(): number {
    return this.waiting.length
  }

  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      this.pump()
    })
  }

  private pump(): void {
    const { atOnce, maxBatchSize } = this.options
    while (this.mayBegin() && this.storing < atOnce) {
      if (!this.takeToken()) return
      const batch = this.waiting.splice(0, maxBatchSize)
      if (this.waiting.length === 0) this.isDue = false
      this.begin(batch)
    }
    if (this.waiting.length === 0 && this.storing === 0) this.whenDone?.()
  }

  private mayBegin(): boolean {
    const { maxBatchSize, maxBatchWaitMs } = this.options
    const { length } = this.waiting
    return length > 0 && (length >= maxBatchSize || maxBatchWaitMs === 0 || this.isDue || this.isStopping)
  }

  private begin(batch: readonly AuditEvent[]): void {
    const bytes = batch.reduce((sum, event) => sum + sizeOf(event), 0)
    const stored = this.options.store(batch)
    if (stored === undefined) {
      this.bytes -= bytes
      return
    }
    this.storing++
    void stored.finally(() => {
      this.storing--
      this.bytes -= bytes
      this.pump()
    })
  }

  /** Returns false when the next batch has to wait; schedules the retry itself. A stop does not wait. */
  private takeToken(): boolean {
    const { clock, throttle } = this.options
    if (throttle === undefined || this.isStopping) return true
    const nowMs = clock.elapsedMs()
    this.tokens = Math.min(throttle.burst, this.tokens + ((nowMs - this.refilledMs) / 1000) * throttle.qps)
    this.refilledMs = nowMs
    if (this.tokens < 1) {
      if (this.isThrottled) return false
      this.isThrottled = true
      clock.after(Math.ceil(((1 - this.tokens) / throttle.qps) * 1000), () => {
        this.isThrottled = false
        this.pump()
      })
      return false
    }
    this.tokens--
    return true
  }

  private isThrottled = false
}
