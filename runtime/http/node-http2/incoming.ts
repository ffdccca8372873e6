/** A request of node:http2. */
import type { IncomingHttpHeaders } from "node:http"
import { constants, type ServerHttp2Stream } from "node:http2"
import type { Readable } from "node:stream"
import { bodyStream } from "../../http2/body-stream.ts"
import { announcedLength } from "../../http2/request-head.ts"
import type { ConnectionAccount, ConnectionEnds } from "../../http2/surroundings.ts"
import type { Incoming, Outgoing } from "../exchange.ts"
import { repeatedIn } from "../sent-values.ts"

type RequestHeaders = IncomingHttpHeaders & { readonly ":method"?: string | undefined; readonly ":path"?: string | undefined }

/** The members of a connection that a request uses. */
interface RequestConnection {
  readonly account: ConnectionAccount
  readonly ends: ConnectionEnds
}

/** Created for each stream that a client opens. Its body is node's stream. */
export class NodeHttp2Incoming implements Incoming {
  readonly httpVersionMajor = 2
  url: string | undefined

  constructor(
    private readonly stream: ServerHttp2Stream,
    readonly headers: RequestHeaders,
    private readonly connection: RequestConnection,
    private readonly fields: readonly string[],
  ) {
    this.url = headers[":path"]
  }

  get repeatedFields(): ReadonlyMap<string, readonly string[]> {
    return repeatedIn(this.fields)
  }

  get method(): string | undefined {
    return this.headers[":method"]
  }

  get account(): ConnectionAccount {
    return this.connection.account
  }

  get socket(): ConnectionEnds {
    return this.connection.ends
  }

  get complete(): boolean {
    const { stream } = this
    return stream.endAfterHeaders || stream.readableEnded || stream.destroyed || stream.state.remoteClose === 1
  }

  get isReceiving(): boolean {
    return !this.complete && this.stream.readableFlowing === true
  }

  get readableEnded(): boolean {
    return this.stream.readableEnded
  }

  get destroyed(): boolean {
    return this.stream.destroyed
  }

  get hasBody(): boolean {
    return (announcedLength(this.headers) ?? 1) > 0 && !this.stream.endAfterHeaders
  }

  asStream(): Readable {
    return bodyStream(this)
  }

  /** Removes listeners of the body: they must neither see nor hold up the rest. */
  discardBody(outgoing: Outgoing): void {
    const { stream } = this
    if (stream.endAfterHeaders || stream.destroyed || stream.readableEnded) return
    stream.removeAllListeners("data")
    stream.resume()
    if (outgoing.writableFinished) this.stopBody()
    else outgoing.once("finish", () => this.stopBody())
  }

  private stopBody(): void {
    if (!this.complete) this.stream.close(constants.NGHTTP2_NO_ERROR)
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

  /** Called to continue after `pause`. */
  resume(): this {
    this.stream.resume()
    return this
  }
}
