/** The audit of a server: policy, backends and counts. */
import type { Logger } from "pino"
import type { Clock } from "../base/clock.ts"
import { hurriedStepMs } from "../base/stop-limits.ts"
import { withinHurried } from "../base/within.ts"
import type { Random } from "../base/random.ts"
import type { Vendor } from "../base/vendor.ts"
import type { Hooks } from "../hooks/hooks.ts"
import type { HookFile } from "../hooks/kubeconfig.ts"
import type { Operation } from "../http/request/operation.ts"
import type { RequestContext } from "../http/request/context.ts"
import type { Options } from "../options/table.ts"
import { AuditCounts } from "./counts.ts"
import { type AuditBackend, LogBackend } from "./log-backend.ts"
import { auditDrainTimeoutMs } from "./limits.ts"
import { compilePolicy, type Policy, type PolicyEvaluator } from "./policy.ts"
import { WebhookBackend } from "./webhook-backend.ts"
import { AuditTrail } from "./trail.ts"

/** Audit configuration as read by `launch/`. */
export interface AuditSetup {
  readonly policy: FollowedPolicy
  /** The server of `--audit-webhook-config-file`. */
  readonly webhook?: HookFile
  /** Stops following files. */
  stop(): void
}

/** The policy in force. */
export interface FollowedPolicy {
  readonly current: Policy
  /** Calls `listener` with each later policy; it applies to requests that begin afterwards. */
  onChange(listener: (policy: Policy) => void): void
}

export interface AuditOptions extends AuditSetup {
  readonly options: Options
  readonly vendor: Vendor
  readonly clock: Clock
  readonly log: Logger
  readonly random: Random
  /** Makes a separate client, which outlives the client of the server's other hooks. */
  readonly createHooks: () => Hooks
}

/** One per server that audits. */
export interface Audit {
  readonly counts: AuditCounts
  /** Called for each request, before its user is known. */
  begin(request: Operation): void
  /** Called before a request changes the store, so that every change has its RequestReceived event first. */
  readonly beforeWrite: () => void
  /**
   * Called after the last request has ended. Stores the waiting events, for `auditDrainTimeoutMs` at most, and for
   * `hurriedStepMs` once `hurry` is aborted.
   */
  stop(hurry?: AbortSignal): Promise<void>
}

/**
 * Called once at start. `isLongRunning`: whether requests have the additional stage ResponseStarted. Throws StartError.
 */
export function openAudit(how: AuditOptions, isLongRunning: (info: RequestContext["info"]) => boolean): Audit {
  const { options, vendor, clock, log, policy } = how
  const counts = new AuditCounts()
  const backends: AuditBackend[] = []
  if (options["audit-log-path"] !== "") backends.push(new LogBackend(how, counts))
  const { webhook } = how
  if (webhook !== undefined) backends.push(new WebhookBackend({ ...how, file: webhook, hooks: how.createHooks() }, counts))
  if (backends.length === 0) log.warn("--audit-policy-file has no effect without --audit-log-path or --audit-webhook-config-file")
  const [only] = backends
  let evaluate = compilePolicy(policy.current)
  policy.onChange((changed) => {
    evaluate = compilePolicy(changed)
  })
  const deps = {
    evaluate: ((request) => evaluate(request)) satisfies PolicyEvaluator,
    sink: backends.length === 1 && only !== undefined ? only : unionOf(backends),
    counts,
    clock,
    vendor,
    isLongRunning,
    report: (fault: unknown) => log.error({ err: fault }, "an audit event was lost"),
  }
  return {
    counts,
    begin(request) {
      request.audit = new AuditTrail(request, deps)
    },
    beforeWrite: () => {
      for (const backend of backends) backend.beforeWrite?.()
    },
    async stop(hurry) {
      let isStored = false
      const stopped = Promise.all(backends.map((backend) => backend.stop())).then(() => {
        isStored = true
      })
      await withinHurried({ milliseconds: auditDrainTimeoutMs, hurriedMs: hurriedStepMs, hurry }, stopped, clock)
      if (!isStored) log.error({ events: left(backends) }, "audit events are lost: the server stops, and their backend does not take them")
      for (const backend of backends) backend.close()
      how.stop()
    },
  }
}

function left(backends: readonly AuditBackend[]): number {
  return backends.reduce((sum, backend) => sum + backend.left, 0)
}

/** Every backend gets every event. */
function unionOf(backends: readonly AuditBackend[]): Pick<AuditBackend, "process"> {
  return {
    process(event) {
      let all = true
      const waits: Promise<boolean>[] = []
      for (const backend of backends) {
        const stored = backend.process(event)
        if (stored instanceof Promise) waits.push(stored)
        else all = all && stored
      }
      return waits.length === 0 ? all : Promise.all(waits).then((each) => all && each.every((one) => one))
    },
  }
}
