/** An answer of HTTP/2: its head, and its body, which waits here until the client and the connection take it. */
import { EventEmitter } from "node:events"
import { httpDate } from "./http-date.ts"
import { type AnswerHeaders, encodeHead, encodeTrailers } from "./header-encoder.ts"
import type { FrameOutput } from "./frame-output.ts"
import { errorCode } from "./protocol.ts"
import type { ConnectionAccount } from "./surroundings.ts"

/** The members of a stream that an answer uses. */
export interface OutgoingStream {
  /** Charged with the bytes of the body that wait. */
  readonly account: ConnectionAccount
  readonly incoming: { readonly method: string | undefined }
  /** The answer has something to send. */
  ready(): void
  /** Sends a head that precedes the answer, `100 Continue`. */
  inform(status: number): void
  /** Ends the stream early. `code` is one of `errorCode`. */
  reset(code: number): void
  /** Closes the connection to new streams; open ones go on. */
  closeConnection(): void
}

type Taken = (error: Error | null | undefined) => void

interface Chunk {
  readonly bytes: Uint8Array
  readonly taken: Taken | undefined
}

/** Bytes that a waiting chunk costs besides its own. */
const chunkCostBytes = 100

/** `write` returns false once this many bytes wait. */
const enoughBytes = 64 * 1024

/** Created for each stream that a client opens. Its events are as in node's HTTP/1.1: `drain`, `finish`, `close`. */
export class Http2Outgoing extends EventEmitter {
  statusCode = 200
  headersSent = false
  writableEnded = false
  writableFinished = false
  destroyed = false
  writableLength = 0
  /** Set before the first byte: the bytes of the body wait for other clients as well. */
  sharesBytes = false
  /** Set before the first byte: the client may stop reading for as long as it likes. */
  mayWait = false
  /** Body bytes already framed; all but the kernel's send buffer has reached the client. */
  takenBytes = 0
  private readonly headers: AnswerHeaders = {}
  private trailers: AnswerHeaders | undefined
  private isHeadSent = false
  /** Answers to HEAD, and answers with certain statuses, have no body; RFC 9110 section 6.4.1. */
  private isBodiless = false
  private needsDrain = false
  private readonly chunks: Chunk[] = []
  /** Bytes of the first chunk that were taken. */
  private chunkAt = 0

  constructor(private readonly stream: OutgoingStream) {
    super()
  }

  getHeader(name: string): string | string[] | undefined {
    return this.headers[name]
  }

  setHeader(name: string, value: string | string[]): void {
    this.headers[name] = value
  }

  writeHead(statusCode: number, headers?: Record<string, string | number | string[]>): void {
    for (const name in headers) {
      const value = headers[name] ?? ""
      this.setHeader(name, typeof value === "number" ? String(value) : value)
    }
    this.statusCode = statusCode
    if (this.headersSent || this.destroyed) return
    this.headersSent = true
    this.headers["date"] ??= httpDate()
    this.isBodiless = statusCode === 204 || statusCode === 304 || this.stream.incoming.method === "HEAD"
    this.stream.ready()
  }

  flushHeaders(): void {
    if (!this.headersSent) this.writeHead(this.statusCode)
  }

  writeContinue(): void {
    if (!this.headersSent && !this.destroyed) this.stream.inform(100)
  }

  write(chunk: Uint8Array, taken?: Taken): boolean {
    this.flushHeaders()
    if (this.destroyed || this.writableEnded || this.isBodiless) {
      if (taken !== undefined) process.nextTick(taken, this.destroyed ? new Error("the client has gone") : null)
      return !this.destroyed
    }
    this.add(chunk, taken)
    const isEnough = this.writableLength >= enoughBytes
    // A writer that got false before still waits for `drain`.
    this.needsDrain ||= isEnough
    return !isEnough
  }

  /** Ends the answer, with the last part of the body if any. An unsent head goes out together with it. */
  end(chunk?: Uint8Array): void {
    if (this.writableEnded) return
    this.flushHeaders()
    this.writableEnded = true
    if (chunk !== undefined && !this.isBodiless && !this.destroyed) this.add(chunk, undefined)
    this.stream.ready()
  }

