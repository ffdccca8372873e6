import type { Random } from "../base/random.ts"
import type { Step } from "../http/env.ts"

/**
 * First of the filters, so that every answer has what all answers have: `Audit-Id` (the client's own, else a new one), a `Cache-Control` that
 * documents may replace, and `Strict-Transport-Security` when `hsts` (the option's directives) is not empty. Headers of the reference server.
 * The two headers in which flow control names its level and schema belong here too, once there is flow control.
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

/** Of several the first. Its length is bounded by that of all header fields. */
function auditId(sent: string | string[] | undefined): string | undefined {
  const first = (typeof sent === "string" ? sent.split(",", 1) : sent)?.[0]?.trim()
  return first === "" ? undefined : first
}
