/** The backend of `--audit-log-path`: one line per event. */
import type { Logger } from "pino"
import type { Clock } from "../base/clock.ts"
import { StartError } from "../base/start-error.ts"
import type { Options } from "../options/table.ts"
import { Batcher } from "./batcher.ts"
import type { AuditCounts } from "./counts.ts"
import type { AuditEvent } from "./event.ts"
import { BackendFaults } from "./faults.ts"
import { auditLogMegabytes } from "./limits.ts"
import { type LogTarget, LogStream, openLogFile } from "./log-file.ts"
import { LogLines } from "./log-lines.ts"
import type { AuditSink } from "./trail.ts"
import { fitting, type Truncation } from "./truncation.ts"

/** A sink that can be stopped. */
export interface AuditBackend extends AuditSink {
  /** Events that are waiting. */
  readonly left: number
  /** Called before a request changes the store. Stores the events of a blocking mode that are still waiting. */
  beforeWrite?(): void
  /** Resolves when all waiting events are stored. */
  stop(): Promise<void>
  /** Called last: drops the events that still wait. */
  close(): void
}

export interface LogBackendOptions {
  readonly options: Options
  readonly clock: Clock
  readonly log: Logger
}

const megabyte = 1024 * 1024

export class LogBackend implements AuditBackend {
  private readonly lines: LogLines
  private readonly batcher: Batcher | undefined
  private readonly truncation: Truncation | undefined
  private readonly isStrict: boolean

  /** Opens the file. Throws StartError. */
  constructor(
    { options, clock, log }: LogBackendOptions,
    private readonly counts: AuditCounts,
  ) {
    const faults = new BackendFaults("log", log, counts)
    const target = openTarget({ options, clock, log }, faults)
    this.lines = new LogLines({ target, format: options["audit-log-format"], faults })
    const mode = options["audit-log-mode"]
    this.isStrict = mode === "blocking-strict"
    if (options["audit-log-truncate-enabled"])
      this.truncation = {
        eventBytesMax: options["audit-log-truncate-max-event-size"],
        batchBytesMax: options["audit-log-truncate-max-batch-size"],
      }
    if (mode === "batch") this.batcher = this.batcherOf(options, clock, log)
  }

  private batcherOf(options: Options, clock: Clock, log: Logger): Batcher {
    const buffered = new BackendFaults("buffered", log, this.counts)
    return new Batcher({
      clock,
      bufferSize: options["audit-log-batch-buffer-size"],
      maxBatchSize: options["audit-log-batch-max-size"],
      maxBatchWaitMs: options["audit-log-batch-max-wait"],
      throttle: throttleOf(options, "log"),
      atOnce: 1,
      store: (batch) => {
        for (const event of batch) this.write(event)
        return undefined
      },
      dropped: (events) => buffered.lost(events, new Error("the buffer is full")),
    })
  }

  get left(): number {
    return this.batcher?.left ?? 0
  }

  process(event: AuditEvent): boolean {
    if (this.batcher !== undefined) {
      this.batcher.add(event)
      return true
    }
    this.write(event)
    // Events of later stages are written within a few turns; no request waits for them.
    if (event.stage !== "RequestReceived" || (event.mayWait && !this.isStrict)) return true
    return this.lines.flush() || !this.isStrict
  }

  beforeWrite(): void {
    if (this.batcher === undefined) this.lines.flush()
  }

  private write(event: AuditEvent): void {
    const fits = fitting(event, this.truncation)
    if (fits === undefined) this.counts.countLost("truncate", 1)
    else this.lines.add(fits)
  }

  async stop(): Promise<void> {
    await this.batcher?.stop()
    await this.lines.stop()
  }

  close(): void {}
}

/** The throttle of mode `batch`. Throws StartError for a throttle that never lets a batch through. */
export function throttleOf(options: Options, backend: "log" | "webhook"): { readonly qps: number; readonly burst: number } | undefined {
  const name = `audit-${backend}-batch-throttle` as const
  if (!options[`${name}-enable`]) return undefined
  const throttle = { qps: options[`${name}-qps`], burst: options[`${name}-burst`] }
  if (throttle.qps === 0) throw new StartError(`--${name}-enable needs --${name}-qps above 0: no batch would ever be stored`)
  if (throttle.burst === 0) throw new StartError(`--${name}-enable needs --${name}-burst of 1 or more: no batch would ever be stored`)
  return throttle
}

const standardOutput = 1

function openTarget({ options, clock, log }: LogBackendOptions, faults: BackendFaults): LogTarget {
  const path = options["audit-log-path"]
  if (path === "-") return new LogStream(standardOutput, (error, lines) => faults.lost(lines, error))
  const megabytes = options["audit-log-maxsize"] === 0 ? auditLogMegabytes : options["audit-log-maxsize"]
  try {
    return openLogFile({
      path,
      clock,
      bytesMax: megabytes * megabyte,
      maxAgeDays: options["audit-log-maxage"],
      maxBackups: options["audit-log-maxbackup"],
      compress: options["audit-log-compress"],
      report: (fault) => log.error({ err: fault, path }, "the audit log could not be rotated; events are still written"),
    })
  } catch (error) {
    throw new StartError(
      `--audit-log-path: ${path} cannot be written: ${error instanceof Error ? error.message : String(error)}; name a file in a folder that this user may write, or - for standard output`,
    )
  }
}
