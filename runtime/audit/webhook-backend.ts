/** The backend of `--audit-webhook-config-file`: lists of events, sent to another server. */
import type { Logger } from "pino"
import type { Clock } from "../base/clock.ts"
import type { Random } from "../base/random.ts"
import type { Vendor } from "../base/vendor.ts"
import type { Hooks } from "../hooks/hooks.ts"
import type { HookFile } from "../hooks/kubeconfig.ts"
import type { Options } from "../options/table.ts"
import { Batcher } from "./batcher.ts"
import type { AuditCounts } from "./counts.ts"
import { type AuditEvent, eventPieces, sizeOf } from "./event.ts"
import { BackendFaults } from "./faults.ts"
import {
  auditAttemptsMax,
  auditBackoffFactor,
  auditBackoffJitter,
  auditCallBytesMax,
  auditCallsMax,
  auditWaitingBytesMax,
} from "./limits.ts"
import { type AuditBackend, throttleOf } from "./log-backend.ts"
import { fitting, inParts, type Truncation } from "./truncation.ts"

export interface WebhookBackendOptions {
  readonly options: Options
  readonly vendor: Vendor
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly file: HookFile
  readonly hooks: Hooks
}

export class WebhookBackend implements AuditBackend {
  private readonly batcher: Batcher | undefined
  private readonly truncation: Truncation | undefined
  private readonly faults: BackendFaults
  private readonly isStrict: boolean
  private readonly ending = new AbortController()
  /** Events of the blocking modes that are being sent. */
  private readonly pending = new Set<Promise<boolean>>()
  private pendingBytes = 0

  /** Throws StartError. */
  constructor(
    private readonly how: WebhookBackendOptions,
    private readonly counts: AuditCounts,
  ) {
    const { options, log } = how
    const mode = options["audit-webhook-mode"]
    this.faults = new BackendFaults("webhook", log, counts)
    this.isStrict = mode === "blocking-strict"
    if (options["audit-webhook-truncate-enabled"])
      this.truncation = {
        eventBytesMax: options["audit-webhook-truncate-max-event-size"],
        batchBytesMax: options["audit-webhook-truncate-max-batch-size"],
      }
    if (mode === "batch") this.batcher = this.batcherOf()
  }

  private batcherOf(): Batcher {
    const { options, clock, log } = this.how
    const buffered = new BackendFaults("buffered", log, this.counts)
    return new Batcher({
      clock,
      bufferSize: options["audit-webhook-batch-buffer-size"],
      maxBatchSize: options["audit-webhook-batch-max-size"],
      maxBatchWaitMs: options["audit-webhook-batch-max-wait"],
      throttle: throttleOf(options, "webhook"),
      atOnce: auditCallsMax,
      store: async (batch) => {
        await this.send(batch)
      },
      dropped: (events) => buffered.lost(events, new Error("the buffer is full")),
    })
  }

  get left(): number {
    return (this.batcher?.left ?? 0) + this.pending.size
  }

  process(event: AuditEvent): boolean | Promise<boolean> {
    if (this.batcher !== undefined) {
      this.batcher.add(event)
      return true
    }
    const sent = this.sendNow(event)
    const isFirst = event.stage === "RequestReceived"
    // Only the first stage may delay the request: it comes before the request's own work.
    return isFirst ? sent.then((is) => is || !this.isStrict) : true
  }

  private sendNow(event: AuditEvent): Promise<boolean> {
    const bytes = sizeOf(event)
    if (this.pendingBytes + bytes > auditWaitingBytesMax) {
      this.faults.lost(1, new Error("too many events are being sent"))
      return Promise.resolve(false)
    }
    const sent = this.send([event])
    this.pendingBytes += bytes
    this.pending.add(sent)
    void sent.finally(() => {
      this.pendingBytes -= bytes
      this.pending.delete(sent)
    })
    return sent
  }

  /** Resolves with whether all events have arrived. Never rejects. */
  private async send(batch: readonly AuditEvent[]): Promise<boolean> {
    const fits = batch.map((event) => fitting(event, this.truncation)).filter((event) => event !== undefined)
    if (fits.length < batch.length) this.counts.countLost("truncate", batch.length - fits.length)
    let all = fits.length === batch.length
    // Bounded: a batch has as many parts as calls, and each waits for the web hook.
    for (const part of inParts(fits, Math.min(this.truncation?.batchBytesMax ?? auditCallBytesMax, auditCallBytesMax)))
      all = (await this.sendPart(part)) && all
    return all
  }

  /** Retries after every error, in growing intervals. */
  private async sendPart(events: readonly AuditEvent[]): Promise<boolean> {
    const body = bodyOf(events, this.how.vendor)
    const { file, hooks, options } = this.how
    let waitMs = options["audit-webhook-initial-backoff"]
    for (let attempt = 1; ; attempt++) {
      try {
        await hooks.post(file.place, { review: body, isAnswered: false, signal: this.ending.signal })
        this.faults.stored()
        return true
      } catch (error) {
        if (attempt === auditAttemptsMax || this.ending.signal.aborted) {
          this.faults.lost(events.length, error)
          return false
        }
        await this.pause(waitMs)
        waitMs *= auditBackoffFactor
      }
    }
  }

  /** Random, so that the servers of a cluster do not retry at the same moment. */
  private pause(waitMs: number): Promise<void> {
    const { clock, random } = this.how
    const { signal } = this.ending
    const jitterMs = random.integer(Math.max(1, Math.round(waitMs * auditBackoffJitter)))
    return new Promise((resolve) => {
      const cancel = clock.after(waitMs + jitterMs, () => {
        signal.removeEventListener("abort", end)
        resolve()
      })
      function end(): void {
        cancel()
        resolve()
      }
      signal.addEventListener("abort", end, { once: true })
      if (signal.aborted) end()
    })
  }

  async stop(): Promise<void> {
    await this.batcher?.stop()
    await Promise.all(this.pending)
  }

  close(): void {
    this.ending.abort()
    this.how.hooks.close()
  }
}

/** An EventList. */
function bodyOf(events: readonly AuditEvent[], vendor: Vendor): Buffer {
  const pieces: Buffer[] = [
    Buffer.from(`{"kind":"EventList","apiVersion":"${vendor.apiVersion("audit.orch.io/v1")}","metadata":{},"items":[`),
  ]
  let texts = ""
  for (const [place, event] of events.entries()) {
    if (place > 0) texts += ","
    for (const piece of eventPieces(event)) {
      if (typeof piece === "string") texts += piece
      else {
        pieces.push(Buffer.from(texts), piece)
        texts = ""
      }
    }
  }
  pieces.push(Buffer.from(`${texts}]}`))
  return Buffer.concat(pieces)
}
