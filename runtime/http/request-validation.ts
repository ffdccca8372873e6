/**
 * Refuses what HTTP/1.1 forbids and node's parser accepts, and normalizes the request targets that only proxies send.
 * Runs before the request is routed. RFC 9112 sections 2.3, 3.2 and 6.1; RFC 9110 section 7.2.
 */
import { ApiError, badRequest } from "../base/errors.ts"
import type { Incoming } from "./exchange.ts"
import { cut } from "../base/quote.ts"
import { requestHeaderFieldsMax } from "../base/limits.ts"

/** The characters of a host and its port; RFC 3986 section 3.2.2. */
const hostPattern = /^[A-Za-z0-9!$%&'()*+,\-.:;=[\]_~]*$/

/** The reason to refuse a request; undefined if there is none. HTTP/2 enforces most of these rules in its framing. */
export function refusalOf(incoming: Incoming): ApiError | undefined {
  const { headers, rawHeaders, httpVersion } = incoming
  if (rawHeaders === undefined) return unsoundAuthority(incoming)
  if (httpVersion !== "1.1" && httpVersion !== "1.0")
    return new ApiError(505, "", `HTTP/${httpVersion} is not spoken here as text; HTTP/1.1 is`)
  if (rawHeaders.length >= 2 * requestHeaderFieldsMax)
    return new ApiError(431, "RequestEntityTooLarge", `the request has ${requestHeaderFieldsMax} header fields or more`)
  const hosts = countOf(rawHeaders, "host")
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) return badRequest(`the request has ${hosts} Host header fields; one is required`)
  const malformed = malformedHost(headers.host)
  if (malformed !== undefined) return malformed
  const encoding = headers["transfer-encoding"]
  if (encoding !== undefined && encoding.toLowerCase() !== "chunked")
    return new ApiError(501, "", `Transfer-Encoding ${shown(encoding)} is not supported; only chunked is`)
  return undefined
}

/**
 * RFC 9113 section 8.3.1: `Host` and `:authority` must agree if both are present. A server behind a proxy path gets one
 * of them.
 */
function unsoundAuthority({ headers }: Incoming): ApiError | undefined {
  const { host } = headers
  const authority = headers[":authority"]
  if (typeof authority !== "string") return malformedHost(host)
  if (host !== undefined && host !== authority && host.toLowerCase() !== authority.toLowerCase())
    return badRequest("the Host and the :authority of the request differ; one of them is enough")
  return malformedHost(authority)
}

/** Without the host: it may be a whole address, with a password. */
const malformedHostText = "the Host of the request is malformed; expected a name or an address, and a port if need be"

/** The last well-formed host: clients send the same one again and again. */
let soundHost = ""

function malformedHost(host: string | undefined): ApiError | undefined {
  if (host === undefined || host === soundHost) return undefined
  if (!hostPattern.test(host)) return badRequest(malformedHostText)
  soundHost = host
  return undefined
}

/** Quotes a client's text for a message, and cuts it. */
function shown(text: string): string {
  return JSON.stringify(cut(text, shownCharactersMax))
}

const shownCharactersMax = 100

/** `rawHeaders` has names and values in turn. */
function countOf(rawHeaders: readonly string[], name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const candidate = rawHeaders[at] ?? ""
    if (candidate.length === name.length && candidate.toLowerCase() === name) count++
  }
  return count
}

/**
 * The target as a path. `https://host/path` names this server with any host; `*` becomes a path that does not exist.
 */
export function originForm(target: string): string {
  if (target.startsWith("/")) return target
  if (target === "*") return "/*"
  const path = /^https?:\/\/[^/?#]*(.*)$/is.exec(target)?.[1] ?? target
  return path.startsWith("/") ? path : `/${path}`
}
