/**
 * The server's end of an HTTP/2 connection, RFC 9113, after the TLS handshake. It turns frames into requests, sends
 * answers as frames, and enforces the protocol on clients; it does not interpret requests.
 *
 * Node has its own HTTP/2 server. Its streams, and everything that they refer to, outlive the young generation of the
 * heap. That caused all full collections, and with them the slowest answers. A request also costs it more than twice as
 * much CPU (docs/GOALS.md).
 */
import type { Socket } from "node:net"
import { ConnectionCheck } from "./connection-check.ts"
import { goAway, numbersFrame, settingsFrame, windowUpdate } from "./frame-output.ts"
import { type Frame, FrameParser } from "./frame-parser.ts"
import { HeaderBlock } from "./header-block.ts"
import { HeaderDecoder } from "./header-decoder.ts"
import { http2TinyBytes, http2WindowBytes } from "./limits.ts"
import { ConnectionFault, defaultWindowBytes, errorCode, frameFlag, frameType, settingId, windowBytesMax } from "./protocol.ts"
import { needsEmptyTable } from "./header-encoder.ts"
import type { Http2Incoming } from "./incoming.ts"
import type { Http2Outgoing } from "./outgoing.ts"
import { RequestHead } from "./request-head.ts"
import { Sender } from "./sender.ts"
import { ServerStream, type StreamOwner } from "./stream.ts"
import { StreamTable } from "./stream-table.ts"
import type {
  Accounts,
  ConnectionAccount,
  ConnectionClock,
  ConnectionEnds,
  ConnectionLimits,
  ConnectionTimes,
  OpenExchange,
} from "./surroundings.ts"
import { Tolerance } from "./tolerance.ts"

export interface ConnectionOptions {
  readonly socket: Socket
  /** Opens the account that is charged with the bytes that the connection keeps. */
  readonly accounts: Accounts
  readonly clock: ConnectionClock
  readonly limits: ConnectionLimits
  readonly times: ConnectionTimes
  /**
   * Called for each request, after everything that arrived with it was parsed. Only the head is sure to be complete. If
   * `isTooLarge`, even the head is not; refuse the request.
   */
  readonly onRequest: (incoming: Http2Incoming, outgoing: Http2Outgoing, isTooLarge: boolean) => void
}

interface Request {
  readonly stream: ServerStream
  readonly isTooLarge: boolean
}

const pingsMax = 10

export class Http2Connection implements StreamOwner {
  readonly ends: ConnectionEnds
  readonly socket: Socket
  readonly account: ConnectionAccount
  private readonly parser = new FrameParser()
  private readonly decoder = new HeaderDecoder()
  private readonly sender: Sender
  private readonly streams = new StreamTable()
  /** Requests in the chunk that is being parsed. */
  private arrived: Request[] = []
  private openBlock: HeaderBlock | undefined
  private latestId = 0
  /** Later streams are not answered, since the connection is closing. */
  private lastAnsweredId = Number.POSITIVE_INFINITY
  private readonly tolerance: Tolerance
  private readonly checking: ConnectionCheck
  private hasSettings = false
  /** The initial send window of new streams. */
  private sendWindowBytes = defaultWindowBytes
  private receivedBytes = 0
  private readonly pings: ((fault: Error | null) => void)[] = []
  private readonly onClosed: (() => void)[] = []
  private isOver = false

  constructor(private readonly options: ConnectionOptions) {
    const { accounts, clock, limits, socket } = options
    this.socket = socket
    this.tolerance = new Tolerance(clock)
    this.checking = new ConnectionCheck(limits.progressBytes)
    const { localAddress, localPort, remoteAddress } = socket
    this.account = accounts.open({
      remoteAddress,
      remotePort: socket.remotePort,
      userAgent: () => this.streams.all()[0]?.incoming.headers["user-agent"],
      measure: () => this.parser.keptBytes + this.sender.keptBytes,
      cut: () => this.destroy(),
    })
    this.ends = { localAddress, localPort, remoteAddress, tlsSocket: socket }
    socket.setNoDelay(true)
    this.sender = new Sender(socket, {
      ended: (stream) => this.closeIfOver(stream),
      overrun: () => this.fail(new ConnectionFault(errorCode.enhanceYourCalm, "what is answered is not read")),
    })
    socket.on("data", (chunk: Buffer) => this.receive(chunk))
    socket.on("error", () => this.end())
    socket.on("close", () => this.end())
    this.sender.owe(
      settingsFrame([
        [settingId.maxConcurrentStreams, limits.streamsMax],
        [settingId.initialWindowSize, http2WindowBytes],
        [settingId.maxHeaderListSize, limits.headerBytesMax],
      ]),
    )
    // The windows of streams bound the kept bytes, so the connection's window need not.
    this.sender.owe(windowUpdate(0, this.connectionWindowBytes - defaultWindowBytes))
  }

