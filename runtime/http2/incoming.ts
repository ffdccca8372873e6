/** A request of HTTP/2: its head, and its body as it comes. */
import { EventEmitter } from "node:events"
import type { IncomingHttpHeaders } from "node:http2"
import type { Readable } from "node:stream"
import { bodyStream } from "./body-stream.ts"
import { GatheredBytes } from "./gathered-bytes.ts"
import { errorCode } from "./protocol.ts"
import { announcedLength } from "./request-head.ts"
import type { ServerStream } from "./stream.ts"
import type { ConnectionAccount, ConnectionEnds } from "./surroundings.ts"

const closedConnection: ConnectionEnds = {}
const noBytes = Buffer.alloc(0)

/**
 * Made for every stream that a client opens. Its events are those of a request of node's HTTP/1.1: `resume` once the body is wanted, then `data` and
 * `end`, and `close`; a body that breaks off has `close` without `end`.
 */
export class Http2Incoming extends EventEmitter {
  readonly httpVersionMajor = 2
  url: string | undefined
  /** What the client says its body has; undefined when it says nothing. */
  readonly announcedBytes: number | undefined
  /** The client has sent all of the body. */
  private arrived = false
  readableEnded = false
  destroyed = false
  /** What came and was not read. */
  private readonly unread = new GatheredBytes()
  private receivedBytes = 0
  /** Nobody will read what is still to come. */
  private isDropped = false
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

  /** Of the connection that the request came on. */
  get account(): ConnectionAccount {
    return this.stream.owner.account
  }

  get socket(): ConnectionEnds {
    return this.stream.closed ? closedConnection : this.stream.owner.ends
  }

  get complete(): boolean {
    return this.arrived || this.destroyed
  }

  /** Bytes of the body that came and were not read. */
  get readableLength(): number {
    return this.unread.length
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

  /** Whether a body comes with the request; one of no bytes whose length was announced is none. */
  get hasBody(): boolean {
    return this.announcedBytes === undefined ? !this.complete || this.readableLength > 0 : this.announcedBytes > 0
  }

  /**
   * The body to be taken as a whole, with `release`; undefined when it is not known how much may come. A client that waits to be asked for its body sends
   * none of it before.
   */
  get wholeBody(): this | undefined {
    return this.complete || this.announcedBytes !== undefined ? this : undefined
  }

  /** Called by what passes the body on, at most once per request. */
  asStream(): Readable {
    return bodyStream(this)
  }

  /** All of the body, once all of it is here; reading it so is reading its end. Undefined: it is not, or not any more. */
  take(): Buffer | undefined {
    if (!this.arrived || this.isDropped) return undefined
    this.readableEnded = true
    if (this.unread.length === 0) return noBytes
    this.charge(-this.unread.keptBytes)
    return this.unread.take()
  }

  /**
   * Calls `told` once all of the body is here, or never will be. The client may go on sending meanwhile, as much as it announced: called when that is
   * known to be little enough.
   */
  whenArrived(told: () => void): void {
    if (this.complete) return told()
    this.waiting = told
    this.emit("resume")
    this.stream.owner.consumed(this.stream, this.unread.length)
  }

  /** Nobody waits any longer. */
  forgetWaiting(): void {
    this.waiting = undefined
  }

  /**
   * Called when the body, or the rest of it, will not be read: what has come is thrown away, and what still comes is as soon as it is here. Once the
   * whole answer was sent the client need not send the rest. RFC 9113 section 8.1.
   */
  discardBody(): void {
    this.drop()
    if (this.complete) return
    const { outgoing } = this.stream
    if (outgoing.writableFinished) this.stopBody()
    else outgoing.once("finish", () => this.stopBody())
  }

  private drop(): void {
    this.isDropped = true
    if (this.unread.length === 0) return
    this.charge(-this.unread.keptBytes)
    this.unread.clear()
  }

  private stopBody(): void {
    if (!this.complete) this.stream.owner.reset(this.stream, errorCode.noError)
  }

  /** Called by the connection with some of the body. Answers false when that is more, or less, than was announced. */
  receive(payload: Buffer, isLast: boolean): boolean {
    const { announcedBytes } = this
    this.receivedBytes += payload.length
    if (isLast) this.arrived = true
    if (announcedBytes !== undefined && (this.receivedBytes > announcedBytes || (isLast && this.receivedBytes < announcedBytes)))
      return false
    if (this.isDropped) return true
    if (payload.length > 0) this.keep(payload, isLast)
    if (this.waiting === undefined) this.willEmit()
    else if (this.arrived) this.tellArrived()
    else this.stream.owner.consumed(this.stream, payload.length)
    return true
  }

  private keep(payload: Buffer, isLast: boolean): void {
    const { unread } = this
    const before = unread.keptBytes
    // What is not read at once is copied: it would hold on to all that came with it.
    if (isLast && payload.length >= unread.length) unread.keep(payload)
    else unread.add(payload)
    this.charge(unread.keptBytes - before)
  }

  private charge(bytes: number): void {
    if (bytes !== 0) this.stream.owner.account.charge(bytes)
  }

  /** Called by the connection when the stream is over. */
  close(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.drop()
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
    while (this.isFlowing) {
      const before = this.unread.keptBytes
      const chunk = this.unread.shift()
      if (chunk === undefined) break
      this.charge(this.unread.keptBytes - before)
      this.stream.owner.consumed(this.stream, chunk.length)
      this.emit("data", chunk)
    }
    if (!this.isFlowing || !this.arrived || this.readableEnded || this.isDropped) return
    this.readableEnded = true
    this.emit("end")
  }
}
