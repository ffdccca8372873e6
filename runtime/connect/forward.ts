/** One request passed on and its answer passed back, both as streams: neither is ever held as a whole. */
import type { ClientRequest, IncomingMessage } from "node:http"
import type { Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import type { Incoming, Outgoing } from "../http/exchange.ts"
import { Http2Incoming } from "../http2/incoming.ts"
import { readableOf, writableOf } from "../http/exchange-streams.ts"
import { answerHeaders } from "./headers.ts"
import { rewriteLinks } from "./html-links.ts"

/** Sends the client's body behind a request whose head was sent, or ends it. A client that goes away ends it too: its signal does. */
export function sendBody(incoming: Incoming, request: ClientRequest): void {
  if (!hasBody(incoming)) {
    request.end()
    return
  }
  // A body that breaks off is told by the request's own error, which the answer waits for.
  pipeline(readableOf(incoming), request).catch((error: unknown) => request.destroy(error instanceof Error ? error : undefined))
}

function hasBody(incoming: Incoming): boolean {
  if (incoming.headers["transfer-encoding"] !== undefined || Number(incoming.headers["content-length"] ?? 0) > 0) return true
  return incoming instanceof Http2Incoming && !incoming.complete && incoming.headers["content-length"] === undefined
}

export interface AnswerOptions {
  /** Rewrites a link of the other end so that it leads through the proxy; absent: links stay. */
  readonly link?: (link: string) => string
}

/** Passes an answer on. Resolves when all of it was, rejects when one of the two connections broke; the client's is closed then. */
export async function passAnswer(message: IncomingMessage, outgoing: Outgoing, options: AnswerOptions = {}): Promise<void> {
  const { link } = options
  const headers = answerHeaders(message)
  const [location] = headers["location"] ?? []
  if (link !== undefined && location !== undefined) headers["location"] = [link(location)]
  const steps = link === undefined || location !== undefined ? [] : linkSteps(message, link)
  if (steps.length > 0) delete headers["content-length"]
  const own = outgoing.getHeader("cache-control") ?? "no-cache, private"
  headers["cache-control"] = [String(own), ...(headers["cache-control"] ?? [])]
  for (const [name, values] of Object.entries(headers)) outgoing.setHeader(name, values)
  outgoing.writeHead(message.statusCode ?? 502)
  await pipeline([message, ...steps, writableOf(outgoing)])
  const trailers = Object.entries(message.trailers).filter((entry): entry is [string, string] => entry[1] !== undefined)
  if (trailers.length > 0) outgoing.addTrailers(Object.fromEntries(trailers))
  outgoing.end()
}

/** What an HTML page goes through. Of encoded ones only gzip is understood; the others pass with their links as they are. */
function linkSteps(message: IncomingMessage, link: (link: string) => string): readonly Transform[] {
  const type = (message.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase()
  const encoding = message.headers["content-encoding"] ?? ""
  if (type !== "text/html") return []
  if (encoding === "") return [rewriteLinks(link)]
  return encoding === "gzip" ? [createGunzip(), rewriteLinks(link), createGzip()] : []
}

/** The first bytes of an answer as a text; the rest is not read. */
export async function textOfAnswer(message: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message) {
    const bytes = Buffer.from(chunk)
    chunks.push(bytes)
    size += bytes.length
    if (size >= bytesMax) break
  }
  return Buffer.concat(chunks).subarray(0, bytesMax).toString()
}
