/**
 * The server's end of an HTTP/2 connection, by node:http2 and nghttp2. It is slower than `runtime/http2` and has fewer
 * bounds, which `runtime/http2/README.md` lists. It is the fallback in case a fault is found in `runtime/http2`.
 */
// Old versions of Node have no performServerHandshake: a named import would fail before the version is checked.
import http2, { constants, type ServerHttp2Session, type ServerHttp2Stream, type ServerOptions } from "node:http2"
import type { Socket } from "node:net"
import { systemClock } from "../../base/clock.ts"
import { Allowance } from "../../http2/allowance.ts"
import {
  http2CheapFramesBurst,
  http2CheapFramesPerSecond,
  http2ResetsBurst,
  http2ResetsPerSecond,
  http2WindowBytes,
} from "../../http2/limits.ts"
import { windowBytesMax } from "../../http2/protocol.ts"
import { Stalled } from "../../http2/stalled.ts"
import type { ConnectionAccount, ConnectionEnds, OpenExchange } from "../../http2/surroundings.ts"
import { requestCostBytes, requestHeaderBytesMax, requestHeaderFieldsMax, writeProgressBytes } from "../../base/limits.ts"
import { nodeHttp2InvalidFramesMax, nodeHttp2PingsMax, nodeHttp2RejectedStreamsMax, nodeHttp2SessionMemoryMb } from "./limits.ts"
import type { Http2Options, Http2Session } from "../http2-session.ts"
import { type TimeLimits, timeLimits } from "../time-limits.ts"
import { NodeHttp2Incoming } from "./incoming.ts"
import { NodeHttp2Outgoing } from "./outgoing.ts"

/** Called once per connection, after the TLS handshake and before any byte is read. */
export function openNodeHttp2(options: Http2Options): Http2Session {
  return new NodeHttp2Session(options)
}

interface Exchange {
  readonly stream: ServerHttp2Stream
  readonly incoming: NodeHttp2Incoming
  readonly outgoing: NodeHttp2Outgoing
  /** Whether the client takes the answer; created when the answer first has to wait. */
  stalled: Stalled | undefined
}

/** Node's types lack these two options. */
type SessionOptions = ServerOptions & { readonly streamResetBurst: number; readonly streamResetRate: number }

class NodeHttp2Session implements Http2Session {
  readonly account: ConnectionAccount
  readonly ends: ConnectionEnds
  readonly socket: Socket
  private readonly session: ServerHttp2Session
  private readonly times: TimeLimits
  private readonly exchanges = new Set<Exchange>()
  private hasSettings = false
  /** The time of the first check. */
  private openedMs: number | undefined
  private readonly cheapFrames = new Allowance({ burst: http2CheapFramesBurst, perSecond: http2CheapFramesPerSecond }, systemClock)
  /** `bytesWritten` when the last check reset answers because nothing was taken; undefined if it reset none. */
  private resetAtBytes: number | undefined
  /** The time at which the last stream closed; undefined while some are open. */
  private idleSinceMs: number | undefined
  /** Progress of all answers together. */
  private readonly stalled = new Stalled(writeProgressBytes)
  /** Bytes that finished answers took. */
  private takenBytes = 0

  constructor(private readonly options: Http2Options) {
    const { kept, socket, times = timeLimits } = options
    const { localAddress, localPort, remoteAddress, remotePort } = socket
    this.socket = socket
    this.times = times
    this.ends = { localAddress, localPort, remoteAddress, tlsSocket: socket }
    this.account = kept.open({
      remoteAddress,
      remotePort,
      userAgent: () => [...this.exchanges][0]?.incoming.headers["user-agent"],
      measure: () => this.uncountedBytes(),
      cut: () => this.destroy(),
    })
    socket.setNoDelay(true)
    this.session = http2.performServerHandshake(socket, sessionOptions(options.streamsMax))
    this.listen()
    // The windows of streams bound the kept bytes, so the connection's window need not.
    this.session.setLocalWindowSize(Math.min(windowBytesMax, http2WindowBytes * options.streamsMax))
  }

  get destroyed(): boolean {
    return this.session.destroyed
  }

  ping(over: (fault: Error | null) => void): boolean {
    return !this.session.destroyed && this.session.ping((fault) => over(fault))
  }

  on(event: "close", listener: () => void): void {
    this.session.on(event, listener)
  }

  close(): void {
    if (this.session.destroyed || this.session.closed) return
    this.session.close()
    this.lingerIfIdle()
  }

  destroy(): void {
    this.session.destroy()
    this.socket.destroy()
  }

  /** Ends the session of a client that does too much or too little. */
  private fail(): void {
    this.session.destroy(new Error("the client does too much, or too little"), constants.NGHTTP2_ENHANCE_YOUR_CALM)
  }

  /** Cuts a client that does not close its end. Uses real time: the client has no other. */
  private lingerIfIdle(): void {
    if (this.exchanges.size > 0 || !this.session.closed) return
    const cancel = systemClock.after(this.times.lingerMs, () => this.socket.destroy())
    this.socket.once("close", cancel)
  }

  /** Node counts received bytes by connection. */
  openExchanges(): readonly OpenExchange[] {
    return [...this.exchanges].map(({ incoming, outgoing }) => ({
      id: outgoing,
      isAnswered: outgoing.headersSent,
      isReceiving: incoming.isReceiving,
      receivedBytes: this.socket.bytesRead,
      waitingBytes: outgoing.writableLength,
      takenBytes: outgoing.takenBytes,
      cut: () => outgoing.cancel(),
    }))
  }

