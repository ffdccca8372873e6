/**
 * The server's end of a connection of HTTP/2, by node:http2 and its nghttp2. Slower than `runtime/http2`, and bounded less: `runtime/http2/README.md` says
 * in what. It is there for the day that a fault is found in the other one.
 */
import { constants, performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream, type ServerOptions } from "node:http2"
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
import type { ConnectionAccount, ConnectionEnds } from "../../http2/surroundings.ts"
import { requestCostBytes, requestHeaderBytesMax, requestHeaderFieldsMax, writeProgressBytes } from "../../base/limits.ts"
import { nodeHttp2InvalidFramesMax, nodeHttp2PingsMax, nodeHttp2RejectedStreamsMax, nodeHttp2SessionMemoryMb } from "./limits.ts"
import type { Http2Options, Http2Session } from "../http2-session.ts"
import { type TimeLimits, timeLimits } from "../time-limits.ts"
import { NodeHttp2Incoming } from "./incoming.ts"
import { NodeHttp2Outgoing } from "./outgoing.ts"

/** Called once per connection, from the first byte behind the handshake of TLS. */
export function openNodeHttp2(options: Http2Options): Http2Session {
  return new NodeHttp2Session(options)
}

interface Exchange {
  readonly stream: ServerHttp2Stream
  readonly incoming: NodeHttp2Incoming
  readonly outgoing: NodeHttp2Outgoing
  /** Whether the client takes the answer; made once that has to wait. */
  stalled: Stalled | undefined
}

/** Node's types do not name the two of them yet. */
type SessionOptions = ServerOptions & { readonly streamResetBurst: number; readonly streamResetRate: number }

class NodeHttp2Session implements Http2Session {
  readonly account: ConnectionAccount
  readonly ends: ConnectionEnds
  readonly socket: Socket
  private readonly session: ServerHttp2Session
  private readonly times: TimeLimits
  private readonly exchanges = new Set<Exchange>()
  private hasSettings = false
  /** Of the first look at it. */
  private openedMs: number | undefined
  private readonly cheapFrames = new Allowance({ burst: http2CheapFramesBurst, perSecond: http2CheapFramesPerSecond }, systemClock)
  /** `bytesWritten` when answers were reset that nothing took; undefined: none were at the last look. */
  private resetAtBytes: number | undefined
  /** Since when no stream is open; undefined: some are. */
  private idleSinceMs: number | undefined
  /** All answers together. */
  private readonly stalled = new Stalled(writeProgressBytes)
  /** Bytes that answers took which are over. */
  private takenBytes = 0

  constructor(private readonly options: Http2Options) {
    const { kept, socket, times = timeLimits } = options
    const { localAddress, localPort, remoteAddress, remotePort } = socket
    this.socket = socket
    this.times = times
    this.ends = { localAddress, localPort, remoteAddress }
    this.account = kept.open({
      remoteAddress,
      remotePort,
      userAgent: () => [...this.exchanges][0]?.incoming.headers["user-agent"],
      measure: () => this.uncountedBytes(),
      cut: () => this.destroy(),
    })
    socket.setNoDelay(true)
    this.session = performServerHandshake(socket, sessionOptions(options.streamsMax))
    this.listen()
    // Streams bound what is kept; the connection need not.
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

  /** What the client does is too much, or too little. */
  private fail(): void {
    this.session.destroy(new Error("the client does too much, or too little"), constants.NGHTTP2_ENHANCE_YOUR_CALM)
  }

  /** A client that does not close its end as well is cut. Real time: the other end has no other. */
  private lingerIfIdle(): void {
    if (this.exchanges.size > 0 || !this.session.closed) return
    const cancel = systemClock.after(this.times.lingerMs, () => this.socket.destroy())
    this.socket.once("close", cancel)
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
    session.on("stream", (stream, headers) => this.onStream(stream, headers))
    session.once("remoteSettings", () => {
      this.hasSettings = true
    })
    // What a client does wrong ends its connection, and `close` says so.
    session.on("error", () => undefined)
    session.once("close", () => account.close())
  }

  private onStream(stream: ServerHttp2Stream, headers: NodeHttp2Incoming["headers"]): void {
    const { account, exchanges } = this
    const incoming = new NodeHttp2Incoming(stream, headers, this)
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

  /** Bodies that came and were not read. What nghttp2 keeps of frames is not known. */
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
   * Resets answers that are not taken, for want of a window or because the system takes nothing; which of the two, node does not say. What nothing takes
   * although the connection has a window gets the longer time of the two. Where not even the resets are taken the connection is cut.
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

/** As RFC 9113 section 6.5.2 counts the bytes of fields. */
function lengthOf(headers: NodeHttp2Incoming["headers"]): number {
  let length = 0
  for (const name in headers) length += name.length + String(headers[name] ?? "").length + 32
  return length
}
