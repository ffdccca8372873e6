/** The admission chain of a server. */
import type { Logger } from "pino"
import { certificateRights } from "./admission/certificate-rights.ts"
import { AdmissionChain } from "./admission/chain.ts"
import type { AdmissionPlugin } from "./admission/plugin.ts"
import type { PluginDeps } from "./admission/plugin-deps.ts"
import { choosePlugins } from "./admission/plugins/index.ts"
import { rbacEscalation } from "./admission/rbac-escalation.ts"
import { checksEscalation } from "./authz/authorizers.ts"
import type { RbacPolicy } from "./authz/rbac/policy.ts"
import type { Clock } from "./base/clock.ts"
import type { Options } from "./options/table.ts"

/** The part of the server's options that admission needs. */
interface AdmittingServer {
  readonly options: Options
  readonly clock: Clock
  readonly log: Logger
  /** Plugins of the program that runs the server. */
  readonly admission?: readonly AdmissionPlugin[]
}

/**
 * Called once per server. The order: the chosen plugins, the check of certificates, the plugins of the program, the
 * check of escalation.
 */
export function serverAdmission(
  { options, clock, log, admission = [] }: AdmittingServer,
  deps: PluginDeps,
  policy: RbacPolicy,
): AdmissionChain {
  const { vendor } = deps
  const builtIn = choosePlugins(options, (text) => log.warn(text)).map((make) => make(deps))
  const last = checksEscalation(options) ? [rbacEscalation({ vendor, policy })] : []
  return new AdmissionChain([...builtIn, certificateRights(vendor), ...admission, ...last], {
    clock,
    timeoutMs: options["request-timeout"],
  })
}
