/** An answer of node:http2. */
import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from "node:http2"
import { http2WriteBytes } from "../../http2/limits.ts"
import { forbiddenCharacters } from "../../http2/header-encoder.ts"
import type { Outgoing, OutgoingEvent } from "../exchange.ts"
import { endInPieces } from "../write-pieces.ts"
import type { NodeHttp2Incoming } from "./incoming.ts"

type Taken = (error: Error | null | undefined) => void

/** Bytes that a chunk costs besides its own, while it waits. */
const chunkCostBytes = 100

/** Node copies these; made once. */
const withTrailers = { waitForTrailers: true }
const withoutTrailers = {}
const withoutBody = { endStream: true }

/** The other half of a `NodeHttp2Incoming`. */
export class NodeHttp2Outgoing implements Outgoing {
  statusCode = 200
  sharesBytes = false
  mayWait = false
  headersSent = false
  writableEnded = false
  takenBytes = 0
  /** What `respond` is given. */
  private readonly head: Record<string, string | string[]> = {}
  private trailers: OutgoingHttpHeaders = {}
  /** Chunks that node has not passed on yet, the oldest first. */
  private readonly waiting: Uint8Array[] = []

  constructor(
    private readonly stream: ServerHttp2Stream,
    /** The request, as `endInPieces` names it. */
    readonly req: NodeHttp2Incoming,
    /** Called once the client is to open no more streams on the connection. */
    private readonly closeConnection: () => void,
  ) {
    // What a client does wrong ends its stream, and `close` says so.
    stream.on("error", ignore)
    stream.on("close", () => {
      for (const chunk of this.waiting.splice(0)) this.forget(chunk)
    })
    stream.on("wantTrailers", () => {
      if (!stream.destroyed) stream.sendTrailers(this.trailers)
    })
  }

  get destroyed(): boolean {
    return this.stream.destroyed || this.stream.closed
  }

  get writableFinished(): boolean {
    return this.writableEnded && this.stream.writableFinished
  }

  get writableLength(): number {
    return this.stream.writableLength
  }

  getHeader(name: string): string | string[] | undefined {
    return this.head[name]
  }

  setHeader(name: string, value: string | string[]): void {
    this.head[name] = value
  }

  writeHead(statusCode: number, headers?: Record<string, string | number | string[]>): void {
    for (const name in headers) {
      const value = headers[name] ?? ""
      this.head[name] = typeof value === "number" ? String(value) : value
    }
    this.statusCode = statusCode
    this.respond(withTrailers)
  }

  flushHeaders(): void {
    this.respond(withTrailers)
  }

  writeContinue(): void {
    if (!this.headersSent && !this.destroyed) this.stream.additionalHeaders({ ":status": constants.HTTP_STATUS_CONTINUE })
  }

  write(chunk: Uint8Array, taken?: Taken): boolean {
    this.flushHeaders()
    const { stream } = this
    if (this.destroyed || this.writableEnded || stream.writableEnded || chunk.length === 0) {
      const isGone = this.destroyed
      if (taken !== undefined) process.nextTick(taken, isGone ? new Error("the client has gone") : null)
      return !isGone
    }
    this.keep(chunk)
    return stream.write(chunk, (error) => {
      this.onTaken(error)
      taken?.(error)
    })
  }

  end(chunk?: Uint8Array): void {
    if (this.writableEnded) return
    const isEmpty = chunk === undefined || chunk.length === 0
    this.respond(isEmpty ? withoutBody : withoutTrailers)
    this.writableEnded = true
    const { stream } = this
    if (this.destroyed || stream.writableEnded) return
    if (isEmpty) {
      stream.end()
      return
    }
    this.keep(chunk)
    stream.end(chunk, () => this.onTaken(null))
  }

  /** In pieces, since node says nothing of a write before all of it was taken. */
  endWhole(body: Uint8Array): void {
    endInPieces(this, body, http2WriteBytes)
  }

  addTrailers(trailers: Record<string, string>): void {
    this.trailers = trailers
  }

  closeAfterAnswer(): void {
    this.closeConnection()
  }

  /** Frames say where a request ends. */
  closeUnlessFramed(): void {}

  /** The rest of the answer will not come, and the client sees that it is not whole. */
  destroy(): void {
    if (!this.destroyed) this.stream.close(this.writableFinished ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_INTERNAL_ERROR)
  }

  /** Ends the answer because its client does not take it. */
  cancel(): void {
    if (!this.destroyed) this.stream.close(constants.NGHTTP2_CANCEL)
  }

  on(event: OutgoingEvent, listener: () => void): this {
    this.stream.on(event, listener)
    return this
  }

  once(event: OutgoingEvent, listener: () => void): this {
    this.stream.once(event, listener)
    return this
  }

  off(event: OutgoingEvent, listener: () => void): this {
    this.stream.off(event, listener)
    return this
  }

  /** Does nothing when the head was sent, or never will be. Whether there will be trailers is known only once it was. */
  private respond(options: { endStream?: boolean; waitForTrailers?: boolean }): void {
    if (this.headersSent || this.destroyed) return
    this.headersSent = true
    try {
      this.stream.respond({ ...sound(this.head), ":status": this.statusCode }, options)
    } catch {
      // Node refuses a few heads of other machines that the protocol allows, of two content types for example.
      this.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    }
  }

  private keep(chunk: Uint8Array): void {
    const { account } = this.req
    this.waiting.push(chunk)
    if (this.sharesBytes) account.hold(chunk)
    account.charge((this.sharesBytes ? 0 : chunk.length) + chunkCostBytes)
  }

  private onTaken(error: Error | null | undefined): void {
    const chunk = this.waiting.shift()
    if (chunk === undefined) return
    if (!error) this.takenBytes += chunk.length
    this.forget(chunk)
  }

  private forget(chunk: Uint8Array): void {
    const { account } = this.req
    if (this.sharesBytes) account.release(chunk)
    account.charge((this.sharesBytes ? 0 : -chunk.length) - chunkCostBytes)
  }
}

/** What no field may hold would end the stream; RFC 9113 section 8.2.1. */
function sound(headers: Readonly<Record<string, string | string[]>>): OutgoingHttpHeaders {
  const sent: OutgoingHttpHeaders = {}
  for (const name in headers) {
    const value = headers[name] ?? ""
    if (typeof value === "string") sent[name] = value.replaceAll(forbiddenCharacters, "?")
    else
      sent[name] =
        value.length === 1
          ? (value[0] ?? "").replaceAll(forbiddenCharacters, "?")
          : value.map((one) => one.replaceAll(forbiddenCharacters, "?"))
  }
  return sent
}

function ignore(): void {}
