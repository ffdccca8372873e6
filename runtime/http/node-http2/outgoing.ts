/** An answer of node:http2. */
import { EventEmitter } from "node:events"
import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from "node:http2"
import { forbiddenCharacters } from "../../http2/header-encoder.ts"
import { frameBytesMax } from "../../http2/protocol.ts"
import type { ConnectionAccount } from "../../http2/surroundings.ts"
import type { Outgoing } from "../exchange.ts"

type Taken = (error: Error | null | undefined) => void

interface Chunk {
  readonly bytes: Uint8Array
  readonly taken: Taken | undefined
}

/** Bytes that a waiting chunk costs besides its own. */
const chunkCostBytes = 100

/** `write` returns false once this many bytes wait. */
const enoughBytes = 64 * 1024

/** The members of a connection that an answer uses. */
interface AnswerConnection {
  readonly account: ConnectionAccount
  /** Asks the client to open no more streams. */
  close(): void
}

/** Created once, since node copies them. */
const withTrailers = { waitForTrailers: true }
const withoutTrailers = {}
const withoutBody = { endStream: true }

/**
 * The answer to a `NodeHttp2Incoming`. Written bytes wait here, and node gets them one frame at a time. Node reports a
 * write only when all of it was taken; with longer writes, a slow client would look like a dead one.
 */
export class NodeHttp2Outgoing extends EventEmitter implements Outgoing {
  statusCode = 200
  sharesBytes = false
  mayWait = false
  headersSent = false
  writableEnded = false
  writableLength = 0
  takenBytes = 0
  /** The fields for `respond`. */
  private readonly head: Record<string, string | string[]> = {}
  private trailers: OutgoingHttpHeaders | undefined
  private readonly chunks: Chunk[] = []
  /** Bytes of the first chunk that were taken. */
  private chunkAt = 0
  /** Bytes that node has not passed on yet. */
  private handedBytes = 0
  private needsDrain = false

  constructor(
    private readonly stream: ServerHttp2Stream,
    private readonly connection: AnswerConnection,
  ) {
    super()
    // A client's fault ends its stream, which `close` reports.
    stream.on("error", () => undefined)
    stream.on("finish", () => this.emit("finish"))
    stream.on("close", () => this.onClose())
    stream.on("wantTrailers", () => {
      if (!stream.destroyed) stream.sendTrailers(this.trailers ?? {})
    })
  }

  get destroyed(): boolean {
    return this.stream.destroyed || this.stream.closed
  }

  get writableFinished(): boolean {
    return this.writableEnded && this.stream.writableFinished
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
    // Node has already ended the stream of an answer without a body, such as to HEAD.
    if (this.destroyed || this.writableEnded || this.stream.writableEnded || chunk.length === 0) {
      const isGone = this.destroyed
      if (taken !== undefined) process.nextTick(taken, isGone ? new Error("the client has gone") : null)
      return !isGone
    }
    this.add(chunk, taken)
    this.hand()
    const isEnough = this.writableLength >= enoughBytes
    this.needsDrain ||= isEnough
    return !isEnough
  }

  end(chunk?: Uint8Array): void {
    if (this.writableEnded) return
    const isEmpty = chunk === undefined || chunk.length === 0
    this.respond(this.trailers !== undefined ? withTrailers : isEmpty ? withoutBody : withoutTrailers)
    this.writableEnded = true
    if (this.destroyed || this.stream.writableEnded) return
    if (!isEmpty) this.add(chunk, undefined)
    this.hand()
  }

  endWhole(body: Uint8Array): void {
    this.end(body)
  }

  addTrailers(trailers: Record<string, string>): void {
    this.trailers = trailers
  }

  closeAfterAnswer(): void {
    this.connection.close()
  }

  /** Does nothing: frames mark the end of a request. */
  closeUnlessFramed(): void {}

  /** Breaks the answer off. The client sees that it is incomplete. */
  destroy(): void {
    if (!this.destroyed) this.stream.close(this.writableFinished ? constants.NGHTTP2_NO_ERROR : constants.NGHTTP2_INTERNAL_ERROR)
  }

