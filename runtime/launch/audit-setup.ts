/** Reads the files that the options of audit name. */
import { readFileSync } from "node:fs"
import type { Logger } from "pino"
import type { AuditSetup } from "../audit/audit.ts"
import { PolicyError, readPolicy } from "../audit/read-policy.ts"
import type { Clock } from "../base/clock.ts"
import { vendorProfile } from "../base/vendor.ts"
import type { Options } from "../options/table.ts"
import { openHookFile } from "./hook-file.ts"
import { StartError } from "./start-error.ts"

/** Called once per server. Undefined without a policy: nothing is recorded then. Throws StartError. */
export function auditSetup(how: {
  readonly options: Options
  readonly clock: Clock
  readonly log: Pick<Logger, "warn">
}): AuditSetup | undefined {
  const { options, log } = how
  const path = options["audit-policy-file"]
  if (path === "") {
    for (const name of ["audit-log-path", "audit-webhook-config-file"] as const)
      if (options[name] !== "") log.warn(`--${name} has no effect without --audit-policy-file: no request is recorded`)
    return undefined
  }
  try {
    const { policy, warnings } = readPolicy(readFileSync(path, "utf8"), vendorProfile(options.vendor))
    for (const warning of warnings) log.warn(`--audit-policy-file: ${path}: ${warning}`)
    const webhook = openHookFile("audit-webhook-config-file", how)
    return { policy, ...(webhook !== undefined && { webhook: webhook.file }) }
  } catch (error) {
    if (error instanceof StartError) throw error
    const text = error instanceof Error ? error.message : String(error)
    throw new StartError(`--audit-policy-file: ${error instanceof PolicyError ? `${path}: ` : ""}${text}`)
  }
}
