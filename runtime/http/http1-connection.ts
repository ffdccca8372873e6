/** A connection of HTTP/1.1. Node reads and writes it; this class enforces its limits. */
import type { Socket } from "node:net"
import type { Http1Incoming, Http1Outgoing } from "./http1-exchange.ts"
import type { Account, KeptBytes } from "./kept-bytes.ts"
import { http1PipelinedRequestsMax, requestCostBytes, requestHeaderBytesMax, writeProgressBytes } from "../base/limits.ts"
import { endWithError, malformedError, type ParserFault, refuse } from "./malformed-request.ts"
import { Stalled } from "../http2/stalled.ts"
import type { OpenExchange } from "../http2/surroundings.ts"
import type { StoppingConnection } from "./stop-check.ts"
import type { TimeLimits } from "./time-limits.ts"

/** One request and its answer. */
interface Http1Exchange {
  readonly request: Http1Incoming
  readonly response: Http1Outgoing
}

export class Http1Connection implements StoppingConnection {
  readonly account: Account
  /** Requests in flight, newest last. */
  private readonly exchanges: Http1Exchange[] = []
  /** The client sent something that is not HTTP. Later faults are ignored. */
  private isFaulty = false
  private isClosing = false
  private readonly stalled = new Stalled(writeProgressBytes)
  /** Bytes read when the latest request ended: later bytes belong to the next head. */
  private readBytes = 0
  /** The body of an answered request is still arriving. */
  private isDraining = false

  constructor(
    readonly socket: Socket,
    private readonly options: { readonly kept: KeptBytes; readonly times: TimeLimits },
  ) {
    const { remoteAddress, remotePort } = socket
    this.account = options.kept.open({
      remoteAddress,
      remotePort,
      userAgent: () => this.exchanges[0]?.request.headers["user-agent"],
      measure: () => this.uncountedBytes(),
      cut: () => socket.destroy(),
    })
    socket.on("close", () => {
      this.account.close()
      // Node closes only the answer whose turn it is, and none once another protocol has taken the connection.
      for (const exchange of [...this.exchanges]) {
        const { response } = exchange
        if (response.socket !== null) continue
        response.destroy()
        if (!this.exchanges.includes(exchange)) continue
        response.emit("close")
        // Node 24 emits it too, later. The count of requests in flight must see the event once.
        response.removeAllListeners("close")
      }
    })
  }

  /** Called for each request. False if the request must not be answered, since the connection is gone. */
  begin(request: Http1Incoming, response: Http1Outgoing): boolean {
    const { account, exchanges, socket } = this
    // Node reads all requests in a chunk of bytes, even after the connection was destroyed.
    if (socket.destroyed) return false
    if (exchanges.length >= http1PipelinedRequestsMax) {
      socket.destroy()
      return false
    }
    request.account = account
    const costBytes = requestCostBytes + lengthOf(request.rawHeaders)
    account.charge(costBytes)
    const exchange = { request, response }
    exchanges.push(exchange)
    response.on("close", () => {
      account.charge(-costBytes)
      exchanges.splice(exchanges.indexOf(exchange), 1)
      if (exchanges.length === 0) this.over(request)
    })
    return true
  }

  /** Called when the latest request has its answer. */
  private over(request: Http1Incoming): void {
    const { socket } = this
    this.readBytes = socket.bytesRead
    this.isDraining = !request.complete
    request.once("end", () => {
      this.readBytes = socket.bytesRead
      this.isDraining = false
    })
    if (this.isClosing) socket.destroySoon()
  }

  /**
   * An incomplete head is in node's parser, the part of a body that was read ahead is in the request, and waiting
   * answers are in its streams and once more in TLS. Frames of watches are only in TLS.
   */
  private uncountedBytes(): number {
    const { exchanges, isDraining, readBytes, socket } = this
    if (exchanges.length === 0 && !isDraining)
      return 2 * socket.writableLength + Math.min(socket.bytesRead - readBytes, requestHeaderBytesMax)
    return exchanges.reduce(
      (sum, { request, response }) => sum + request.readableLength + (response.sharesBytes ? 0 : response.writableLength),
      socket.writableLength,
    )
  }

  /** A fault within the body of a request becomes its answer. A fault behind a request is reported after its answer. */
  onFault(fault: ParserFault): void {
    const { socket } = this
    if (this.isFaulty) return
    this.isFaulty = true
    const latest = this.exchanges.at(-1)
    if (latest === undefined) return endWithError(socket, malformedError(fault))
    const { request, response } = latest
    if (request.complete) response.once("close", () => endWithError(socket, malformedError(fault)))
    else if (response.headersSent) socket.destroy()
    else refuse(response, malformedError(fault))
  }

  /**
   * Called at intervals: ends the connection when its client does not take its answers. Node bounds the time of heads.
   */
  check(nowMs: number): void {
    const { exchanges, options, socket, stalled } = this
    this.account.measure()
    // Once another protocol has the connection, a slow client delays only the sender at the other end, and users may
    // keep a session open for as long as they like.
    const answering = exchanges[0]?.response
    if (answering?.socket === null) return
    const { bytesWritten, writableLength } = socket
    const waits = answering?.mayWait === true ? 0 : writableLength
    const stalledMs = stalled.forMs(nowMs, { waits, taken: bytesWritten - writableLength })
    if (stalledMs >= options.times.socketStallTimeoutMs) socket.destroy()
  }

  /** Exchanges behind the first wait for it, so the client cannot advance them. */
  openExchanges(): readonly OpenExchange[] {
    const { socket } = this
    return this.exchanges.map(({ request, response }, index) => ({
      id: response,
      // Another protocol has the connection: its taker ends it.
      isAnswered: response.headersSent || (index === 0 && response.socket === null),
      isReceiving: index === 0 && !request.complete && request.readableFlowing === true,
      receivedBytes: socket.bytesRead,
      waitingBytes: index === 0 ? Math.max(response.writableLength, socket.writableLength) : 0,
      takenBytes: socket.bytesWritten - socket.writableLength,
      cut: () => socket.destroy(),
    }))
  }

  /** The server is stopping: ends the connection once its requests have their answers. */
  close(): void {
    this.isClosing = true
    if (this.exchanges.length === 0) this.socket.destroy()
  }
}

function lengthOf(rawHeaders: readonly string[]): number {
  let length = 0
  for (const text of rawHeaders) length += text.length
  return length
}
