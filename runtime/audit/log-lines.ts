/** Lines of the audit log. */
import { Gathering } from "../base/gathering.ts"
import type { BackendFaults } from "./faults.ts"
import { type AuditEvent, eventPieces, legacyLine } from "./event.ts"
import { auditGatheredBytesMax } from "./limits.ts"
import type { LogTarget } from "./log-file.ts"

export interface LogLinesOptions {
  readonly target: LogTarget
  readonly format: "json" | "legacy"
  readonly faults: BackendFaults
}

/**
 * Gathers the lines of a turn of the event loop, and of a few more turns while requests arrive. Requests that begin or
 * end together then share a write, which costs more than an event.
 */
export class LogLines {
  private texts = ""
  private gathered: Buffer[] = []
  private bytes = 0
  private events = 0
  private isScheduled = false
  private readonly gathering = new Gathering()

  constructor(private readonly options: LogLinesOptions) {}

  /** Writes the event within a few turns, or at once if it is large. */
  add(event: AuditEvent): void {
    this.events++
    const pieces = this.options.format === "json" ? eventPieces(event) : [legacyLine(event)]
    for (const piece of pieces) {
      this.bytes += piece.length
      if (typeof piece === "string") this.texts += piece
      else {
        if (this.texts !== "") this.gathered.push(Buffer.from(this.texts))
        this.texts = ""
        this.gathered.push(piece)
      }
    }
    this.texts += "\n"
    if (this.bytes >= auditGatheredBytesMax) this.flush()
    else if (!this.isScheduled) {
      this.isScheduled = true
      setImmediate(this.onTurn)
    }
  }

  private readonly onTurn = (): void => {
    if (this.gathering.goesOn(this.events)) {
      setImmediate(this.onTurn)
      return
    }
    this.isScheduled = false
    this.flush()
  }

  /** Writes the gathered lines. Returns whether all of them are in the log. */
  flush(): boolean {
    const { events, gathered, texts } = this
    if (events === 0) return true
    this.events = 0
    this.bytes = 0
    this.texts = ""
    this.gathered = []
    const { faults, target } = this.options
    try {
      target.write(gathered.length === 0 ? texts : Buffer.concat([...gathered, Buffer.from(texts)]))
      faults.stored()
      return true
    } catch (error) {
      faults.lost(events, error)
      return false
    }
  }

  stop(): Promise<void> {
    this.flush()
    return this.options.target.stop()
  }
}
