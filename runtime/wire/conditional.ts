/** Conditional requests: RFC 9110 section 13.1.2. */
import type { Outgoing } from "../http/exchange.ts"

/** Whether the client's `If-None-Match` matches the current document. `tag` is quoted, as in the ETag header. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  const tags = (ifNoneMatch ?? "").split(",").map((text) => text.trim().replace(/^W\//, ""))
  return tags.includes(tag) || tags.includes("*")
}

/** Sends 304. `headers`: as in the full response. */
export function sendNotModified(outgoing: Outgoing, headers: Readonly<Record<string, string>>): void {
  if (outgoing.headersSent || outgoing.destroyed) return
  outgoing.writeHead(304, headers)
  outgoing.end()
}
