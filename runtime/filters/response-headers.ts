import type { Random } from "../base/random.ts"
import type { Step } from "../http/env.ts"

/**
 * Sets the header fields that every answer has, as kube-apiserver does: `Audit-Id` (the client's, else a new one), a
 * `Cache-Control` that documents may replace, and `Strict-Transport-Security` when `hsts`, the directives of the
 * option, is not empty. The first filter, so that refusals have them too.
 */
export function responseHeaders(options: { random: Random; hsts: readonly string[] }): Step {
  const strictTransport = options.hsts.join("; ")
  return function responseHeaders({ incoming, outgoing }) {
    outgoing.setHeader("audit-id", auditId(incoming.headers["audit-id"]) ?? options.random.uuid())
    outgoing.setHeader("cache-control", "no-cache, private")
    if (strictTransport !== "") outgoing.setHeader("strict-transport-security", strictTransport)
    return undefined
  }
}

/** The first of several. The limit of all header fields bounds its length. */
function auditId(sent: string | string[] | undefined): string | undefined {
  const first = (typeof sent === "string" ? sent.split(",", 1) : sent)?.[0]?.trim()
  return first === "" ? undefined : first
}