  get destroyed(): boolean {
    return this.isOver
  }

  /** Sends a ping; false if too many are unanswered. */
  ping(over: (fault: Error | null) => void): boolean {
    if (this.isOver || this.pings.length >= pingsMax) return false
    this.pings.push(over)
    this.sender.owe(numbersFrame({ type: frameType.ping, flags: 0, streamId: 0 }, [0, 0]))
    return true
  }

  on(_event: "close", listener: () => void): void {
    this.onClosed.push(listener)
  }

  close(): void {
    if (this.isOver || this.lastAnsweredId < Number.POSITIVE_INFINITY) return
    this.lastAnsweredId = this.latestId
    this.sender.owe(goAway(this.latestId, errorCode.noError))
    this.endIfIdle()
  }

  /** Called at intervals: ends the connection, or streams of it, when the client does not make progress. */
  check(nowMs: number): void {
    if (this.isOver) return
    const { checking, openBlock, parser, streams } = this
    const { times } = this.options
    this.account.measure()
    const begun = openBlock ?? (!this.hasSettings || parser.isPartial ? `frame ${parser.frames}` : undefined)
    if (checking.receivingForMs(nowMs, begun) >= times.requestHeaderTimeoutMs)
      return this.fail(new ConnectionFault(errorCode.enhanceYourCalm, "what was begun to be sent did not arrive in time"))
    if (checking.idleForMs(nowMs, { streams: streams.size, latestId: this.latestId }) >= times.idleConnectionTimeoutMs) return this.close()
    if (checking.socketStalledForMs(nowMs, this.socket) >= times.socketStallTimeoutMs) return this.destroy()
    for (const stream of checking.stalledStreams(nowMs, { streams, sender: this.sender, timeoutMs: times.writeStallTimeoutMs }))
      this.reset(stream, errorCode.cancel)
  }

  /** Cuts the connection and everything under way on it. */
  destroy(): void {
    this.end()
    this.socket.destroy()
  }

  openExchanges(): readonly OpenExchange[] {
    return this.streams.all().map((stream) => stream.exchange())
  }

  ready(stream: ServerStream): void {
    this.sender.ready(stream)
  }

  consumed(stream: ServerStream, bytes: number): void {
    stream.ungrantedBytes += bytes
    if (stream.remoteEnded || stream.closed || stream.ungrantedBytes < http2WindowBytes / 2) return
    this.sender.owe(windowUpdate(stream.id, stream.ungrantedBytes))
    stream.receiveWindowBytes += stream.ungrantedBytes
    stream.ungrantedBytes = 0
  }

  reset(stream: ServerStream, code: number): void {
    if (stream.closed) return
    this.sendReset(stream.id, code)
    this.closeStream(stream)
  }

  inform(stream: ServerStream, status: number): void {
    this.sender.inform(stream.id, status)
  }

  private get connectionWindowBytes(): number {
    return Math.min(windowBytesMax, http2WindowBytes * this.options.limits.streamsMax)
  }

  private receive(chunk: Buffer): void {
    if (this.isOver) return
    try {
      this.parser.push(chunk, this.take)
    } catch (error) {
      if (!(error instanceof ConnectionFault)) throw error
      this.fail(error)
    }
    const { arrived } = this
    if (arrived.length === 0) return
    this.arrived = []
    for (const { stream, isTooLarge } of arrived) if (!stream.closed) this.options.onRequest(stream.incoming, stream.outgoing, isTooLarge)
  }

