/** Passes one request on and its response back, both as streams: neither is ever held as a whole. */
import type { ClientRequest, IncomingMessage } from "node:http"
import { Readable, type Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import type { Incoming, Outgoing } from "../http/exchange.ts"
import { writableOf } from "../http/exchange-streams.ts"
import type { Clock } from "../base/clock.ts"
import { ApiError } from "../base/errors.ts"
import { answerHeaderFieldsMax, refusalBytesMax, refusalTimeoutMs } from "../base/limits.ts"
import { answerHeaders, answerTrailers } from "./headers.ts"
import { rewriteLinks } from "./html-links.ts"

/**
 * Sends the client's body after the head of the request, or ends the request if there is none. A client that
 * disconnects aborts the request. When the other end stops reading, the rest of the body stays unread, so the client
 * still gets the response.
 */
export function sendBody(incoming: Incoming, request: ClientRequest): void {
  if (!incoming.hasBody) {
    request.end()
    return
  }
  const body = incoming.asStream()
  body.on("error", (error: Error) => request.destroy(error))
  body.pipe(request)
}

/** Throws 502 for a response head that cannot be passed on. Called before any of it is passed on. */
export function checkResponseHead({ statusCode = 0, rawHeaders, headers }: IncomingMessage): void {
  if (statusCode < 200 || statusCode > 599) throw badGateway(`it has the status ${statusCode}, and there are none but 100 to 599`)
  if (rawHeaders.length >= 2 * answerHeaderFieldsMax) throw badGateway(`it has ${answerHeaderFieldsMax} header fields or more`)
  const encoding = headers["transfer-encoding"] ?? "chunked"
  if (encoding.toLowerCase() !== "chunked")
    throw badGateway(`its Transfer-Encoding is ${JSON.stringify(encoding.slice(0, 64))}, and only chunked is read`)
}

function badGateway(why: string): ApiError {
  return new ApiError(502, "", `the answer of the other end cannot be passed on: ${why}`)
}

export interface ForwardOptions {
  /** Rewrites a link of the other end so that it leads through the proxy. Absent: links stay. */
  readonly link?: (link: string) => string
  /** The response belongs to a HEAD request: it has no body, whatever its header says. */
  readonly isHead?: boolean
  /** Replaces the content type of the other end. */
  readonly contentType?: string
}

/** Passes a response on. Resolves once all of it is written; rejects when one of the two connections breaks. */
export async function forwardResponse(message: IncomingMessage, outgoing: Outgoing, options: ForwardOptions = {}): Promise<void> {
  outgoing.mayWait = true
  const steps = sendResponseHead(message, outgoing, options)
  await pipeline([Readable.from(gathered(message), { objectMode: false }), ...steps, writableOf(outgoing)])
  const trailers = answerTrailers(message)
  if (Object.keys(trailers).length > 0) outgoing.addTrailers(trailers)
  outgoing.end()
}

/** The body; chunks that arrive together are joined. Passing chunks of one byte each would cost twice as much. */
async function* gathered(message: IncomingMessage): AsyncGenerator<Buffer> {
  for await (const piece of message) yield piece
}

/** Sends the head. Returns the transforms for the body. */
function sendResponseHead(message: IncomingMessage, outgoing: Outgoing, options: ForwardOptions): readonly Transform[] {
  const { link, contentType, isHead } = options
  const headers = answerHeaders(message)
  if (contentType !== undefined) headers.set("content-type", [contentType])
  const [location] = headers.get("location") ?? []
  if (link !== undefined && location !== undefined) headers.set("location", [link(location)])
  const steps = link === undefined || location !== undefined ? [] : linkTransforms(message, link)
  if (steps.length > 0 || message.statusCode === 204) headers.delete("content-length")
  const own = outgoing.getHeader("cache-control") ?? "no-cache, private"
  headers.set("cache-control", [String(own), ...(headers.get("cache-control") ?? [])])
  for (const [name, values] of headers) outgoing.setHeader(name, values)
  outgoing.writeHead(message.statusCode ?? 502)
  return isHead === true ? [] : steps
}

/** The transforms for an HTML page. Only gzip is decoded; pages in other encodings pass with their links unchanged. */
function linkTransforms(message: IncomingMessage, link: (link: string) => string): readonly Transform[] {
  if (message.statusCode === 204 || message.statusCode === 304) return []
  const type = (message.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase()
  const encoding = message.headers["content-encoding"] ?? ""
  if (type !== "text/html") return []
  if (encoding === "") return [rewriteLinks(link)]
  return encoding === "gzip" ? [createGunzip(), rewriteLinks(link), createGzip()] : []
}

/**
 * Returns the first bytes of a refusal as text: as many as arrive within `refusalTimeoutMs`. The rest is not read and
 * the connection is closed.
 */
export async function readRefusalText(message: IncomingMessage, clock: Clock): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  const cancel = clock.after(refusalTimeoutMs, () => message.destroy())
  try {
    // Bounded: waits for the socket, which holds 64 KiB.
    for await (const chunk of message) {
      const bytes = Buffer.from(chunk)
      chunks.push(bytes)
      size += bytes.length
      if (size >= refusalBytesMax) break
    }
  } catch {
    // The response broke off: return what arrived.
  } finally {
    cancel()
    message.destroy()
  }
  return Buffer.concat(chunks).subarray(0, refusalBytesMax).toString()
}
