/**
 * Decides which header fields travel between the two connections. Hop-by-hop fields belong to one connection (RFC 9110
 * section 7.6.1). Credentials of the client are meant for this server alone.
 */
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http"
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

/** Fields that identify the client; this server has authenticated it already. */
const identity = /^(authorization|impersonate-.*|x-remote-.*)$/

const bearerProtocol = /^base64url\.bearer\.authorization\./

/** Upgrade protocols that pass: websockets, and the streams of exec, attach and portforward. */
export function isPassedProtocol(protocol: string): boolean {
  return protocol === "websocket" || protocol.startsWith("spdy/")
}

/**
 * Returns the header of the request to the other end. `uri`: the path on this server. `upgrade`: the protocol to change
 * to; absent: the request's body is sent along and framed.
 */
export function requestHeaders(incoming: Incoming, options: { uri?: string; upgrade?: string }): OutgoingHttpHeaders {
  const named = namedByConnection(incoming.headers.connection)
  const headers: OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value === undefined || name.startsWith(":") || hopByHop.has(name) || identity.test(name) || named.has(name)) continue
    headers[name] = value
  }
  // HTTP/2 has two fields for the host; the server validated this one (RFC 9113 section 8.3.1).
  const host = incoming.headers[":authority"] ?? incoming.headers.host
  if (typeof host === "string") headers["host"] = host
  if (/(^|,)\s*trailers\s*(,|$)/i.test(String(incoming.headers.te ?? ""))) headers["te"] = "trailers"
  const before = incoming.headers["x-forwarded-for"]
  const client = incoming.socket.remoteAddress
  if (client !== undefined) headers["x-forwarded-for"] = [...(before === undefined ? [] : [before].flat()), client].join(", ")
  if (options.uri !== undefined) headers["x-forwarded-uri"] = options.uri
  if (options.upgrade !== undefined) Object.assign(headers, { connection: "Upgrade", upgrade: options.upgrade })
  else Object.assign(headers, framing(incoming))
  withoutBearer(headers)
  return headers
}

/**
 * Marks where the body ends. Node frames the bodies of some methods only: without a length the body of a GET would be
 * parsed as the next request, with the rights of this server.
 */
function framing(incoming: Incoming): OutgoingHttpHeaders {
  if (!incoming.hasBody || incoming.headers["content-length"] !== undefined) return {}
  return { "transfer-encoding": "chunked" }
}

/** Removes the bearer token that browsers send as a websocket protocol. */
function withoutBearer(headers: OutgoingHttpHeaders): void {
  const sent = headers["sec-websocket-protocol"]
  if (typeof sent !== "string") return
  const kept = sent.split(",").map((one) => one.trim())
  const others = kept.filter((one) => !bearerProtocol.test(one))
  if (others.length === kept.length) return
  if (others.length > 0) headers["sec-websocket-protocol"] = others.join(", ")
  else delete headers["sec-websocket-protocol"]
}

/**
 * Returns the header of the response to the client, names in lower case. Fields that let scripts of other sites read
 * the response are dropped.
 */
export function answerHeaders({ headersDistinct, headers }: IncomingMessage): Map<string, string[]> {
  const named = namedByConnection(headers.connection)
  const passed = new Map<string, string[]>()
  for (const [name, values] of Object.entries(headersDistinct))
    if (values !== undefined && !hopByHop.has(name) && !named.has(name) && !forOtherSites.test(name)) passed.set(name, values)
  return passed
}

const forOtherSites = /^access-control-allow-(?:credentials|headers|methods|origin)$/

/** Fields about framing, routing or permission, which must not appear in trailers (RFC 9110 section 6.5.1). */
const neverTrailers = new Set(["content-length", "content-encoding", "content-type", "host", "location", "set-cookie", "cache-control"])

/** The trailers of a response, complete once its body has been read. */
export function answerTrailers({ trailersDistinct }: IncomingMessage): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const [name, values = []] of Object.entries(trailersDistinct))
    if (!hopByHop.has(name) && !neverTrailers.has(name) && !forOtherSites.test(name)) passed[name] = values.join(", ")
  return passed
}

/** Names of the fields that `Connection` lists; they apply to that connection only. */
function namedByConnection(connection = ""): ReadonlySet<string> {
  const names = connection.split(",").map((name) => name.trim().toLowerCase())
  return new Set(names.filter((name) => name !== ""))
}
