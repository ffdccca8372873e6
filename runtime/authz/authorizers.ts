/** The authorizers of a server, from `--authorization-mode`. */
import type { Options } from "../options/table.ts"
import { alwaysAllow, alwaysDeny, type Authorizer, privileged } from "./authorize.ts"
import type { RbacPolicy } from "./rbac/policy.ts"
import { rbacAuthorizer } from "./rbac/rbac.ts"

type Mode = Options["authorization-mode"][number]

/** What the modes decide by. */
export interface AuthorizerParts {
  readonly rbacPolicy: RbacPolicy
}

/** Called once at start. Members of system:masters pass before all modes. */
export function authorizersOf(options: Pick<Options, "authorization-mode">, parts: AuthorizerParts): readonly Authorizer[] {
  const make: Readonly<Record<Mode, () => Authorizer>> = {
    AlwaysAllow: () => alwaysAllow,
    AlwaysDeny: () => alwaysDeny,
    RBAC: () => rbacAuthorizer(parts.rbacPolicy),
  }
  const chosen = options["authorization-mode"].map((mode) => make[mode]())
  return chosen[0] === alwaysAllow ? chosen : [privileged, ...chosen]
}

/**
 * Whether health and version need no permission: with modes that cannot grant it. With the others they are authorized
 * as all paths.
 */
export function hasPublicPaths(modes: readonly Mode[]): boolean {
  return modes.every((mode) => mode === "AlwaysAllow" || mode === "AlwaysDeny")
}
