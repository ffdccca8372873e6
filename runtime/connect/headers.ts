/**
 * Which header fields travel between the two connections. Hop-by-hop fields belong to one connection (RFC 9110 section 7.6.1); credentials of
 * the client are for this server and nobody else.
 */
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http"
import type { Incoming } from "../http/exchange.ts"
import { Http2Incoming } from "../http2/incoming.ts"

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

/**
 * The header of the request to the other end. `uri`: the path on this server. `upgrade`: the protocol to change to; absent, the request's body goes
 * along and is framed.
 */
export function requestHeaders(incoming: Incoming, options: { uri?: string; upgrade?: string }): OutgoingHttpHeaders {
  const named = namedByConnection(incoming.headers.connection)
  const headers: OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value === undefined || name.startsWith(":") || hopByHop.has(name) || identity.test(name) || named.has(name)) continue
    headers[name] = value
  }
  // Of the two names of HTTP/2 the one that this server has looked at; RFC 9113 section 8.3.1.
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
 * How the other end knows where the body ends. Node frames bodies of some methods only: that of a GET without a length would be read as the next
 * request, with the rights of this server.
 */
function framing(incoming: Incoming): OutgoingHttpHeaders {
  if (!hasBody(incoming) || incoming.headers["content-length"] !== undefined) return {}
  return { "transfer-encoding": "chunked" }
}

/** Whether a body goes along: one of no bytes whose length was announced does not. */
export function hasBody(incoming: Incoming): boolean {
  const length = incoming.headers["content-length"]
  if (length !== undefined) return Number(length) > 0
  if (incoming instanceof Http2Incoming) return !incoming.complete || incoming.readableLength > 0
  return incoming.headers["transfer-encoding"] !== undefined
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

/** The header of the answer to the client, names in small letters. What lets other sites' scripts read an answer is not passed on. */
export function answerHeaders({ headersDistinct, headers }: IncomingMessage): Map<string, string[]> {
  const named = namedByConnection(headers.connection)
  const passed = new Map<string, string[]>()
  for (const [name, values] of Object.entries(headersDistinct))
    if (values !== undefined && !hopByHop.has(name) && !named.has(name) && !forOtherSites.test(name)) passed.set(name, values)
  return passed
}

const forOtherSites = /^access-control-allow-(?:credentials|headers|methods|origin)$/

/** Fields that say how a message is framed, routed or allowed have no place behind it; RFC 9110 section 6.5.1. */
const neverTrailers = new Set(["content-length", "content-encoding", "content-type", "host", "location", "set-cookie", "cache-control"])

/** The trailers of an answer, complete once its body was read. */
export function answerTrailers({ trailersDistinct }: IncomingMessage): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const [name, values = []] of Object.entries(trailersDistinct))
    if (!hopByHop.has(name) && !neverTrailers.has(name) && !forOtherSites.test(name)) passed[name] = values.join(", ")
  return passed
}

/** Fields that `Connection` names are of that connection only. */
function namedByConnection(connection = ""): ReadonlySet<string> {
  const names = connection.split(",").map((name) => name.trim().toLowerCase())
  return new Set(names.filter((name) => name !== ""))
}