  private readonly take = (frame: Frame): void => {
    if (this.isOver) return
    const { type } = frame
    if (!this.hasSettings && type !== frameType.settings) throw protocolFault("a connection begins with SETTINGS")
    if (this.openBlock !== undefined && type !== frameType.continuation) throw protocolFault("a header block was not completed")
    switch (type) {
      case frameType.data:
        return this.takeData(frame)
      case frameType.headers:
        return this.takeHeaders(frame)
      case frameType.priority:
        return this.takePriority(frame)
      case frameType.reset:
        return this.takeReset(frame)
      case frameType.settings:
        return this.takeSettings(frame)
      case frameType.pushPromise:
        throw protocolFault("clients promise nothing")
      case frameType.ping:
        return this.takePing(frame)
      case frameType.goAway:
        this.tolerance.countCheap()
        return requireStream(frame, false)
      case frameType.windowUpdate:
        return this.takeWindowUpdate(frame)
      case frameType.continuation:
        return this.takeContinuation(frame)
      default:
        // RFC 9113 section 4.1: unknown frames are ignored.
        return this.tolerance.countCheap()
    }
  }

  private takeData(frame: Frame): void {
    requireStream(frame, true)
    const { flags, length, streamId } = frame
    this.receivedBytes += length
    if (this.receivedBytes > this.connectionWindowBytes) throw new ConnectionFault(errorCode.flowControlError, "the window is smaller")
    if (this.receivedBytes >= this.connectionWindowBytes / 2) {
      this.sender.owe(windowUpdate(0, this.receivedBytes))
      this.receivedBytes = 0
    }
    const bytes = unpadded(frame)
    const isLast = (flags & frameFlag.endStream) !== 0
    if (bytes.length < http2TinyBytes && !isLast) this.tolerance.countCheap()
    const stream = this.streams.get(streamId)
    if (stream === undefined) return this.refuseFrame(streamId)
    if (stream.remoteEnded) return this.reset(stream, errorCode.streamClosed)
    stream.receiveWindowBytes -= length
    if (stream.receiveWindowBytes < 0) return this.reset(stream, errorCode.flowControlError)
    // Padding counts as read on arrival.
    this.consumed(stream, length - bytes.length)
    if (isLast) stream.remoteEnded = true
    if (!stream.incoming.receive(bytes, isLast)) return this.reset(stream, errorCode.protocolError)
    this.closeIfOver(stream)
  }

  private takeHeaders(frame: Frame): void {
    requireStream(frame, true)
    const { flags, streamId } = frame
    let block = unpadded(frame)
    if ((flags & frameFlag.priority) !== 0) {
      if (block.length < 5) throw new ConnectionFault(errorCode.frameSizeError, "a header frame ends within its priority")
      if ((block.readUInt32BE(0) & windowBytesMax) === streamId) throw protocolFault("a stream depends on itself")
      block = block.subarray(5)
    }
    const isEnd = (flags & frameFlag.endStream) !== 0
    if ((flags & frameFlag.endHeaders) !== 0) return this.takeBlock({ streamId, isEnd }, block)
    this.openBlock = new HeaderBlock({ streamId, isEnd }, this.account, this.options.limits.headerBytesMax)
    this.openBlock.add(block)
  }

  private takeContinuation({ flags, payload, streamId }: Frame): void {
    const { openBlock } = this
    if (openBlock === undefined || openBlock.streamId !== streamId) throw protocolFault("there is no header block to continue")
    openBlock.add(payload)
    if ((flags & frameFlag.endHeaders) === 0) return
    this.openBlock = undefined
    this.takeBlock(openBlock, openBlock.take())
  }

  /** A head, or trailers. Trailers are decoded, since later blocks depend on them, and then dropped. */
  private takeBlock({ streamId, isEnd }: Pick<HeaderBlock, "streamId" | "isEnd">, block: Buffer): void {
    const head = new RequestHead(this.options.limits)
    this.decoder.decode(block, (field) => head.add(field))
    const stream = this.streams.get(streamId)
    if (stream !== undefined) return this.takeTrailers(stream, isEnd, head)
    if (this.tolerance.wasReset(streamId)) return this.tolerance.countCheap()
    if (streamId % 2 === 0 || streamId <= this.latestId) throw protocolFault(`stream ${streamId} cannot be opened`)
    this.latestId = streamId
    if (streamId > this.lastAnsweredId) return
    if (this.streams.size >= this.options.limits.streamsMax) return this.sendReset(streamId, errorCode.refusedStream)
    head.finish()
    if (head.isMalformed) return this.sendReset(streamId, errorCode.protocolError)
    this.open(streamId, isEnd, head)
  }

