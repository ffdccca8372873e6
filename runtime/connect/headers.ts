/**
 * Which header fields travel between the two connections. Hop-by-hop fields belong to one connection (RFC 9110 section 7.6.1); credentials of
 * the client are for this server and nobody else.
 */
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from "node:http"
import type { Incoming } from "../http/exchange.ts"

const hopByHop = new Set([
  "connection",
  "proxy-connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
])

/** Who the client is, or says it is: this server has decided that already. */
const identity = /^(authorization|impersonate-.*|x-remote-.*)$/

const bearerProtocol = /^base64url\.bearer\.authorization\./

/** Upgrade protocols that are passed through: websockets, and the streams of exec, attach and portforward. */
export function isPassedProtocol(protocol: string): boolean {
  return protocol === "websocket" || protocol.startsWith("spdy/")
}

/** The header of the request to the other end. `uri`: the path on this server. `upgrade`: the protocol to change to. */
export function requestHeaders(incoming: Incoming, options: { uri?: string; upgrade?: string }): OutgoingHttpHeaders {
  const named = namedByConnection(incoming.headers)
  const headers: OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value === undefined || name.startsWith(":") || hopByHop.has(name) || identity.test(name) || named.has(name)) continue
    headers[name] = value
  }
  const host = incoming.headers.host ?? incoming.headers[":authority"]
  if (typeof host === "string") headers["host"] = host
  if (/(^|,)\s*trailers\s*(,|$)/i.test(String(incoming.headers.te ?? ""))) headers["te"] = "trailers"
  const before = incoming.headers["x-forwarded-for"]
  const client = incoming.socket.remoteAddress
  if (client !== undefined) headers["x-forwarded-for"] = [...(before === undefined ? [] : [before].flat()), client].join(", ")
  if (options.uri !== undefined) headers["x-forwarded-uri"] = options.uri
  if (options.upgrade !== undefined) Object.assign(headers, { connection: "Upgrade", upgrade: options.upgrade })
  withoutBearer(headers)
  return headers
}

/** A browser sends its token as one of the protocols of a websocket. */
function withoutBearer(headers: OutgoingHttpHeaders): void {
  const sent = headers["sec-websocket-protocol"]
  if (typeof sent !== "string") return
  const kept = sent.split(",").map((one) => one.trim())
  const others = kept.filter((one) => !bearerProtocol.test(one))
  if (others.length === kept.length) return
  if (others.length > 0) headers["sec-websocket-protocol"] = others.join(", ")
  else delete headers["sec-websocket-protocol"]
}

/** The header of the answer to the client, fields in lower case. What lets other sites' scripts read an answer is not passed on. */
export function answerHeaders(message: IncomingMessage): Record<string, string[]> {
  const named = namedByConnection(message.headers)
  const headers: Record<string, string[]> = {}
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    if (
      values === undefined ||
      hopByHop.has(name) ||
      named.has(name) ||
      /^access-control-allow-(credentials|headers|methods|origin)$/.test(name)
    )
      continue
    headers[name] = values
  }
  return headers
}

/** Fields that `Connection` names are of that connection only. */
function namedByConnection(headers: IncomingHttpHeaders): ReadonlySet<string> {
  const names = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase())
  return new Set(names.filter((name) => name !== ""))
}
