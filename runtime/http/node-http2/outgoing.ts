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

/** Bytes that a chunk costs besides its own, while it waits. */
const chunkCostBytes = 100

/** Bytes that may wait before `write` says that it is enough. */
const enoughBytes = 64 * 1024

/** What an answer does to its connection. */
interface AnswerConnection {
  readonly account: ConnectionAccount
  /** The client is to open no more streams. */
  close(): void
}

/** Node copies these; made once. */
const withTrailers = { waitForTrailers: true }
const withoutTrailers = {}
const withoutBody = { endStream: true }

/**
 * The other half of a `NodeHttp2Incoming`. What is written waits here, and node is handed one frame of it at a time: of a write it says nothing before all of
 * it was taken, and a slow client of a long one could not be told from a dead one.
 */
export class NodeHttp2Outgoing extends EventEmitter implements Outgoing {
  statusCode = 200
  sharesBytes = false
  mayWait = false
  headersSent = false
  writableEnded = false
  writableLength = 0
  takenBytes = 0
  /** What `respond` is given. */
  private readonly head: Record<string, string | string[]> = {}
  private trailers: OutgoingHttpHeaders | undefined
  private readonly chunks: Chunk[] = []
  /** How much of the first chunk was taken. */
  private chunkAt = 0
  /** Bytes that node has and has not passed on. */
  private handedBytes = 0
  private needsDrain = false

  constructor(
    private readonly stream: ServerHttp2Stream,
    private readonly connection: AnswerConnection,
  ) {
    super()
    // What a client does wrong ends its stream, and `close` says so.
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
    // Node ends the stream of an answer that has no body, of HEAD before it is answered.
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

  /** Does nothing when the head was sent, or never will be. Whether there will be trailers is known only once it was. */
  private respond(options: { endStream?: boolean; waitForTrailers?: boolean }): void {
    if (this.headersSent || this.destroyed) return
    this.headersSent = true
    try {
      this.stream.respond({ ...sound(this.head), ":status": this.statusCode }, options)
    } catch {
      // Node refuses heads of other machines that the protocol allows, of two content types for example.
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

  /** Hands the next bytes to node once it has passed the last ones on, as one write. */
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

  /** Node has passed on what it was handed. */
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

/** What no field may hold would end the stream; RFC 9113 section 8.2.1. */
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
