/** The admission chain of a server. */
import { certificateRights } from "./admission/certificate-rights.ts"
import { AdmissionChain } from "./admission/chain.ts"
import type { PluginDeps } from "./admission/plugin-deps.ts"
import { choosePlugins } from "./admission/plugins/index.ts"
import { rbacEscalation } from "./admission/rbac-escalation.ts"
import { checksEscalation } from "./authz/authorizers.ts"
import type { RbacPolicy } from "./authz/rbac/policy.ts"
import type { ServerOptions } from "./server.ts"

/**
 * The chosen plugins, after them the check of certificates, those of the program that runs the server, and the check of
 * escalation. Called once per server.
 */
export function serverAdmission(
  { options, clock, admission = [] }: Pick<ServerOptions, "admission" | "clock" | "options">,
  deps: PluginDeps,
  policy: RbacPolicy,
): AdmissionChain {
  const { vendor } = deps
  const builtIn = choosePlugins(options).map((make) => make(deps))
  const last = checksEscalation(options) ? [rbacEscalation({ vendor, policy })] : []
  return new AdmissionChain([...builtIn, certificateRights(vendor), ...admission, ...last], {
    clock,
    timeoutMs: options["request-timeout"],
  })
}
