/** Cuts what a client sends into frames: RFC 9113 sections 3.4 and 4.1. */
import { ConnectionFault, errorCode, frameBytesMax, frameHeadBytes, windowBytesMax } from "./protocol.ts"

/** A frame where it lies among the bytes that came with it. */
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

  /** Whoever keeps it keeps all that came with it. */
  get payload(): Buffer {
    return this.bytes.subarray(this.from, this.from + this.length)
  }

  /** 32 bits of the payload. */
  number(at: number): number {
    return this.bytes.readUInt32BE(this.from + at)
  }
}

/** What every client begins with. */
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")

export class FrameParser {
  /** The beginning of what is not complete yet. */
  private rest: Buffer | undefined
  private isBegun = false

  /** Calls `take` with each frame that is complete now, in order. Throws ConnectionFault, also what `take` throws. */
  push(chunk: Buffer, take: (frame: Frame) => void): void {
    const bytes = this.rest === undefined ? chunk : Buffer.concat([this.rest, chunk])
    this.rest = undefined
    let at = this.isBegun ? 0 : this.begin(bytes)
    while (this.isBegun && bytes.length - at >= frameHeadBytes) {
      const length = bytes.readUInt32BE(at) >>> 8
      if (length > frameBytesMax) throw new ConnectionFault(errorCode.frameSizeError, `a frame of ${length} bytes`)
      const end = at + frameHeadBytes + length
      if (end > bytes.length) break
      take(new Frame(bytes, at, length))
      at = end
    }
    // A copy: it would hold on to all that came with it.
    if (at < bytes.length) this.rest = Buffer.from(bytes.subarray(at))
  }

  /** Answers where the first frame is. */
  private begin(bytes: Buffer): number {
    const length = Math.min(bytes.length, preface.length)
    if (bytes.compare(preface, 0, length, 0, length) !== 0) throw new ConnectionFault(errorCode.protocolError, "this is no HTTP/2")
    if (bytes.length < preface.length) return 0
    this.isBegun = true
    return preface.length
  }
}