  check(nowMs: number): void {
    if (this.session.destroyed) return
    const { times } = this
    this.account.measure()
    this.openedMs ??= nowMs
    if (!this.hasSettings && nowMs - this.openedMs >= times.requestHeaderTimeoutMs) return this.fail()
    if (this.isIdleTooLong(nowMs)) return this.close()
    this.endStalled(nowMs)
  }

  private listen(): void {
    const { account, session } = this
    const countCheap = (): void => {
      if (!this.cheapFrames.take() && !session.destroyed) this.fail()
    }
    session.on("ping", countCheap)
    session.on("goaway", countCheap)
    session.on("remoteSettings", countCheap)
    // Node's types lack the last argument: names and values in turn.
    session.on("stream", (stream: ServerHttp2Stream, headers: NodeHttp2Incoming["headers"], _flags: number, fields: string[] = []) =>
      this.onStream(stream, headers, fields),
    )
    session.once("remoteSettings", () => {
      this.hasSettings = true
    })
    // A client's fault ends its connection, which `close` reports.
    session.on("error", () => undefined)
    session.once("close", () => account.close())
  }

  private onStream(stream: ServerHttp2Stream, headers: NodeHttp2Incoming["headers"], fields: readonly string[]): void {
    const { account, exchanges } = this
    const incoming = new NodeHttp2Incoming(stream, headers, this, fields)
    const outgoing = new NodeHttp2Outgoing(stream, this)
    if (stream.destroyed) return
    const exchange: Exchange = { stream, incoming, outgoing, stalled: undefined }
    const costBytes = requestCostBytes + lengthOf(headers)
    account.charge(costBytes)
    exchanges.add(exchange)
    stream.once("close", () => {
      exchanges.delete(exchange)
      account.charge(-costBytes)
      this.takenBytes += outgoing.takenBytes
      this.lingerIfIdle()
    })
    this.options.onRequest(incoming, outgoing, false)
  }

  /** Unread bytes of bodies. Bytes of frames that nghttp2 keeps are unknown. */
  private uncountedBytes(): number {
    let bytes = 0
    for (const { stream } of this.exchanges) bytes += stream.readableLength
    return bytes
  }

  private isIdleTooLong(nowMs: number): boolean {
    if (this.exchanges.size > 0) this.idleSinceMs = undefined
    else this.idleSinceMs ??= nowMs
    return this.idleSinceMs !== undefined && nowMs - this.idleSinceMs >= this.times.idleConnectionTimeoutMs
  }

  /**
   * Resets answers that the client does not take. Node does not report whether a window or the kernel holds them up. If
   * the connection has a window and no answer makes progress, the longer of the two time limits applies. If the client
   * does not even take the resets, cuts the connection.
   */
  private endStalled(nowMs: number): void {
    const { session, socket, times } = this
    if (this.resetAtBytes === socket.bytesWritten) return this.destroy()
    this.resetAtBytes = undefined
    const { isAllStalled, stalledMs, outgoings } = this.stalledAnswers(nowMs)
    const hasWindow = (session.state.remoteWindowSize ?? 0) > 0
    if (hasWindow ? isAllStalled && stalledMs < times.socketStallTimeoutMs : !isAllStalled) return
    for (const outgoing of outgoings) outgoing.cancel()
    if (outgoings.length > 0 && isAllStalled) this.resetAtBytes = socket.bytesWritten
  }

  private stalledAnswers(nowMs: number): { isAllStalled: boolean; stalledMs: number; outgoings: readonly NodeHttp2Outgoing[] } {
    const { writeStallTimeoutMs } = this.times
    let waits = 0
    let taken = this.takenBytes
    const outgoings: NodeHttp2Outgoing[] = []
    for (const exchange of this.exchanges) {
      const { outgoing } = exchange
      const waitsHere = outgoing.mayWait ? 0 : outgoing.writableLength
      waits += waitsHere
      taken += outgoing.takenBytes
      if (waitsHere === 0 && exchange.stalled === undefined) continue
      exchange.stalled ??= new Stalled(writeProgressBytes)
      if (exchange.stalled.forMs(nowMs, { waits: waitsHere, taken: outgoing.takenBytes }) >= writeStallTimeoutMs) outgoings.push(outgoing)
    }
    const stalledMs = this.stalled.forMs(nowMs, { waits, taken })
    return { isAllStalled: stalledMs >= writeStallTimeoutMs, stalledMs, outgoings }
  }
}

function sessionOptions(streamsMax: number): SessionOptions {
  return {
    maxSessionMemory: nodeHttp2SessionMemoryMb,
    maxHeaderListPairs: requestHeaderFieldsMax,
    maxOutstandingPings: nodeHttp2PingsMax,
    maxSessionInvalidFrames: nodeHttp2InvalidFramesMax,
    maxSessionRejectedStreams: nodeHttp2RejectedStreamsMax,
    streamResetBurst: http2ResetsBurst,
    streamResetRate: http2ResetsPerSecond,
    settings: { maxConcurrentStreams: streamsMax, initialWindowSize: http2WindowBytes, maxHeaderListSize: requestHeaderBytesMax },
  }
}

/** The bytes of fields, counted as in RFC 9113 section 6.5.2. */
function lengthOf(headers: NodeHttp2Incoming["headers"]): number {
  let length = 0
  for (const name in headers) length += name.length + String(headers[name] ?? "").length + 32
  return length
}
