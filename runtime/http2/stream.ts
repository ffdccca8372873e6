/** One request and its answer on a connection of HTTP/2: RFC 9113 section 5.1. */
import type { IncomingHttpHeaders } from "node:http2"
import { Http2Incoming } from "./incoming.ts"
import { Http2Outgoing } from "./outgoing.ts"
import type { Stalled } from "./stalled.ts"
import type { ConnectionAccount, ConnectionEnds } from "./surroundings.ts"

/** What a stream asks of its connection. */
export interface StreamOwner {
  readonly ends: ConnectionEnds
  /** Charged with all that the stream keeps. */
  readonly account: ConnectionAccount
  /** The stream has something to send. */
  ready(stream: ServerStream): void
  /** So much of the body was read: the client may send as much again. */
  consumed(stream: ServerStream, bytes: number): void
  /** Ends the stream before its time. `code` is one of `errorCode`. */
  reset(stream: ServerStream, code: number): void
  /** A head that is no answer yet, `100 Continue`. */
  inform(stream: ServerStream, status: number): void
  /** The client opens no more streams; those that are open go on. */
  close(): void
}

/**
 * ```
 * open ── END_STREAM of the client ──▶ half closed (remote) ── our END_STREAM ──▶ closed
 *   └──── our END_STREAM ──▶ half closed (local) ── END_STREAM of the client ──▶ closed
 * any state ── RST_STREAM of either, or the end of the connection ──▶ closed
 * ```
 */
export class ServerStream {
  /** The client has sent all of its request. */
  remoteEnded = false
  /** Our END_STREAM is on its way. */
  localEnded = false
  closed = false
  /** What we may send; less than nothing after the client made windows smaller. */
  sendWindowBytes: number
  /** What the client may still send, and what of that it was not told yet. */
  receiveWindowBytes: number
  ungrantedBytes = 0
  /** What the connection's account was charged for the request itself. */
  readonly costBytes: number
  /** Whether the client takes the answer; made once that has to wait. */
  stalled: Stalled | undefined
  /** It waits in the sender's row. */
  isQueued = false
  readonly incoming: Http2Incoming
  readonly outgoing: Http2Outgoing

  constructor(
    readonly id: number,
    readonly owner: StreamOwner,
    begin: {
      readonly headers: IncomingHttpHeaders
      readonly costBytes: number
      readonly sendWindowBytes: number
      readonly receiveWindowBytes: number
    },
  ) {
    this.costBytes = begin.costBytes
    this.sendWindowBytes = begin.sendWindowBytes
    this.receiveWindowBytes = begin.receiveWindowBytes
    this.incoming = new Http2Incoming(this, begin.headers)
    this.outgoing = new Http2Outgoing(this)
  }
}
