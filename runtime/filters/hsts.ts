import type { Step } from "../http/env.ts"

/** Makes browsers use only TLS for this host. `directives`: `--strict-transport-security-directives`. */
export function hsts({ directives }: { directives: readonly string[] }): Step {
  const value = directives.join("; ")
  return function hsts({ outgoing }) {
    outgoing.setHeader("strict-transport-security", value)
    return undefined
  }
}