  private open(streamId: number, isEnd: boolean, { bytes, headers, isTooLarge, repeated }: RequestHead): void {
    const costBytes = this.options.limits.requestCostBytes + bytes
    this.account.charge(costBytes)
    const stream = new ServerStream(streamId, this, {
      headers,
      repeated,
      costBytes,
      sendWindowBytes: this.sendWindowBytes,
      receiveWindowBytes: http2WindowBytes,
    })
    this.streams.add(stream)
    if (isEnd) {
      stream.remoteEnded = true
      if (!stream.incoming.receive(noBytes, true)) return this.reset(stream, errorCode.protocolError)
    }
    this.arrived.push({ stream, isTooLarge })
  }

  private takeTrailers(stream: ServerStream, isEnd: boolean, { isMalformed, headers }: RequestHead): void {
    if (stream.remoteEnded) return this.reset(stream, errorCode.streamClosed)
    const hasPseudo = Object.keys(headers).some((name) => name.startsWith(":"))
    stream.remoteEnded = true
    if (!isEnd || isMalformed || hasPseudo || !stream.incoming.receive(noBytes, true)) return this.reset(stream, errorCode.protocolError)
    this.closeIfOver(stream)
  }

  /** Priorities are ignored, RFC 9113 section 5.3.2, but must be well-formed. */
  private takePriority(frame: Frame): void {
    requireStream(frame, true)
    const { length, streamId } = frame
    this.tolerance.countCheap()
    const code =
      length !== 5
        ? errorCode.frameSizeError
        : (frame.number(0) & windowBytesMax) === streamId
          ? errorCode.protocolError
          : errorCode.noError
    if (code === errorCode.noError) return
    // A stream that is not open yet cannot be reset: the client may open it later, and then it must be answered.
    if (streamId > this.latestId) throw new ConnectionFault(code, `a malformed priority of stream ${streamId}`)
    const stream = this.streams.get(streamId)
    if (stream !== undefined) this.reset(stream, code)
  }

  private takeReset(frame: Frame): void {
    requireStream(frame, true)
    requireBytes(frame, 4)
    if (frame.streamId > this.latestId) throw protocolFault("a stream was reset that is not open")
    this.tolerance.countReset()
    const stream = this.streams.get(frame.streamId)
    if (stream !== undefined) this.closeStream(stream)
  }

  private takeSettings(frame: Frame): void {
    requireStream(frame, false)
    const { flags, payload } = frame
    this.hasSettings = true
    this.tolerance.countCheap()
    if ((flags & frameFlag.ack) !== 0) return requireBytes(frame, 0)
    if (payload.length % 6 !== 0) throw new ConnectionFault(errorCode.frameSizeError, "settings come in six bytes each")
    for (let at = 0; at < payload.length; at += 6) this.takeSetting(payload.readUInt16BE(at), payload.readUInt32BE(at + 2))
    this.sender.owe(numbersFrame({ type: frameType.settings, flags: frameFlag.ack, streamId: 0 }, []))
  }

  private takeSetting(id: number, value: number): void {
    if (id === settingId.headerTableSize && needsEmptyTable(value)) this.sender.mustEmptyTable = true
    if (id === settingId.enablePush && value > 1) throw protocolFault("ENABLE_PUSH is 0 or 1")
    if (id === settingId.maxFrameSize && (value < 16_384 || value > 16_777_215)) throw protocolFault(`MAX_FRAME_SIZE cannot be ${value}`)
    if (id !== settingId.initialWindowSize) return
    if (value > windowBytesMax) throw new ConnectionFault(errorCode.flowControlError, `INITIAL_WINDOW_SIZE cannot be ${value}`)
    const more = value - this.sendWindowBytes
    this.sendWindowBytes = value
    for (const stream of this.streams.all()) {
      stream.sendWindowBytes += more
      if (stream.sendWindowBytes > windowBytesMax) throw new ConnectionFault(errorCode.flowControlError, "a window became too large")
      if (more > 0) this.sender.ready(stream)
    }
  }

  private takePing(frame: Frame): void {
    requireStream(frame, false)
    requireBytes(frame, 8)
    this.tolerance.countCheap()
    if ((frame.flags & frameFlag.ack) !== 0) {
      this.pings.shift()?.(null)
      return
    }
    const numbers = [frame.number(0), frame.number(4)]
    this.sender.owe(numbersFrame({ type: frameType.ping, flags: frameFlag.ack, streamId: 0 }, numbers))
  }

