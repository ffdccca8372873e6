/**
 * Sends whole responses: bytes with their headers, and errors as Status. Lists and watches have writers of their own.
 */
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import type { ApiError } from "../base/errors.ts"
import type { Outgoing } from "../http/exchange.ts"
import { type ProtobufCodec, createProtobufCodec, wrapUnknown } from "../encoding/protobuf/codec.ts"
import type { ApiObject } from "../base/json.ts"
import { stringify } from "../encoding/json/text.ts"
import { gzipThresholdBytes, warningCharactersMax, warningsCharactersMax } from "../base/limits.ts"
import type { Vendor } from "../base/vendor.ts"
import { type Media, negotiate } from "./negotiate.ts"
import { indentJson } from "./pretty.ts"
import { failureStatus, statusShape } from "./status.ts"
import { writeYaml } from "./yaml-writer.ts"

export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly body: Buffer
  /** Texts of `Warning: 299` headers. */
  readonly warnings?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  /** The client accepts gzip and compression is on. */
  readonly gzip?: boolean
}

const compress = promisify(gzip)

/** Most responses are sent synchronously. */
const sent = Promise.resolve()

/**
 * Called once per request whose response is complete. Does nothing when a response has begun already, because the
 * deadline passed first.
 */
export function sendBytes(outgoing: Outgoing, answer: Answer): Promise<void> {
  if (answer.gzip === true && answer.body.length >= gzipThresholdBytes) return sendCompressed(outgoing, answer)
  send(outgoing, answer, answer.body)
  return sent
}

async function sendCompressed(outgoing: Outgoing, answer: Answer): Promise<void> {
  send(outgoing, answer, await compress(answer.body, { level: 1 }))
}

/** `body` replaces the body of `answer`. */
function send(outgoing: Outgoing, answer: Answer, body: Buffer): void {
  if (outgoing.headersSent || outgoing.destroyed) return
  outgoing.setHeader("content-type", answer.contentType)
  outgoing.setHeader("content-length", String(body.length))
  if (body !== answer.body) {
    outgoing.setHeader("content-encoding", "gzip")
    outgoing.setHeader("vary", "Accept-Encoding")
  }
  if (answer.warnings !== undefined && answer.warnings.length > 0) {
    const { warning } = warningHeaders(answer.warnings)
    if (warning !== undefined) outgoing.setHeader("warning", warning)
  }
  for (const name in answer.headers) outgoing.setHeader(name, answer.headers[name] ?? "")
  outgoing.statusCode = answer.status
  outgoing.endWhole(body)
}

/**
 * RFC 7234 section 5.5: code 299, no agent, the text quoted. Lists each text once, and cuts long ones when the total is
 * too large.
 */
export function warningHeaders(warnings: readonly string[]): { warning?: string[] } {
  if (warnings.length === 0) return {}
  const texts = [...new Set(warnings)]
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  return { warning: (length <= warningsCharactersMax ? texts : cut(texts)).map((text) => `299 - ${JSON.stringify(printable(text))}`) }
}

function cut(texts: readonly string[]): string[] {
  const kept: string[] = []
  let left = warningsCharactersMax
  for (const text of texts) {
    if (left <= 0) break
    kept.push(text.slice(0, Math.min(warningCharactersMax, left)))
    left -= Math.min(warningCharactersMax, text.length)
  }
  return kept
}

/** Header values are Latin-1 without control characters. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?")
}

/** The path has no group, document or anything else: plain text, as in the reference. */
export async function answerUnknownPath(outgoing: Outgoing): Promise<void> {
  const headers = { "x-content-type-options": "nosniff" }
  await sendBytes(outgoing, { status: 404, contentType: "text/plain; charset=utf-8", body: Buffer.from("404 page not found\n"), headers })
}

/**
 * Sends the error of a request in an encoding that the client reads; indented JSON when it requested something else.
 */
export function sendError(
  outgoing: Outgoing,
  error: ApiError,
  options: { vendor: Vendor; accept?: string | undefined; indented?: boolean; warnings?: readonly string[] },
): void {
  if (outgoing.headersSent) {
    outgoing.destroy()
    return
  }
  const { media, contentType, indented } = readable(options)
  const body = encodeStatus(media, failureStatus(error, options.vendor), indented)
  const retry = error.details?.retryAfterSeconds
  for (const [name, values] of Object.entries(warningHeaders(options.warnings ?? []))) outgoing.setHeader(name, values)
  outgoing.setHeader("content-type", contentType)
  outgoing.setHeader("content-length", String(body.length))
  if (retry !== undefined) outgoing.setHeader("retry-after", String(retry))
  outgoing.statusCode = error.code
  outgoing.end(body)
}

interface Readable {
  readonly media: Media
  readonly contentType: string
  readonly indented: boolean
}

function readable(options: { vendor: Vendor; accept?: string | undefined; indented?: boolean }): Readable {
  try {
    const { media, contentType, pretty } = negotiate(options.accept, { vendor: options.vendor, renderings: "none", failure: true })
    return { media, contentType, indented: pretty || options.indented === true }
  } catch {
    return { media: "json", contentType: "application/json", indented: true }
  }
}

let statusCodec: ProtobufCodec | undefined

/** Encodes a Status object. */
export function encodeStatus(media: Media, status: ApiObject, indented = false): Buffer {
  statusCodec ??= createProtobufCodec(statusShape)
  return encodeWith(media, status, statusCodec, indented)
}

/** Encodes a small object. `codec`: the codec of its kind. */
export function encodeWith(media: Media, object: ApiObject, codec: ProtobufCodec, indented = false): Buffer {
  return media === "compact"
    ? wrapUnknown({ apiVersion: object.apiVersion ?? "", kind: object.kind ?? "", raw: codec.encode(object) })
    : encodeText(media, object, indented)
}

/** Like `encodeWith`, for encodings that need no codec. */
export function encodeText(media: "json" | "yaml", object: ApiObject, indented = false): Buffer {
  if (media === "yaml") return Buffer.from(writeYaml(object))
  return indented ? indentJson(Buffer.from(stringify(object))) : Buffer.from(`${stringify(object)}\n`)
}
