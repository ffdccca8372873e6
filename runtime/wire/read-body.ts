/** Reads the body of a request, up to a limit, over HTTP/1.1 and HTTP/2 alike. */
import { ApiError, badRequest, tooLarge } from "../base/errors.ts"
import type { Incoming, WholeBody } from "../http/exchange.ts"
import { GatheredBytes } from "../http/gathered-bytes.ts"
import { requestBodyBytesMax, yamlBodyBytesMax } from "../base/limits.ts"
import type { DeadlineSignal } from "../base/deadline-signal.ts"
import type { Media } from "./negotiate.ts"

/** The parts of a request that `readBody` uses. */
export type RequestStream = Pick<Incoming, "headers" | "account" | "wholeBody" | "on" | "off" | "pause" | "readableEnded" | "destroyed">

export interface ReadBodyOptions {
  readonly request: RequestStream
  /** Default `requestBodyBytesMax`. */
  readonly limit?: number
  /** Aborts the read when the deadline has passed. */
  readonly signal?: DeadlineSignal
}

/**
 * Called once by every verb that takes a body. Returns the bytes as sent. Throws ApiError 413 as soon as the body is
 * known to exceed the limit (from Content-Length, before reading), 400 for an encoded or incomplete body.
 */
export async function readBody(options: ReadBodyOptions): Promise<Buffer> {
  const { request, signal } = options
  const limit = options.limit ?? requestBodyBytesMax
  const announced = Number(request.headers["content-length"] ?? Number.NaN)
  if (announced > limit) throw bodyTooLarge(limit)
  const whole = request.wholeBody
  const body = await (whole === undefined ? collect({ request, limit, signal }) : take(whole, signal))
  if (Number.isInteger(announced) && body.length < announced)
    throw badRequest(`the request body ended after ${body.length} of ${announced} bytes`)
  refuseEncoded(request.headers["content-encoding"], body)
  return body
}

/** The limit for a body of this media type: YAML costs far more to read than JSON. */
export function bodyLimit(media: Media): number {
  return media === "yaml" ? yamlBodyBytesMax : requestBodyBytesMax
}

/**
 * The reference ignores Content-Encoding and fails at the first byte of a compressed body; this error gives the reason.
 */
function refuseEncoded(encoding: string | undefined, body: Buffer): void {
  const first = body[0] ?? 0x20
  if (encoding === undefined || encoding === "" || encoding === "identity" || (first >= 0x20 && first < 0x7f) || isSpace(first)) return
  throw badRequest(`the body of the request has Content-Encoding ${JSON.stringify(encoding)}; only identity is supported`)
}

function isSpace(byte: number): boolean {
  return byte === 0x09 || byte === 0x0a || byte === 0x0d
}

function bodyTooLarge(limit: number): ApiError {
  return tooLarge(`Request entity too large: limit is ${limit}`)
}

/** Takes the whole body at once; its announced length is within the limit. */
function take(request: WholeBody, signal: DeadlineSignal | undefined): Promise<Buffer> | Buffer {
  const atHand = request.take()
  if (atHand !== undefined) return atHand
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      request.forgetWaiting()
      reject(tooLate(signal))
    }
    if (signal?.aborted === true) return onAbort()
    signal?.addEventListener("abort", onAbort)
    request.whenArrived(() => {
      signal?.removeEventListener("abort", onAbort)
      const bytes = request.take()
      if (bytes === undefined) reject(brokenOff())
      else resolve(bytes)
    })
  })
}

function brokenOff(): ApiError {
  return badRequest("the connection closed before the whole request body arrived")
}

function tooLate(signal: DeadlineSignal | undefined): ApiError {
  return signal?.reason instanceof ApiError ? signal.reason : badRequest("the request ended before its body was read")
}

/** Uses listeners: an async iterator would destroy the stream, and with it the response, when it stops early. */
function collect(options: { request: RequestStream; limit: number; signal: DeadlineSignal | undefined }): Promise<Buffer> {
  const { request, limit, signal } = options
  return new Promise((resolve, reject) => {
    const gathered = new GatheredBytes()
    const { account } = request
    function onData(chunk: Buffer): void {
      if (gathered.length + chunk.length > limit) return finish(() => reject(bodyTooLarge(limit)))
      const before = gathered.keptBytes
      gathered.add(chunk)
      account?.charge(gathered.keptBytes - before)
    }
    const onEnd = () => finish(() => resolve(gathered.take()))
    const onBroken = () => finish(() => reject(brokenOff()))
    const onAbort = () => finish(() => reject(tooLate(signal)))
    function finish(settle: () => void): void {
      request.off("data", onData)
      request.off("end", onEnd)
      request.off("error", onBroken)
      request.off("aborted", onBroken)
      request.off("close", onBroken)
      signal?.removeEventListener("abort", onAbort)
      request.pause()
      account?.charge(-gathered.keptBytes)
      settle()
    }
    if (signal?.aborted === true) return onAbort()
    if (request.readableEnded) return onEnd()
    if (request.destroyed) return onBroken()
    signal?.addEventListener("abort", onAbort)
    request.on("end", onEnd)
    request.on("error", onBroken)
    request.on("aborted", onBroken)
    request.on("close", onBroken)
    request.on("data", onData)
  })
}
