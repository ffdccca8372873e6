/** One request and its answer on an HTTP/2 connection: RFC 9113 section 5.1. */
import type { IncomingHttpHeaders } from "node:http2"
import { Http2Incoming, type IncomingStream } from "./incoming.ts"
import { Http2Outgoing, type OutgoingStream } from "./outgoing.ts"
import type { Stalled } from "./stalled.ts"
import { errorCode } from "./protocol.ts"
import type { ConnectionAccount, ConnectionEnds, OpenExchange } from "./surroundings.ts"

/** The members of a connection that a stream uses. */
export interface StreamOwner {
  readonly ends: ConnectionEnds
  /** Charged with everything that the stream keeps. */
  readonly account: ConnectionAccount
  /** Called when the stream has something to send. */
  ready(stream: ServerStream): void
  /** Called when `bytes` of the body were read: the client may send as many again. */
  consumed(stream: ServerStream, bytes: number): void
  /** Ends the stream early. `code` is one of `errorCode`. */
  reset(stream: ServerStream, code: number): void
  /** Sends an informational head, `100 Continue`. */
  inform(stream: ServerStream, status: number): void
  /** The client opens no more streams; open streams go on. */
  close(): void
}

/**
 * ```
 * open ── END_STREAM of the client ──▶ half closed (remote) ── END_STREAM of the server ──▶ closed
 *   └──── END_STREAM of the server ──▶ half closed (local) ── END_STREAM of the client ──▶ closed
 * any state ── RST_STREAM of either, or the end of the connection ──▶ closed
 * ```
 */
export class ServerStream implements IncomingStream, OutgoingStream {
  /** The whole request has arrived. */
  remoteEnded = false
  /** The server's END_STREAM is on its way. */
  localEnded = false
  closed = false
  /** Bytes that the server may send. Negative if the client has reduced its windows. */
  sendWindowBytes: number
  /** Bytes that the client may still send, and read bytes for which it has no new window yet. */
  receiveWindowBytes: number
  ungrantedBytes = 0
  /** The charge for the request itself. */
  readonly costBytes: number
  /** Whether the client takes the answer; created when the answer first has to wait. */
  stalled: Stalled | undefined
  /** The stream waits in the sender's row. */
  isQueued = false
  readonly incoming: Http2Incoming
  readonly outgoing: Http2Outgoing

  constructor(
    readonly id: number,
    readonly owner: StreamOwner,
    begin: {
      readonly headers: IncomingHttpHeaders
      /** The values of fields that were sent more than once. */
      readonly repeated: ReadonlyMap<string, readonly string[]> | undefined
      readonly costBytes: number
      readonly sendWindowBytes: number
      readonly receiveWindowBytes: number
    },
  ) {
    this.costBytes = begin.costBytes
    this.sendWindowBytes = begin.sendWindowBytes
    this.receiveWindowBytes = begin.receiveWindowBytes
    this.incoming = new Http2Incoming(this, begin.headers, begin.repeated)
    this.outgoing = new Http2Outgoing(this)
  }

  get ends(): ConnectionEnds {
    return this.owner.ends
  }

  get account(): ConnectionAccount {
    return this.owner.account
  }

  exchange(): OpenExchange {
    const { incoming, outgoing } = this
    return {
      id: this,
      isAnswered: outgoing.headersSent,
      isReceiving: incoming.isReceiving,
      receivedBytes: incoming.receivedBytes,
      waitingBytes: outgoing.writableLength,
      takenBytes: outgoing.takenBytes,
      cut: () => this.reset(errorCode.cancel),
    }
  }

  ready(): void {
    this.owner.ready(this)
  }

  consumed(bytes: number): void {
    this.owner.consumed(this, bytes)
  }

  reset(code: number): void {
    this.owner.reset(this, code)
  }

  inform(status: number): void {
    this.owner.inform(this, status)
  }

  closeConnection(): void {
    this.owner.close()
  }
}