  private takeWindowUpdate(frame: Frame): void {
    requireBytes(frame, 4)
    const { streamId } = frame
    const bytes = frame.number(0) & windowBytesMax
    // Each update may cause a frame of that size.
    if (bytes < http2TinyBytes) this.tolerance.countCheap()
    if (streamId === 0) {
      if (bytes === 0) throw protocolFault("a window grows by nothing")
      if (!this.sender.widen(bytes)) throw new ConnectionFault(errorCode.flowControlError, "the window became too large")
      return
    }
    if (streamId > this.latestId) throw protocolFault("a window of a stream that is not open")
    const stream = this.streams.get(streamId)
    if (stream === undefined) return
    stream.sendWindowBytes += bytes
    if (bytes === 0) this.reset(stream, errorCode.protocolError)
    else if (stream.sendWindowBytes > windowBytesMax) this.reset(stream, errorCode.flowControlError)
    else this.sender.ready(stream)
  }

  /** For a frame of a stream that was closed or never opened. */
  private refuseFrame(streamId: number): void {
    if (streamId > this.latestId) throw protocolFault("a frame of a stream that is not open")
    this.tolerance.countCheap()
    if (!this.tolerance.wasReset(streamId) && streamId <= this.lastAnsweredId) this.sendReset(streamId, errorCode.streamClosed)
  }

  private sendReset(streamId: number, code: number): void {
    this.tolerance.countOwnReset(streamId, code)
    this.sender.owe(numbersFrame({ type: frameType.reset, flags: 0, streamId }, [code]))
  }

  private closeIfOver(stream: ServerStream): void {
    if (stream.remoteEnded && stream.localEnded) this.closeStream(stream)
  }

  private closeStream(stream: ServerStream): void {
    if (stream.closed) return
    stream.closed = true
    this.streams.remove(stream)
    this.sender.forget(stream)
    this.account.charge(-stream.costBytes)
    stream.incoming.close()
    stream.outgoing.close()
    this.endIfIdle()
  }

  private endIfIdle(): void {
    if (this.isOver || this.streams.size > 0 || this.lastAnsweredId === Number.POSITIVE_INFINITY) return
    this.end()
    this.endSocket()
  }

  /**
   * RFC 9113 section 5.4.1. Reads and drops the client's bytes for a while: after a close, it might not see the reason.
   */
  private fail({ code, message }: ConnectionFault): void {
    if (this.isOver) return
    this.end(goAway(this.latestId, code, message))
    this.endSocket()
  }

  /** Cuts a client that does not close its end. */
  private endSocket(): void {
    this.socket.end()
    const { clock, times } = this.options
    const cancel = clock.after(times.lingerMs, () => this.socket.destroy())
    this.socket.once("close", cancel)
  }

  private end(lastWords?: Buffer): void {
    if (this.isOver) return
    this.isOver = true
    this.sender.close(lastWords)
    for (const stream of this.streams.all()) this.closeStream(stream)
    this.account.close()
    const gone = new Error("the connection is closed")
    for (const over of this.pings.splice(0)) over(gone)
    for (const listener of this.onClosed.splice(0)) listener()
  }
}

const noBytes = Buffer.alloc(0)

function protocolFault(message: string): ConnectionFault {
  return new ConnectionFault(errorCode.protocolError, message)
}

/** A frame belongs to a stream, or to the whole connection. */
function requireStream({ streamId, type }: Frame, isOfStream: boolean): void {
  if ((streamId !== 0) !== isOfStream) throw protocolFault(`a frame of type ${type} on stream ${streamId}`)
}

function requireBytes({ length, type }: Frame, bytes: number): void {
  if (length !== bytes) throw new ConnectionFault(errorCode.frameSizeError, `a frame of type ${type} with ${length} bytes`)
}

/** Removes the padding; RFC 9113 section 6.1. */
function unpadded({ flags, payload }: Frame): Buffer {
  if ((flags & frameFlag.padded) === 0) return payload
  const padding = payload[0]
  if (padding === undefined) throw new ConnectionFault(errorCode.frameSizeError, "a padded frame is empty")
  if (padding >= payload.length) throw protocolFault("a frame has more padding than bytes")
  return payload.subarray(1, payload.length - padding)
}
