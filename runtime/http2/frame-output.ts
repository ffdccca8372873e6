/**
 * Frames on their way into a socket. They are gathered, so that all that is said in one turn of the loop is one write, one TLS record if it fits, and
 * one call of the system. The next write waits until the socket has passed on the last one: what is said meanwhile goes together as well.
 */
import type { Socket } from "node:net"
import { http2LargeWriteBytes, http2SpareBytesMax, http2WriteBytes } from "./limits.ts"
import { frameHeadBytes, frameType } from "./protocol.ts"

export interface FrameHead {
  readonly type: number
  readonly flags: number
  readonly streamId: number
}

/** Less room is as good as none: frames would become small. */
const roomBytesMin = 1024

/**
 * Sizes of buffers: a few words, all that is said in a turn, and a large answer. A client that does not read holds one.
 */
const sizes = [http2WriteBytes / 8, http2WriteBytes, http2LargeWriteBytes] as const
type Size = 0 | 1 | 2

/**
 * Buffers that sockets have let go of, for all connections, by size. Buffers of their own for each write would have the heap collected all the time. The
 * one given back last is still in the processor's cache.
 */
const spareBuffers: readonly Buffer[][] = sizes.map(() => [])

export class FrameOutput {
  private buffer: Buffer | undefined
  private size: Size = 0
  private length = 0
  /** Writes that the socket has not passed on yet, and the bytes of their buffers. */
  private writes = 0
  private writtenBytes = 0

  /** `onRoom` is called when the socket has passed everything on. */
  constructor(
    private readonly socket: Socket,
    private readonly onRoom: () => void,
  ) {}

  /** Bytes of memory that are under way: TLS keeps a copy of what was written. */
  get keptBytes(): number {
    return 2 * this.writtenBytes
  }

  /** Nothing is under way: what is added now goes out with the next `flush`. */
  get isIdle(): boolean {
    return this.writes === 0
  }

  /** Bytes that a frame may have and still go with what is gathered; 0: none. */
  get roomBytes(): number {
    const room = sizes[this.size === 0 ? 1 : this.size] - this.length - frameHeadBytes
    return room < roomBytesMin ? 0 : room
  }

  /** Called before anything is added, when a large answer is to be sent. */
  expectMuch(): void {
    if (this.buffer === undefined) this.take(2)
  }

  /** Begins a frame of so many bytes, `frameBytesMax` at most; `send` has to follow with them. */
  begin(head: FrameHead, bytes: number): void {
    const buffer = this.reserve(frameHeadBytes + bytes)
    const { length: at } = this
    buffer[at] = bytes >>> 16
    buffer[at + 1] = bytes >>> 8
    buffer[at + 2] = bytes
    buffer[at + 3] = head.type
    buffer[at + 4] = head.flags
    buffer.writeUInt32BE(head.streamId, at + 5)
    this.length = at + frameHeadBytes
  }

  /** Some bytes of the frame that was begun. They are copied. */
  put(bytes: Uint8Array, from = 0, to = bytes.length): void {
    const { buffer } = this
    if (buffer === undefined) return
    if (bytes instanceof Buffer) bytes.copy(buffer, this.length, from, to)
    else buffer.set(bytes.subarray(from, to), this.length)
    this.length += to - from
  }

  /** Frames that were written before. */
  putFrames(frames: Buffer): void {
    for (let at = 0; at < frames.length; at += http2WriteBytes) {
      const end = Math.min(frames.length, at + http2WriteBytes)
      this.reserve(end - at)
      this.put(frames, at, end)
    }
  }

  /** Hands everything to the socket, and holds no buffer any more. */
  flush(): void {
    const { buffer, length, size, socket } = this
    if (buffer === undefined) return
    this.buffer = undefined
    this.size = 0
    this.length = 0
    this.writes++
    this.writtenBytes += buffer.length
    socket.write(buffer.subarray(0, length), () => {
      giveBack(buffer, size)
      this.writes--
      this.writtenBytes -= buffer.length
      if (this.writes === 0) this.onRoom()
    })
  }

  /** What does not fit even a larger buffer goes with another write. */
  private reserve(bytes: number): Buffer {
    const { buffer, length, size } = this
    if (buffer !== undefined && length + bytes <= buffer.length) return buffer
    if (buffer !== undefined && size > 0) this.flush()
    const begun = this.buffer
    const larger = this.take(bytes + length <= sizes[0] && begun === undefined ? 0 : 1)
    if (begun === undefined) return larger
    begun.copy(larger, 0, 0, length)
    giveBack(begun, 0)
    return larger
  }

  private take(size: Size): Buffer {
    this.size = size
    this.buffer = spareBuffers[size]?.pop() ?? Buffer.allocUnsafeSlow(sizes[size])
    return this.buffer
  }
}

function giveBack(buffer: Buffer, size: Size): void {
  const spare = spareBuffers[size]
  if (spare !== undefined && (spare.length + 1) * buffer.length <= http2SpareBytesMax) spare.push(buffer)
}

/** A whole frame, for `putFrames`. */
export function frameOf({ type, flags, streamId }: FrameHead, payload: Uint8Array): Buffer {
  const frame = Buffer.alloc(frameHeadBytes + payload.length)
  frame.writeUIntBE(payload.length, 0, 3)
  frame[3] = type
  frame[4] = flags
  frame.writeUInt32BE(streamId, 5)
  frame.set(payload, frameHeadBytes)
  return frame
}

/** A frame whose payload is a few numbers of 32 bits. */
export function numbersFrame(head: FrameHead, numbers: readonly number[]): Buffer {
  const payload = Buffer.alloc(4 * numbers.length)
  let at = 0
  for (const number of numbers) at = payload.writeUInt32BE(number, at)
  return frameOf(head, payload)
}

/** `WINDOW_UPDATE`: the other end may send so many bytes more; RFC 9113 section 6.9. Stream 0 is the connection. */
export function windowUpdate(streamId: number, bytes: number): Buffer {
  return numbersFrame({ type: frameType.windowUpdate, flags: 0, streamId }, [bytes])
}

/** `SETTINGS`, as pairs of number and value; RFC 9113 section 6.5. */
export function settingsFrame(settings: readonly (readonly [number, number])[]): Buffer {
  const payload = Buffer.alloc(6 * settings.length)
  let at = 0
  for (const [id, value] of settings) at = payload.writeUInt32BE(value, payload.writeUInt16BE(id, at))
  return frameOf({ type: frameType.settings, flags: 0, streamId: 0 }, payload)
}

/** `GOAWAY`: streams behind the last are not answered; RFC 9113 section 6.8. The words are for whoever looks into it. */
export function goAway(lastId: number, code: number, words = ""): Buffer {
  const payload = Buffer.alloc(8 + words.length)
  payload.writeUInt32BE(code, payload.writeUInt32BE(lastId, 0))
  payload.write(words, 8, "latin1")
  return frameOf({ type: frameType.goAway, flags: 0, streamId: 0 }, payload)
}
