/**
 * Sends the frames of a connection: first owed frames (acknowledgements, windows, resets), then answers in turns, as
 * windows and the socket allow. RFC 9113 section 5.2.
 */
import type { Socket } from "node:net"
import { http2OwedFramesMax, http2WriteBytes } from "./limits.ts"
import { GatheredBytes } from "./gathered-bytes.ts"
import { emptyTable, encodeHead } from "./header-encoder.ts"
import { FrameOutput, frameOf } from "./frame-output.ts"
import { defaultWindowBytes, frameBytesMax, frameFlag, frameType, windowBytesMax } from "./protocol.ts"
import type { ServerStream } from "./stream.ts"

/** Bytes of a body that go out before the next stream's turn. */
const turnBytes = 64 * 1024

/** The events of a sender. */
export interface SenderListener {
  /** The last frame of a stream is on its way. */
  ended(stream: ServerStream): void
  /** The client requests more than it reads: end the connection. */
  overrun(): void
}

export class Sender {
  /** The client asked for a smaller header table than the default: the next block must start with `emptyTable`. */
  mustEmptyTable = false
  /** Bytes of bodies that went into frames. */
  sentBytes = 0
  private readonly output: FrameOutput
  /** Owed frames, in few blocks: with a buffer each, a client that does not read could cause a thousand buffers. */
  private readonly owed = new GatheredBytes()
  private owedFrames = 0
  /**
   * Streams that have something to send, in turns, and streams that wait for the connection's window. Emptied in place,
   * for the reason given in `StreamTable`.
   */
  private readonly row: ServerStream[] = []
  private readonly held: ServerStream[] = []
  private windowBytes = defaultWindowBytes
  private willSend = false
  private isSending = false
  private isClosed = false

  constructor(
    socket: Socket,
    private readonly listener: SenderListener,
  ) {
    this.output = new FrameOutput(socket, () => this.send())
  }

  /** Bytes of memory that wait, besides answers. */
  get keptBytes(): number {
    return this.owed.keptBytes + this.output.keptBytes
  }

  /** The socket takes the next write at once. */
  get isIdle(): boolean {
    return this.output.isIdle
  }

  /** Adds a frame that is not part of an answer. */
  owe(frames: Buffer): void {
    if (this.isClosed) return
    if (this.owedFrames >= http2OwedFramesMax) return this.listener.overrun()
    this.owedFrames++
    this.owed.add(frames)
    this.sendSoon()
  }

  /** Sends an informational head. */
  inform(streamId: number, status: number): void {
    this.owe(frameOf({ type: frameType.headers, flags: frameFlag.endHeaders, streamId }, this.withTableSize(encodeHead(status, {}))))
  }

  /** Called when the stream has something to send, or may send more. */
  ready(stream: ServerStream): void {
    if (stream.isQueued || stream.closed || stream.localEnded) return
    stream.isQueued = true
    this.row.push(stream)
    this.sendSoon()
  }

  /** Called when the stream is closed. */
  forget(stream: ServerStream): void {
    if (!stream.isQueued) return
    remove(this.held, stream)
    // `send` skips closed streams.
    if (!this.isSending) remove(this.row, stream)
  }

  /** The client takes this many bytes more, of all streams together. False if the window becomes too large. */
  widen(bytes: number): boolean {
    this.windowBytes += bytes
    for (const stream of this.held.splice(0)) {
      stream.isQueued = false
      this.ready(stream)
    }
    return this.windowBytes <= windowBytesMax
  }

  /** Called once: sends the owed frames, and nothing after them. */
  close(lastWords?: Buffer): void {
    if (this.isClosed) return
    this.isClosed = true
    this.putOwed()
    if (lastWords !== undefined) this.output.putFrames(lastWords)
    this.output.flush()
    this.row.length = 0
    this.held.length = 0
  }

  /** Sends at the end of this turn of the event loop, so that all frames until then are one write. */
  private sendSoon(): void {
    if (this.willSend || this.isSending || this.isClosed) return
    this.willSend = true
    process.nextTick(this.sendNow)
  }

  private readonly sendNow = (): void => {
    this.willSend = false
    this.send()
  }

