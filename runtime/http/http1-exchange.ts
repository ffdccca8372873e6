/** Requests and answers of HTTP/1.1: node's classes, extended with the members that `exchange.ts` adds. */
import { IncomingMessage, ServerResponse } from "node:http"
import type { Server } from "node:https"
import type { Readable } from "node:stream"
import { type Clock, systemClock } from "../base/clock.ts"
import type { Incoming, Outgoing } from "./exchange.ts"
import type { Account } from "./kept-bytes.ts"
import { drain } from "./drain-body.ts"
import { endInPieces } from "./write-pieces.ts"

export class Http1Incoming extends IncomingMessage implements Incoming {
  /** Set by `Http1Connection`. */
  account: Account | undefined = undefined

  get hasBody(): boolean {
    const length = this.headers["content-length"]
    return length === undefined ? this.headers["transfer-encoding"] !== undefined : Number(length) > 0
  }

  asStream(): Readable {
    return this
  }

  /** Uses real time except in tests: the client has no other. */
  discardBody(outgoing: Outgoing, clock: Clock = systemClock): void {
    if (!this.complete) drain(this, outgoing, clock)
  }
}

export class Http1Outgoing extends ServerResponse<Http1Incoming> implements Outgoing {
  sharesBytes = false
  mayWait = false

  get takenBytes(): number {
    return this.socket === null ? 0 : this.socket.bytesWritten - this.socket.writableLength
  }

  endWhole(body: Uint8Array): void {
    endInPieces(this, body)
  }

  closeAfterAnswer(): void {
    this.setHeader("connection", "close")
  }

  closeUnlessFramed(): void {
    this.closeAfterAnswer()
  }
}

/** For the options of node's servers, which create these classes. */
export const http1Classes = { IncomingMessage: Http1Incoming, ServerResponse: Http1Outgoing }

/** An HTTPS server that creates these classes. */
export type Http1Server = Server<typeof Http1Incoming, typeof Http1Outgoing>