  /** Resets the stream because the client does not take the answer. */
  cancel(): void {
    if (!this.destroyed) this.stream.close(constants.NGHTTP2_CANCEL)
  }

  /**
   * Does nothing if the head was sent or never will be. Trailers may be added after the head, so `options` allows them
   * unless the answer ends now.
   */
  private respond(options: { endStream?: boolean; waitForTrailers?: boolean }): void {
    if (this.headersSent || this.destroyed) return
    this.headersSent = true
    try {
      this.stream.respond({ ...sound(this.head), ":status": this.statusCode }, options)
    } catch {
      // Node refuses some heads that the protocol allows and other machines send, such as two content types.
      this.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    }
  }

  private add(bytes: Uint8Array, taken: Taken | undefined): void {
    const { account } = this.connection
    this.chunks.push({ bytes, taken })
    this.writableLength += bytes.length
    if (this.sharesBytes) account.hold(bytes)
    account.charge((this.sharesBytes ? 0 : bytes.length) + chunkCostBytes)
  }

  /** Gives node the next bytes as one write, after it has passed on the previous ones. */
  private hand(): void {
    const { chunks, stream } = this
    if (this.handedBytes > 0 || this.destroyed || stream.writableEnded) return
    this.handedBytes = Math.min(this.writableLength, frameBytesMax)
    stream.cork()
    let left = this.handedBytes
    for (let index = 0, at = this.chunkAt; left > 0; index++, at = 0) {
      const piece = chunks[index]?.bytes.subarray(at, at + left)
      if (piece === undefined) break
      left -= piece.length
      if (left > 0) stream.write(piece)
      else stream.write(piece, (error) => this.onTaken(error))
    }
    if (this.writableEnded && this.handedBytes === this.writableLength) stream.end()
    else stream.uncork()
  }

  /** Called when node has passed on its write. */
  private onTaken(error: Error | null | undefined): void {
    if (error) return
    const { account } = this.connection
    const takenUp: Taken[] = []
    let left = this.handedBytes
    this.handedBytes = 0
    this.writableLength -= left
    this.takenBytes += left
    account.charge(this.sharesBytes ? 0 : -left)
    while (left > 0) {
      const [chunk] = this.chunks
      if (chunk === undefined) break
      const bytes = Math.min(left, chunk.bytes.length - this.chunkAt)
      left -= bytes
      this.chunkAt += bytes
      if (this.chunkAt < chunk.bytes.length) break
      this.chunks.shift()
      this.chunkAt = 0
      account.charge(-chunkCostBytes)
      if (this.sharesBytes) account.release(chunk.bytes)
      if (chunk.taken !== undefined) takenUp.push(chunk.taken)
    }
    for (const taken of takenUp) taken(null)
    if (this.writableLength > 0 || this.writableEnded) return this.hand()
    if (!this.needsDrain) return
    this.needsDrain = false
    this.emit("drain")
  }

  private onClose(): void {
    const { account } = this.connection
    const chunks = this.chunks.splice(0)
    account.charge((this.sharesBytes ? 0 : -this.writableLength) - chunks.length * chunkCostBytes)
    if (this.sharesBytes) for (const { bytes } of chunks) account.release(bytes)
    this.writableLength = 0
    const gone = new Error("the client has gone")
    for (const { taken } of chunks) taken?.(gone)
    this.emit("close")
  }
}

/** Replaces forbidden characters, which would end the stream; RFC 9113 section 8.2.1. */
function sound(headers: Readonly<Record<string, string | string[]>>): OutgoingHttpHeaders {
  const sent: OutgoingHttpHeaders = {}
  for (const name in headers) {
    const value = headers[name] ?? ""
    if (typeof value === "string") sent[name] = soundValue(value)
    else sent[name] = value.length === 1 ? soundValue(value[0] ?? "") : value.map(soundValue)
  }
  return sent
}

function soundValue(value: string): string {
  return value.replaceAll(forbiddenCharacters, "?")
}
