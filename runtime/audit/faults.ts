/** Logs that a backend loses events: once when it begins, and once when it works again. */
import type { Logger } from "pino"
import type { AuditCounts, AuditPlugin } from "./counts.ts"

/** One per backend. */
export class BackendFaults {
  /** Events lost since the fault was logged; undefined while the backend works. */
  private since: number | undefined

  constructor(
    private readonly plugin: AuditPlugin,
    private readonly log: Pick<Logger, "error" | "info">,
    private readonly counts: AuditCounts,
  ) {}

  /** Called with each failure, and the number of events lost by it. */
  lost(events: number, error: unknown): void {
    this.counts.countLost(this.plugin, events)
    if (this.since === undefined)
      this.log.error({ plugin: this.plugin, err: error }, "audit events are lost: apiserver_audit_error_total counts them")
    this.since = (this.since ?? 0) + events
  }

  /** Called with each success. */
  stored(): void {
    if (this.since === undefined) return
    this.log.info({ plugin: this.plugin, lost: this.since }, "audit events are stored again")
    this.since = undefined
  }
}
