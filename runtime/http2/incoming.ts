/** A request of HTTP/2: its head, and its body as it arrives. */
import { EventEmitter } from "node:events"
import type { IncomingHttpHeaders } from "node:http2"
import type { Readable } from "node:stream"
import { bodyStream } from "./body-stream.ts"
import { GatheredBytes } from "./gathered-bytes.ts"
import { errorCode } from "./protocol.ts"
import { announcedLength } from "./request-head.ts"
import type { ConnectionAccount, ConnectionEnds } from "./surroundings.ts"

/** The members of a stream that a request uses. */
export interface IncomingStream {
  readonly closed: boolean
  /** Of its connection. */
  readonly ends: ConnectionEnds
  /** Charged with the bytes of the body that wait. */
  readonly account: ConnectionAccount
  readonly outgoing: { readonly writableFinished: boolean; once(event: "finish", listener: () => void): unknown }
  /** The request has read `bytes` of its body: the client may send as many again. */
  consumed(bytes: number): void
  /** Ends the stream early. `code` is one of `errorCode`. */
  reset(code: number): void
}

const noBytes = Buffer.alloc(0)

/**
 * Created for each stream that a client opens. Its events are as for node's HTTP/1.1 request: `resume` once the body is
 * wanted, then `data` and `end`, and `close`. A body that breaks off has `close` without `end`.
 */
export class Http2Incoming extends EventEmitter {
  readonly httpVersionMajor = 2
  url: string | undefined
  /** The `content-length`; undefined if there is none. */
  readonly announcedBytes: number | undefined
  /** The whole body has arrived. */
  private arrived = false
  readableEnded = false
  destroyed = false
  /** Bytes that have arrived and were not read. */
  private readonly unread = new GatheredBytes()
  /** Bytes of the body that have arrived. */
  receivedBytes = 0
  /** The rest of the body will not be read. */
  private isDropped = false
  /** A listener gets the body as it arrives. */
  private isFlowing = false
  private willFlow = false
  /** The callback of `whenArrived`. */
  private waiting: (() => void) | undefined

  constructor(
    private readonly stream: IncomingStream,
    readonly headers: IncomingHttpHeaders,
    /** The values of fields that were sent more than once. */
    readonly repeatedFields?: ReadonlyMap<string, readonly string[]> | undefined,
  ) {
    super()
    this.url = headers[":path"]
    this.announcedBytes = announcedLength(headers)
  }

  get method(): string | undefined {
    return this.headers[":method"]
  }

  /** The account of the request's connection. */
  get account(): ConnectionAccount {
    return this.stream.account
  }

  get socket(): ConnectionEnds {
    return this.stream.ends
  }

  get complete(): boolean {
    return this.arrived || this.destroyed
  }

  /** The body is read, or dropped, and has not arrived yet. */
  get isReceiving(): boolean {
    return !this.complete && (this.isFlowing || this.isDropped || this.waiting !== undefined)
  }

  /** The unread bytes of the body that have arrived. */
  get readableLength(): number {
    return this.unread.length
  }

  /** A listener of `data` starts the flow of the body. */
  override on(event: string | symbol, listener: (chunk: Buffer) => void): this {
    super.on(event, listener)
    if (event === "data") this.flow()
    return this
  }

  pause(): this {
    this.isFlowing = false
    return this
  }

  /** Called to continue after `pause`. */
  resume(): this {
    this.flow()
    return this
  }

  /** Whether the request has a body. A body with an announced length of 0 is none. */
  get hasBody(): boolean {
    return this.announcedBytes === undefined ? !this.complete || this.readableLength > 0 : this.announcedBytes > 0
  }

  /**
   * The body for a reader that uses `take`; undefined if its length is unknown. A client with `Expect: 100-continue`
   * sends no body before it is asked.
   */
  get wholeBody(): this | undefined {
    return this.complete || this.announcedBytes !== undefined ? this : undefined
  }

  /** Called at most once per request, by code that passes the body on. */
  asStream(): Readable {
    return bodyStream(this)
  }

  /**
   * Returns the body once all of it has arrived, which counts as reading its end. Undefined if it has not arrived, or
   * was dropped.
   */
  take(): Buffer | undefined {
    if (!this.arrived || this.isDropped) return undefined
    this.readableEnded = true
    if (this.unread.length === 0) return noBytes
    this.charge(-this.unread.keptBytes)
    return this.unread.take()
  }

  /**
   * Calls back once the whole body has arrived, or never will. The client may meanwhile send as much as it announced,
   * so call this only if that is known to be little enough.
   */
  whenArrived(told: () => void): void {
    if (this.complete) return told()
    this.waiting = told
    this.emit("resume")
    this.stream.consumed(this.unread.length)
  }

  /** Drops the callback of `whenArrived`. */
  forgetWaiting(): void {
    this.waiting = undefined
  }

  /**
   * Called when the body, or the rest of it, will not be read: discards all bytes, arrived or still to arrive. Once the
   * whole answer was sent, asks the client to stop sending. RFC 9113 section 8.1.
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
    if (!this.complete) this.stream.reset(errorCode.noError)
  }

  /** Called by the connection with a part of the body. False if the length is not the announced one. */
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
    else this.stream.consumed(payload.length)
    return true
  }

  private keep(payload: Buffer, isLast: boolean): void {
    const { unread } = this
    const before = unread.keptBytes
    // A part that is not read at once is copied: a view would keep the whole chunk.
    if (isLast && payload.length >= unread.length) unread.keep(payload)
    else unread.add(payload)
    this.charge(unread.keptBytes - before)
  }

  private charge(bytes: number): void {
    if (bytes !== 0) this.stream.account.charge(bytes)
  }

  /** Called by the connection when the stream ends. */
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

  /** Emits in a later turn, so that the reader can first add its other listeners. */
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
      this.stream.consumed(chunk.length)
      this.emit("data", chunk)
    }
    if (!this.isFlowing || !this.arrived || this.readableEnded || this.isDropped) return
    this.readableEnded = true
    this.emit("end")
  }
}