  /** Sends the whole body at once. It goes out in frames, so its progress is visible. */
  endWhole(body: Uint8Array): void {
    this.end(body)
  }

  /** Adds trailers, which follow the body. Called before its end. */
  addTrailers(trailers: Record<string, string>): void {
    this.trailers = trailers
  }

  /** Breaks the answer off. The client sees that it is incomplete. */
  destroy(): void {
    if (this.destroyed) return
    this.stream.reset(this.writableFinished ? errorCode.noError : errorCode.internalError)
  }

  /** The client opens no more streams on this connection; open streams go on. */
  closeAfterAnswer(): void {
    this.stream.closeConnection()
  }

  /** Does nothing: frames mark the end of a request. */
  closeUnlessFramed(): void {}

  /** Returns the block of the head once, when it is due. Valid until the next block is encoded. */
  takeHead(): Buffer | undefined {
    if (this.isHeadSent || !this.headersSent) return undefined
    this.isHeadSent = true
    return encodeHead(this.statusCode, this.headers)
  }

  /** The whole body was taken: the end is due, after `trailersBlock` if there are trailers. */
  get isEndDue(): boolean {
    return this.isHeadSent && this.writableEnded && this.writableLength === 0
  }

  get hasTrailers(): boolean {
    return this.trailers !== undefined && !this.isBodiless
  }

  /** Valid until the next block is encoded. */
  trailersBlock(): Buffer {
    return encodeTrailers(this.trailers ?? {})
  }

  /**
   * Moves `bytes` bytes of the body, which must be there, into a frame that was begun. Calls their `taken` callbacks.
   */
  takeBody(bytes: number, into: Pick<FrameOutput, "put">): void {
    const { chunks } = this
    let left = bytes
    let released = this.sharesBytes ? 0 : bytes
    const takenUp: Taken[] = []
    this.writableLength -= bytes
    this.takenBytes += bytes
    while (left > 0) {
      const chunk = chunks[0]
      if (chunk === undefined) break
      const end = Math.min(chunk.bytes.length, this.chunkAt + left)
      into.put(chunk.bytes, this.chunkAt, end)
      left -= end - this.chunkAt
      this.chunkAt = end
      if (end < chunk.bytes.length) break
      chunks.shift()
      released += chunkCostBytes
      if (this.sharesBytes) this.stream.account.release(chunk.bytes)
      this.chunkAt = 0
      if (chunk.taken !== undefined) takenUp.push(chunk.taken)
    }
    this.stream.account.charge(-released)
    // The frame is complete now, so the callbacks may write again.
    for (const taken of takenUp) taken(null)
    if (!this.needsDrain || this.writableLength > 0) return
    this.needsDrain = false
    this.emit("drain")
  }

  /** Called by the sender after the last frame. */
  finish(): void {
    this.writableFinished = true
    this.emit("finish")
  }

  /** Called by the connection when the stream ends. */
  close(): void {
    if (this.destroyed) return
    this.destroyed = true
    const chunks = this.chunks.splice(0)
    if (chunks.length > 0) this.forget(chunks)
    this.writableLength = 0
    if (chunks.some(({ taken }) => taken !== undefined)) {
      const gone = new Error("the client has gone")
      for (const { taken } of chunks) taken?.(gone)
    }
    this.emit("close")
  }

  private forget(chunks: readonly Chunk[]): void {
    const { account } = this.stream
    account.charge((this.sharesBytes ? 0 : -this.writableLength) - chunks.length * chunkCostBytes)
    if (this.sharesBytes) for (const { bytes } of chunks) account.release(bytes)
  }

  private add(bytes: Uint8Array, taken: Taken | undefined): void {
    if (bytes.length === 0) {
      if (taken !== undefined) process.nextTick(taken, null)
      return
    }
    this.chunks.push({ bytes, taken })
    this.writableLength += bytes.length
    const { account } = this.stream
    if (this.sharesBytes) account.hold(bytes)
    account.charge((this.sharesBytes ? 0 : bytes.length) + chunkCostBytes)
    this.stream.ready()
  }
}
