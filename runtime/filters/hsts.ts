import type { Step } from "../http/env.ts"

/** Has browsers reach this host over TLS alone. `directives`: of `--strict-transport-security-directives`. */
export function hsts({ directives }: { directives: readonly string[] }): Step {
  const value = directives.join("; ")
  return function hsts({ outgoing }) {
    outgoing.setHeader("strict-transport-security", value)
    return undefined
  }
}
