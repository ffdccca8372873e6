/**
 * Reads `Sec-WebSocket-Protocol`. Browsers cannot set other headers of a websocket request, so the reference also
 * accepts a bearer token there, as a protocol that is never selected.
 */
import type { IncomingHttpHeaders } from "node:http"
import type { Vendor } from "../base/vendor.ts"

export interface OfferedProtocols {
  /** Protocols to select from, in the client's order. */
  readonly names: readonly string[]
  /** Bearer tokens as sent: base64url without padding. */
  readonly tokens: readonly string[]
}

/** Whether a request asks for a websocket; only HTTP/1.1 can. */
export function asksForWebSocket(headers: IncomingHttpHeaders): boolean {
  return headers.upgrade?.toLowerCase() === "websocket"
}

/** Called for websocket requests, by authentication and by the handler. Never throws. */
export function offeredProtocols(headers: IncomingHttpHeaders, vendor: Vendor): OfferedProtocols {
  const prefix = `base64url.bearer.${vendor.group("authorization.orch.io")}.`
  const names: string[] = []
  const tokens: string[] = []
  for (const text of (headers["sec-websocket-protocol"] ?? "").split(",")) {
    const name = text.trim()
    if (name.startsWith(prefix)) tokens.push(name.slice(prefix.length))
    else if (name !== "") names.push(name)
  }
  return { names, tokens }
}
