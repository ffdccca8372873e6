/** Reads the files that the options of audit name. */
import type { Logger } from "pino"
import { errorText } from "../base/error-text.ts"
import type { AuditSetup } from "../audit/audit.ts"
import type { Policy } from "../audit/policy.ts"
import { PolicyError, readPolicy } from "../audit/read-policy.ts"
import type { Clock } from "../base/clock.ts"
import { yamlFileBytesMax } from "../base/file-limits.ts"
import { vendorProfile } from "../base/vendor.ts"
import { WatchedFiles } from "../base/watched-files.ts"
import type { Options } from "../options/table.ts"
import { takenUp, unusableChange } from "./changed-file.ts"
import { openHookFile } from "./hook-file.ts"
import { StartError } from "../base/start-error.ts"

interface HowToAudit {
  readonly options: Options
  readonly clock: Clock
  readonly log: Pick<Logger, "error" | "info" | "warn">
}

/** Called once per server. Undefined without a policy: nothing is recorded then. Throws StartError. */
export function auditSetup(how: HowToAudit): AuditSetup | undefined {
  const { options, log } = how
  const path = options["audit-policy-file"]
  if (path === "") {
    for (const name of ["audit-log-path", "audit-webhook-config-file"] as const)
      if (options[name] !== "") log.warn(`--${name} has no effect without --audit-policy-file: no request is recorded`)
    return undefined
  }
  const policy = followedPolicy(path, how)
  try {
    const webhook = openHookFile("audit-webhook-config-file", how)
    return {
      policy,
      ...(webhook !== undefined && { webhook: webhook.file }),
      stop() {
        policy.stop()
        webhook?.file.stop()
      },
    }
  } catch (error) {
    policy.stop()
    throw error
  }
}

function followedPolicy(path: string, { options, clock, log }: HowToAudit): WatchedFiles<Policy> {
  try {
    const file = new WatchedFiles({
      paths: [path],
      bytesMax: yamlFileBytesMax,
      clock,
      read([text = ""]) {
        const { policy, warnings } = readPolicy(text, vendorProfile(options.vendor))
        for (const warning of warnings) log.warn(`--audit-policy-file: ${path}: ${warning}`)
        return policy
      },
      onFault: (error) => log.error({ error: errorText(error) }, unusableChange("audit-policy-file", path)),
    })
    file.onChange(() => log.info(takenUp("audit-policy-file")))
    return file
  } catch (error) {
    throw new StartError(`--audit-policy-file: ${error instanceof PolicyError ? `${path}: ` : ""}${errorText(error)}`)
  }
}
