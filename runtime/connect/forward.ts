/** One request passed on and its answer passed back, both as streams: neither is ever held as a whole. */
import type { ClientRequest, IncomingMessage } from "node:http"
import { Readable, type Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import type { Incoming, Outgoing } from "../http/exchange.ts"
import { letWait } from "../http/stalled.ts"
import { readableOf, writableOf } from "../http/exchange-streams.ts"
import type { Clock } from "../clock.ts"
import { ApiError } from "../errors.ts"
import { answerHeaderFieldsMax, refusalBytesMax, refusalTimeoutMs } from "../limits.ts"
import { answerHeaders, answerTrailers, hasBody } from "./headers.ts"
import { rewriteLinks } from "./html-links.ts"

/**
 * Sends the client's body behind a request whose head was sent, or ends it. A client that breaks off breaks the request. When the other end takes no
 * more, the rest stays with the client, who is to see the answer.
 */
export function sendBody(incoming: Incoming, request: ClientRequest): void {
  if (!hasBody(incoming)) {
    request.end()
    return
  }
  const body = readableOf(incoming)
  body.on("error", (error: Error) => request.destroy(error))
  body.pipe(request)
}

/** Throws 502 for the head of an answer that cannot be passed on. Called before anything of it is. */
export function checkAnswer({ statusCode = 0, rawHeaders, headers }: IncomingMessage): void {
  if (statusCode < 200 || statusCode > 599) throw badGateway(`it has the status ${statusCode}, and there are none but 100 to 599`)
  if (rawHeaders.length >= 2 * answerHeaderFieldsMax) throw badGateway(`it has ${answerHeaderFieldsMax} header fields or more`)
  const encoding = headers["transfer-encoding"] ?? "chunked"
  if (encoding.toLowerCase() !== "chunked")
    throw badGateway(`its Transfer-Encoding is ${JSON.stringify(encoding.slice(0, 64))}, and only chunked is read`)
}

function badGateway(why: string): ApiError {
  return new ApiError(502, "", `the answer of the other end cannot be passed on: ${why}`)
}

export interface AnswerOptions {
  /** Rewrites a link of the other end so that it leads through the proxy; absent: links stay. */
  readonly link?: (link: string) => string
  /** The answer is one to HEAD: there is no body, whatever the header says of it. */
  readonly isHead?: boolean
  /** Instead of the other end's word for it. */
  readonly contentType?: string
}

/** Passes an answer on. Resolves when all of it was, rejects when one of the two connections broke. */
export async function passAnswer(message: IncomingMessage, outgoing: Outgoing, options: AnswerOptions = {}): Promise<void> {
  letWait(outgoing)
  const steps = startAnswer(message, outgoing, options)
  await pipeline([Readable.from(gathered(message), { objectMode: false }), ...steps, writableOf(outgoing)])
  const trailers = answerTrailers(message)
  if (Object.keys(trailers).length > 0) outgoing.addTrailers(trailers)
  outgoing.end()
}

/** The body, in one piece what came at a time: chunks of a byte each would cost twice as much. */
async function* gathered(message: IncomingMessage): AsyncGenerator<Buffer> {
  for await (const piece of message) yield piece
}

/** Sends the head. Answers what the body goes through. */
function startAnswer(message: IncomingMessage, outgoing: Outgoing, options: AnswerOptions): readonly Transform[] {
  const { link, contentType, isHead } = options
  const headers = answerHeaders(message)
  if (contentType !== undefined) headers.set("content-type", [contentType])
  const [location] = headers.get("location") ?? []
  if (link !== undefined && location !== undefined) headers.set("location", [link(location)])
  const steps = link === undefined || location !== undefined ? [] : linkSteps(message, link)
  if (steps.length > 0 || message.statusCode === 204) headers.delete("content-length")
  const own = outgoing.getHeader("cache-control") ?? "no-cache, private"
  headers.set("cache-control", [String(own), ...(headers.get("cache-control") ?? [])])
  for (const [name, values] of headers) outgoing.setHeader(name, values)
  outgoing.writeHead(message.statusCode ?? 502)
  return isHead === true ? [] : steps
}

/** What an HTML page goes through. Of encoded ones only gzip is understood; the others pass with their links as they are. */
function linkSteps(message: IncomingMessage, link: (link: string) => string): readonly Transform[] {
  if (message.statusCode === 204 || message.statusCode === 304) return []
  const type = (message.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase()
  const encoding = message.headers["content-encoding"] ?? ""
  if (type !== "text/html") return []
  if (encoding === "") return [rewriteLinks(link)]
  return encoding === "gzip" ? [createGunzip(), rewriteLinks(link), createGzip()] : []
}

/** The first bytes of a refusal as a text, as many as came within `refusalTimeoutMs`; the rest is not read, and its connection is closed. */
export async function textOfRefusal(message: IncomingMessage, clock: Clock): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  const cancel = clock.after(refusalTimeoutMs, () => message.destroy())
  try {
    for await (const chunk of message) {
      const bytes = Buffer.from(chunk)
      chunks.push(bytes)
      size += bytes.length
      if (size >= refusalBytesMax) break
    }
  } catch {
    // It broke off: what came is told.
  } finally {
    cancel()
    message.destroy()
  }
  return Buffer.concat(chunks).subarray(0, refusalBytesMax).toString()
}
