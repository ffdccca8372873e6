/** The authorizers of a server, from `--authorization-mode`. */
import { alwaysAllow, alwaysDeny, type Authorizer, privileged } from "./authorize.ts"

export type AuthorizationMode = "AlwaysAllow" | "AlwaysDeny"

/** Called once at start. Members of system:masters pass before all modes. */
export function authorizersOf(modes: readonly AuthorizationMode[]): readonly Authorizer[] {
  const chosen = modes.map((mode) => (mode === "AlwaysAllow" ? alwaysAllow : alwaysDeny))
  return chosen[0] === alwaysAllow ? chosen : [privileged, ...chosen]
}

/**
 * Whether health and version need no permission: with modes that cannot grant it. With the others they are authorized
 * as all paths.
 */
export function hasPublicPaths(modes: readonly AuthorizationMode[]): boolean {
  return modes.every((mode) => mode === "AlwaysAllow" || mode === "AlwaysDeny")
}
