import type { LoadedOptions } from "../options/load.ts"
import type { Options } from "../options/table.ts"

/**
 * The defaults of a server on one's own machine (`start`, `dev`): it is not open to other machines, and roles decide
 * the rights of users other than the administrator. Given options stay.
 */
export function localOptions({ options, given }: LoadedOptions): Options {
  return {
    ...options,
    ...(!given.has("bind-address") && { "bind-address": "127.0.0.1" }),
    ...(!given.has("authorization-mode") && !given.has("authorization-config") && { "authorization-mode": ["Node", "RBAC"] }),
  }
}

/** The same for `--help`. */
export const localDefaults = "Unless stated, it listens on 127.0.0.1 only, and with --authorization-mode=Node,RBAC."
