/**
 * Gathers frames and writes them to a socket. All frames of one turn of the event loop become one write: one TLS record
 * if they fit, and one system call. The next write waits until the socket has passed on the last one, so frames gather
 * meanwhile.
 */
import type { Socket } from "node:net"
import { http2LargeWriteBytes, http2SpareBytesMax, http2WriteBytes } from "./limits.ts"
import { frameHeadBytes, frameType } from "./protocol.ts"

export interface FrameHead {
  readonly type: number
  readonly flags: number
  readonly streamId: number
}

/** Less room counts as none: the frames would be too small. */
const roomBytesMin = 1024

/**
 * Sizes of buffers: for a few small frames, for all frames of a turn, and for a large answer. A client that does not
 * read holds one buffer.
 */
const sizes = [http2WriteBytes / 8, http2WriteBytes, http2LargeWriteBytes] as const
type Size = 0 | 1 | 2

/**
 * Free buffers for all connections, by size. A new buffer for each write would cause constant garbage collection. The
 * buffer given back last is used first, since it is still in the processor's cache.
 */
const spareBuffers: readonly Buffer[][] = sizes.map(() => [])

export class FrameOutput {
  private buffer: Buffer | undefined
  private size: Size = 0
  private length = 0
  /** Writes that the socket has not passed on, and the bytes of their buffers. */
  private writes = 0
  private writtenBytes = 0

  /** Calls `onRoom` when the socket has passed everything on. */
  constructor(
    private readonly socket: Socket,
    private readonly onRoom: () => void,
  ) {}

  /** Bytes of memory in unfinished writes, counted twice: TLS keeps a copy. */
  get keptBytes(): number {
    return 2 * this.writtenBytes
  }

  /** True if no write is unfinished: frames added now go out with the next `flush`. */
  get isIdle(): boolean {
    return this.writes === 0
  }

  /** The most bytes that a frame may have to fit the gathered ones; 0 if none fits. */
  get roomBytes(): number {
    const room = sizes[this.size === 0 ? 1 : this.size] - this.length - frameHeadBytes
    return room < roomBytesMin ? 0 : room
  }

  /** Called before anything is added, if a large answer follows. */
  expectMuch(): void {
    if (this.buffer === undefined) this.take(2)
  }

  /** Begins a frame of `bytes` bytes, at most `frameBytesMax`. Calls of `put` with exactly as many must follow. */
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

  /** Copies bytes of the frame that was begun. */
  put(bytes: Uint8Array, from = 0, to = bytes.length): void {
    const { buffer } = this
    if (buffer === undefined) return
    if (bytes instanceof Buffer) bytes.copy(buffer, this.length, from, to)
    else buffer.set(bytes.subarray(from, to), this.length)
    this.length += to - from
  }

  /** Adds complete frames. */
  putFrames(frames: Buffer): void {
    for (let at = 0; at < frames.length; at += http2WriteBytes) {
      const end = Math.min(frames.length, at + http2WriteBytes)
      this.reserve(end - at)
      this.put(frames, at, end)
    }
  }

  /** Passes everything to the socket, and gives up the buffer. */
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

  /** Flushes first if the bytes do not fit even a larger buffer. */
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

/** Builds a whole frame, for `putFrames`. */
export function frameOf({ type, flags, streamId }: FrameHead, payload: Uint8Array): Buffer {
  const frame = Buffer.alloc(frameHeadBytes + payload.length)
  frame.writeUIntBE(payload.length, 0, 3)
  frame[3] = type
  frame[4] = flags
  frame.writeUInt32BE(streamId, 5)
  frame.set(payload, frameHeadBytes)
  return frame
}

/** Builds a frame whose payload consists of 32-bit numbers. */
export function numbersFrame(head: FrameHead, numbers: readonly number[]): Buffer {
  const payload = Buffer.alloc(4 * numbers.length)
  let at = 0
  for (const number of numbers) at = payload.writeUInt32BE(number, at)
  return frameOf(head, payload)
}

/** `WINDOW_UPDATE`: the client may send `bytes` more; RFC 9113 section 6.9. Stream 0 is the connection. */
export function windowUpdate(streamId: number, bytes: number): Buffer {
  return numbersFrame({ type: frameType.windowUpdate, flags: 0, streamId }, [bytes])
}

/** `SETTINGS`, as pairs of identifier and value; RFC 9113 section 6.5. */
export function settingsFrame(settings: readonly (readonly [number, number])[]): Buffer {
  const payload = Buffer.alloc(6 * settings.length)
  let at = 0
  for (const [id, value] of settings) at = payload.writeUInt32BE(value, payload.writeUInt16BE(id, at))
  return frameOf({ type: frameType.settings, flags: 0, streamId: 0 }, payload)
}

/** `GOAWAY`: streams after `lastId` are not answered; RFC 9113 section 6.8. `words` is for debugging. */
export function goAway(lastId: number, code: number, words = ""): Buffer {
  const payload = Buffer.alloc(8 + words.length)
  payload.writeUInt32BE(code, payload.writeUInt32BE(lastId, 0))
  payload.write(words, 8, "latin1")
  return frameOf({ type: frameType.goAway, flags: 0, streamId: 0 }, payload)
}