  private send(): void {
    const { output, row } = this
    if (this.isSending || this.isClosed || !output.isIdle || (row.length === 0 && this.owedFrames === 0)) return
    this.isSending = true
    if ((row[0]?.outgoing.writableLength ?? 0) > http2WriteBytes) output.expectMuch()
    this.putOwed()
    let turns = 0
    // A stream that has more to send joins the end of the row again.
    for (; turns < row.length && output.roomBytes > 0 && output.isIdle; turns++) {
      const stream = row[turns]
      if (stream === undefined) continue
      stream.isQueued = false
      if (!stream.closed) this.sendTurn(stream)
    }
    row.splice(0, turns)
    this.isSending = false
    if (this.isClosed) return
    this.putOwed()
    output.flush()
  }

  private putOwed(): void {
    if (this.owedFrames === 0) return
    this.owedFrames = 0
    for (let frames = this.owed.shift(); frames !== undefined; frames = this.owed.shift()) this.output.putFrames(frames)
  }

  /** Sends as much of an answer as one turn allows. */
  private sendTurn(stream: ServerStream): void {
    const { outgoing } = stream
    const head = outgoing.takeHead()
    if (head !== undefined) {
      const isAll = outgoing.isEndDue && !outgoing.hasTrailers
      this.putBlock(stream.id, head, isAll)
      if (isAll) return this.ended(stream)
    }
    for (let turn = 0; turn < turnBytes && outgoing.writableLength > 0; ) {
      const allowed = Math.min(outgoing.writableLength, stream.sendWindowBytes, this.windowBytes, frameBytesMax)
      if (allowed <= 0) return this.hold(stream)
      const bytes = Math.min(allowed, this.output.roomBytes)
      if (bytes === 0) break
      const isLast = outgoing.writableEnded && bytes === outgoing.writableLength && !outgoing.hasTrailers
      this.output.begin({ type: frameType.data, flags: isLast ? frameFlag.endStream : 0, streamId: stream.id }, bytes)
      stream.sendWindowBytes -= bytes
      this.windowBytes -= bytes
      this.sentBytes += bytes
      turn += bytes
      if (isLast) stream.localEnded = true
      outgoing.takeBody(bytes, this.output)
      if (isLast) return this.ended(stream)
      if (stream.closed) return
    }
    if (outgoing.isEndDue) this.sendEnd(stream)
    else if (outgoing.writableLength > 0) this.ready(stream)
  }

  private sendEnd(stream: ServerStream): void {
    const { outgoing } = stream
    if (outgoing.hasTrailers) this.putBlock(stream.id, outgoing.trailersBlock(), true)
    else this.output.begin({ type: frameType.data, flags: frameFlag.endStream, streamId: stream.id }, 0)
    this.ended(stream)
  }

  private ended(stream: ServerStream): void {
    stream.localEnded = true
    stream.outgoing.finish()
    this.listener.ended(stream)
  }

  /**
   * Holds the stream until a window opens. `ready` ends the wait for the stream's window, `widen` for the connection's.
   */
  private hold(stream: ServerStream): void {
    if (stream.sendWindowBytes <= 0) return
    stream.isQueued = true
    this.held.push(stream)
  }

  private withTableSize(block: Buffer): Buffer {
    if (!this.mustEmptyTable) return block
    this.mustEmptyTable = false
    return Buffer.concat([emptyTable, block])
  }

  /** A block that does not fit one frame continues in others; RFC 9113 section 6.10. */
  private putBlock(streamId: number, block: Buffer, isEnd: boolean): void {
    const bytes = this.withTableSize(block)
    let type: number = frameType.headers
    let flags: number = isEnd ? frameFlag.endStream : 0
    for (let at = 0; at === 0 || at < bytes.length; at += frameBytesMax) {
      const end = Math.min(bytes.length, at + frameBytesMax)
      if (end === bytes.length) flags |= frameFlag.endHeaders
      this.output.begin({ type, flags, streamId }, end - at)
      this.output.put(bytes, at, end)
      type = frameType.continuation
      flags = 0
    }
  }
}

function remove(streams: ServerStream[], stream: ServerStream): void {
  const index = streams.indexOf(stream)
  if (index >= 0) streams.splice(index, 1)
}
