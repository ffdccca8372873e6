/**
 * Requests and answers of HTTP/2, straight on node's streams. Node has classes of its own for this (`Http2ServerRequest`, `Http2ServerResponse`)
 * that behave like those of HTTP/1.1 in every corner; their listeners, their second stream and their trailers take a seventh of a get.
 */
import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from "node:http2"
import type { ConnectionEnds, Incoming, Outgoing, OutgoingEvent } from "./exchange.ts"

const closedConnection: ConnectionEnds = {}
const noBytes = Buffer.alloc(0)

/** Made by node for every stream that a client opens. Its body is the stream itself. */
export class Http2Incoming implements Incoming {
  readonly httpVersionMajor = 2
  private taken = false
  url: string | undefined

  constructor(
    readonly stream: ServerHttp2Stream,
    readonly headers: IncomingHttpHeaders,
  ) {
    this.url = headers[":path"]
  }

  get method(): string | undefined {
    return this.headers[":method"]
  }

  get socket(): ConnectionEnds {
    return this.stream.session?.socket ?? closedConnection
  }

  get complete(): boolean {
    const { stream } = this
    return this.taken || stream.endAfterHeaders || stream.readableEnded || stream.destroyed
  }

  get readableEnded(): boolean {
    return this.stream.readableEnded
  }

  get destroyed(): boolean {
    return this.stream.destroyed
  }

  on(event: "data", listener: (chunk: Buffer) => void): this
  on(event: "end" | "error" | "aborted" | "close", listener: () => void): this
  on(event: string, listener: (chunk: Buffer) => void): this {
    this.stream.on(event, listener)
    return this
  }

  once(event: "resume", listener: () => void): this {
    this.stream.once(event, listener)
    return this
  }

  off(event: "data", listener: (chunk: Buffer) => void): this
  off(event: "end" | "error" | "aborted" | "close", listener: () => void): this
  off(event: string, listener: (chunk: Buffer) => void): this {
    this.stream.off(event, listener)
    return this
  }

  pause(): this {
    this.stream.pause()
    return this
  }

  /** The whole body, of so many bytes, once all of them are here; what is there when it ended early. Its end stays unread. */
  take(length: number): Buffer | undefined {
    const bytes: unknown = length === 0 ? noBytes : this.stream.read(length)
    if (!Buffer.isBuffer(bytes)) return undefined
    this.taken = true
    return bytes
  }

  /** Called once the whole answer was sent: the client need not send the rest of its body. */
  stopBody(): void {
    this.stream.close(constants.NGHTTP2_NO_ERROR)
  }
}

/** Node copies these; made once. */
const withBody = {}
const withoutBody = { endStream: true }
const withTrailers = { waitForTrailers: true }

/** The other half of an `Http2Incoming`. */
export class Http2Outgoing implements Outgoing {
  statusCode = 200
  writableEnded = false
  /** What `respond` is given. */
  private readonly head: OutgoingHttpHeaders = { ":status": 200 }
  private trailers: Record<string, string> | undefined

  constructor(readonly stream: ServerHttp2Stream) {
    // What a client does wrong ends its stream; whoever cares listens for the end.
    stream.on("error", ignore)
  }

  get headersSent(): boolean {
    return this.stream.headersSent
  }

  get destroyed(): boolean {
    return this.stream.destroyed
  }

  get writableFinished(): boolean {
    return this.writableEnded && this.stream.writableFinished
  }

  get writableLength(): number {
    return this.stream.writableLength
  }

  getHeader(name: string): number | string | string[] | undefined {
    return this.head[name]
  }

  setHeader(name: string, value: string | string[]): void {
    this.head[name] = value
  }

  writeHead(statusCode: number, headers?: Record<string, string | string[]>): void {
    for (const name in headers) this.head[name] = headers[name]
    this.statusCode = statusCode
    this.respond(this.trailers === undefined ? withBody : withTrailers)
  }

  flushHeaders(): void {
    if (!this.headersSent) this.writeHead(this.statusCode)
  }

  writeContinue(): void {
    if (!this.gone && !this.headersSent) this.stream.additionalHeaders({ ":status": constants.HTTP_STATUS_CONTINUE })
  }

  write(chunk: Uint8Array, taken?: (error: Error | null | undefined) => void): boolean {
    this.flushHeaders()
    const { stream } = this
    // Node ends the stream of an answer that has no body, of HEAD before it is answered.
    if (!stream.writableEnded) return stream.write(chunk, taken)
    if (taken !== undefined) process.nextTick(taken)
    return true
  }

  /** A whole body that comes with the head is one call of node's each; an answer without one is one frame. */
  end(chunk?: Uint8Array): void {
    if (this.writableEnded) return
    this.writableEnded = true
    const { stream } = this
    const empty = chunk === undefined || chunk.length === 0
    if (!stream.headersSent) this.respond(this.trailers !== undefined ? withTrailers : empty ? withoutBody : withBody)
    if (stream.writableEnded) return
    if (empty) stream.end()
    else stream.end(chunk)
  }

  /** Called before the head is sent by who may have trailers: the end of the answer then waits for them, and needs a frame more. */
  expectTrailers(): void {
    this.trailers = {}
    this.stream.once("wantTrailers", () => this.stream.sendTrailers(this.trailers ?? {}))
  }

  addTrailers(trailers: Record<string, string>): void {
    this.trailers = trailers
  }

  destroy(): void {
    this.stream.destroy()
  }

  /** The rest of an answer that has begun will not come. Without an error code the end of the stream would look like that of a whole answer. */
  breakOff(): void {
    this.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  }

  /** The client opens no more streams on this connection; those that are open go on. */
  closeConnection(): void {
    this.stream.session?.close()
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

  private get gone(): boolean {
    return this.stream.destroyed || this.stream.closed
  }

  private respond(options: { endStream?: boolean; waitForTrailers?: boolean }): void {
    if (this.gone) return
    this.head[":status"] = this.statusCode
    this.stream.respond(this.head, options)
  }
}

function ignore(): void {}
