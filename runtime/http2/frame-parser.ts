/** Splits a client's bytes into frames: RFC 9113 sections 3.4 and 4.1. */
import { ConnectionFault, errorCode, frameBytesMax, frameHeadBytes, windowBytesMax } from "./protocol.ts"

/** A frame within the bytes in which it arrived. */
export class Frame {
  readonly type: number
  readonly flags: number
  readonly streamId: number
  private readonly from: number

  constructor(
    private readonly bytes: Buffer,
    at: number,
    readonly length: number,
  ) {
    this.type = bytes[at + 3] ?? 0
    this.flags = bytes[at + 4] ?? 0
    this.streamId = bytes.readInt32BE(at + 5) & windowBytesMax
    this.from = at + frameHeadBytes
  }

  /** A view: keeping it keeps all bytes that arrived with it. */
  get payload(): Buffer {
    return this.bytes.subarray(this.from, this.from + this.length)
  }

  /** Reads 32 bits of the payload. */
  number(at: number): number {
    return this.bytes.readUInt32BE(this.from + at)
  }
}

/** The client's connection preface. */
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
/** The initial size of the buffer for an incomplete frame. */
const restBytesMin = 1024

export class FrameParser {
  /** The number of complete frames so far. */
  frames = 0
  /** The number of bytes of the preface that have arrived. */
  private prefaceAt = 0
  /** The beginning of an incomplete frame, in a buffer with room for more of it. */
  private rest: Buffer | undefined
  private restLength = 0

  /** The preface or a frame has begun to arrive and is incomplete. */
  get isPartial(): boolean {
    return this.prefaceAt < preface.length || this.restLength > 0
  }

  /** Bytes kept for an incomplete frame. */
  get keptBytes(): number {
    return this.rest?.length ?? 0
  }

  /** Calls `take` with each frame that is now complete, in order. Throws ConnectionFault, and the errors of `take`. */
  push(chunk: Buffer, take: (frame: Frame) => void): void {
    let at = this.prefaceAt < preface.length ? this.begin(chunk) : 0
    if (this.restLength > 0) at = this.complete(chunk, at, take)
    while (chunk.length - at >= frameHeadBytes) {
      const length = payloadLength(chunk, at)
      const end = at + frameHeadBytes + length
      if (end > chunk.length) break
      this.frames++
      take(new Frame(chunk, at, length))
      at = end
    }
    // Copied: a view would keep the whole chunk.
    if (at < chunk.length) this.append(chunk, at, chunk.length)
  }

  /** Continues the incomplete frame. Returns the index of the first unused byte of the chunk. */
  private complete(chunk: Buffer, from: number, take: (frame: Frame) => void): number {
    let at = from
    for (;;) {
      const { rest, restLength } = this
      if (rest === undefined) return at
      const bytes = frameHeadBytes + (restLength < frameHeadBytes ? 0 : payloadLength(rest, 0))
      if (restLength < bytes) {
        const end = Math.min(chunk.length, at + bytes - restLength)
        this.append(chunk, at, end)
        at = end
        if (this.restLength < bytes) return at
        continue
      }
      this.rest = undefined
      this.restLength = 0
      this.frames++
      take(new Frame(rest, 0, bytes - frameHeadBytes))
    }
  }

  /** Doubles the buffer when needed: a frame that arrives in single bytes is copied about twice. */
  private append(chunk: Buffer, from: number, to: number): void {
    const length = this.restLength + to - from
    if (this.rest === undefined || this.rest.length < length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(restBytesMin, length, 2 * this.restLength))
      this.rest?.copy(larger, 0, 0, this.restLength)
      this.rest = larger
    }
    chunk.copy(this.rest, this.restLength, from, to)
    this.restLength = length
  }

  /** Consumes the preface. Returns the index of the first frame. */
  private begin(chunk: Buffer): number {
    const length = Math.min(chunk.length, preface.length - this.prefaceAt)
    if (chunk.compare(preface, this.prefaceAt, this.prefaceAt + length, 0, length) !== 0)
      throw new ConnectionFault(errorCode.protocolError, "this is no HTTP/2")
    this.prefaceAt += length
    return length
  }
}

function payloadLength(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32BE(at) >>> 8
  if (length > frameBytesMax) throw new ConnectionFault(errorCode.frameSizeError, `a frame of ${length} bytes`)
  return length
}
