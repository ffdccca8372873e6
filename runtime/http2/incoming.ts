/** A request of HTTP/2: its head, and its body as it comes. */
import { EventEmitter } from "node:events"
import type { IncomingHttpHeaders } from "node:http2"
import type { ConnectionEnds, Incoming } from "../http/exchange.ts"
import { errorCode } from "./protocol.ts"
import { announcedLength } from "./request-head.ts"
import type { ServerStream } from "./stream.ts"

const closedConnection: ConnectionEnds = {}
const noBytes = Buffer.alloc(0)

/** Made for every stream that a client opens. Its events are those of `Incoming`; a body that breaks off has `close` without `end`. */
export class Http2Incoming extends EventEmitter implements Incoming {
  readonly httpVersionMajor = 2
  url: string | undefined
  /** What the client says its body has; undefined when it says nothing. */
  readonly announcedBytes: number | undefined
  /** The client has sent all of the body. */
  private arrived = false
  readableEnded = false
  destroyed = false
  /** What came and was not read. */
  private chunks: Buffer[] = []
  private unreadBytes = 0
  private receivedBytes = 0
  /** Somebody listens to the body. */
  private isFlowing = false
  private willFlow = false
  /** Who waits for the whole of it. */
  private waiting: (() => void) | undefined

  constructor(
    private readonly stream: ServerStream,
    readonly headers: IncomingHttpHeaders,
  ) {
    super()
    this.url = headers[":path"]
    this.announcedBytes = announcedLength(headers)
  }

  get method(): string | undefined {
    return this.headers[":method"]
  }

  get socket(): ConnectionEnds {
    return this.stream.closed ? closedConnection : this.stream.owner.ends
  }

  get complete(): boolean {
    return this.arrived || this.destroyed
  }

  /** Bytes of the body that came and were not read. */
  get readableLength(): number {
    return this.unreadBytes
  }

  /** Listening to the body lets it flow. */
  override on(event: string | symbol, listener: (chunk: Buffer) => void): this {
    super.on(event, listener)
    if (event === "data") this.flow()
    return this
  }

  pause(): this {
    this.isFlowing = false
    return this
  }

  /** Called to go on after `pause`. */
  resume(): this {
    this.flow()
    return this
  }

  /** All of the body, once all of it is here; reading it so is reading its end. Undefined: it is not. */
  take(): Buffer | undefined {
    if (!this.arrived) return undefined
    const { chunks } = this
    this.chunks = []
    this.unreadBytes = 0
    this.readableEnded = true
    return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
  }

  /**
   * Calls `told` once all of the body is here, or never will be. The client may go on sending meanwhile, as much as it announced: called when that is
   * known to be little enough.
   */
  whenArrived(told: () => void): void {
    if (this.complete) return told()
    this.waiting = told
    this.emit("resume")
    this.stream.owner.consumed(this.stream, this.unreadBytes)
  }

  /** Nobody waits any longer. */
  forgetWaiting(): void {
    this.waiting = undefined
  }

  /** Called once the whole answer was sent: the client need not send the rest of its body. RFC 9113 section 8.1. */
  stopBody(): void {
    if (!this.complete) this.stream.owner.reset(this.stream, errorCode.noError)
  }

  /** Called by the connection with some of the body. Answers false when that is more, or less, than was announced. */
  receive(payload: Buffer, isLast: boolean): boolean {
    const { announcedBytes } = this
    this.receivedBytes += payload.length
    if (isLast) this.arrived = true
    if (announcedBytes !== undefined && (this.receivedBytes > announcedBytes || (isLast && this.receivedBytes < announcedBytes)))
      return false
    if (payload.length > 0) {
      // What is not read at once is copied: it would hold on to all that came with it.
      this.chunks.push(isLast ? payload : Buffer.from(payload))
      this.unreadBytes += payload.length
    }
    if (this.waiting === undefined) this.willEmit()
    else if (this.arrived) this.tellArrived()
    else this.stream.owner.consumed(this.stream, payload.length)
    return true
  }

  /** Called by the connection when the stream is over. */
  close(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.tellArrived()
    this.emit("close")
  }

  private tellArrived(): void {
    const { waiting } = this
    this.waiting = undefined
    waiting?.()
  }

  private flow(): void {
    if (this.isFlowing) return
    this.isFlowing = true
    this.emit("resume")
    this.willEmit()
  }

  /** Not at once: who begins to listen has more listeners to add. */
  private willEmit(): void {
    if (!this.isFlowing || this.willFlow) return
    this.willFlow = true
    process.nextTick(() => this.emitBody())
  }

  private emitBody(): void {
    this.willFlow = false
    while (this.isFlowing && this.chunks.length > 0) {
      const chunk = this.chunks.shift() ?? noBytes
      this.unreadBytes -= chunk.length
      this.stream.owner.consumed(this.stream, chunk.length)
      this.emit("data", chunk)
    }
    if (!this.isFlowing || !this.arrived || this.readableEnded) return
    this.readableEnded = true
    this.emit("end")
  }
}
