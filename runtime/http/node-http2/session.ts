/**
 * The server's end of a connection of HTTP/2, by node:http2 and its nghttp2. Slower than `runtime/http2`, and bounded less: `runtime/http2/README.md` says
 * in what. It is there for the day that a fault is found in the other one.
 */
import { performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream, type ServerOptions } from "node:http2"
import type { Socket } from "node:net"
import { systemClock } from "../../clock.ts"
import { http2ResetsBurst, http2ResetsPerSecond, http2WindowBytes } from "../../http2/limits.ts"
import { windowBytesMax } from "../../http2/protocol.ts"
import { Stalled } from "../../http2/stalled.ts"
import type { ConnectionAccount, ConnectionEnds } from "../../http2/surroundings.ts"
import {
  nodeHttp2InvalidFramesMax,
  nodeHttp2PingsMax,
  nodeHttp2RejectedStreamsMax,
  nodeHttp2SessionMemoryMb,
  requestCostBytes,
  requestHeaderBytesMax,
  requestHeaderFieldsMax,
  writeProgressBytes,
} from "../../limits.ts"
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
  private readonly openedMs = systemClock.elapsedMs()
  /** Since when no stream is open; undefined: some are. */
  private idleSinceMs: number | undefined
  /** All answers together. */
  private readonly stalled = new Stalled(writeProgressBytes)
  private readonly socketStalled = new Stalled(writeProgressBytes)
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
    if (!this.session.destroyed && !this.session.closed) this.session.close()
  }

  destroy(): void {
    this.session.destroy()
    this.socket.destroy()
  }

  check(nowMs: number): void {
    if (this.session.destroyed) return
    const { times } = this
    this.account.measure()
    if (!this.hasSettings && nowMs - this.openedMs >= times.requestHeaderTimeoutMs) return this.destroy()
    if (this.isIdleTooLong(nowMs)) return this.close()
    this.endStalled(nowMs)
  }

  private listen(): void {
    const { session, socket } = this
    session.on("stream", (stream, headers) => this.onStream(stream, headers))
    session.once("remoteSettings", () => {
      this.hasSettings = true
    })
    // What a client does wrong ends its connection, and `close` says so.
    session.on("error", () => undefined)
    session.once("close", () => {
      this.account.close()
      // A client that does not close its end as well is cut. Real time: the other end has no other.
      const cancel = systemClock.after(this.times.lingerMs, () => socket.destroy())
      socket.once("close", cancel)
    })
  }

  private onStream(stream: ServerHttp2Stream, headers: NodeHttp2Incoming["headers"]): void {
    const { account, exchanges } = this
    const incoming = new NodeHttp2Incoming(stream, headers, this)
    const outgoing = new NodeHttp2Outgoing(stream, incoming, () => this.close())
    if (stream.destroyed) return
    const exchange: Exchange = { stream, incoming, outgoing, stalled: undefined }
    const costBytes = requestCostBytes + lengthOf(headers)
    account.charge(costBytes)
    exchanges.add(exchange)
    stream.once("close", () => {
      exchanges.delete(exchange)
      account.charge(-costBytes)
      this.takenBytes += outgoing.takenBytes
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
   * Resets answers that wait for a window that does not come, of their own or, where none of them goes on, of the connection. While the connection has no
   * window, or the system takes nothing, nothing is known of streams.
   */
  private endStalled(nowMs: number): void {
    let waitsInAll = 0
    let takenInAll = this.takenBytes
    const stalled: NodeHttp2Outgoing[] = []
    for (const exchange of this.exchanges) {
      const { outgoing } = exchange
      const waits = outgoing.mayWait ? 0 : outgoing.writableLength
      waitsInAll += waits
      takenInAll += outgoing.takenBytes
      if (waits === 0 && exchange.stalled === undefined) continue
      exchange.stalled ??= new Stalled(writeProgressBytes)
      if (exchange.stalled.forMs(nowMs, { waits, taken: outgoing.takenBytes }) >= this.times.writeStallTimeoutMs) stalled.push(outgoing)
    }
    const isAllStalled = this.stalled.forMs(nowMs, { waits: waitsInAll, taken: takenInAll }) >= this.times.writeStallTimeoutMs
    const hasWindow = (this.session.state.remoteWindowSize ?? 0) > 0
    const socketStalledMs = this.socketStalled.forMs(nowMs, { waits: waitsInAll, taken: this.socket.bytesWritten })
    if (isAllStalled && socketStalledMs >= this.times.socketStallTimeoutMs) return this.destroy()
    if (isAllStalled || hasWindow) for (const outgoing of stalled) outgoing.cancel()
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
