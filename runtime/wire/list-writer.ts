/**
 * Writes a sequence of pieces to a client with back-pressure: pieces are gathered into one buffer per answer, which is filled again only
 * once the connection has taken it. An answer of any size costs that buffer, on HTTP/1.1 and HTTP/2 alike.
 */
import type { Writable } from "node:stream"
import { constants, createGzip, type Gzip } from "node:zlib"
import { sharedBytesMax } from "../kit/shared-bytes.ts"
import { copiedListBytesMax, crowdedListWriteBytes, listBuffersBytesMax, listWriteBytes } from "../limits.ts"
import type { Expiry } from "./expiry.ts"
import type { Piece } from "./list-pieces.ts"
import { type Outgoing, sendBytes, warningHeaders } from "./send.ts"

export interface PiecesAnswer {
  readonly outgoing: Outgoing
  readonly status?: number
  readonly contentType: string
  /** Consumed as fast as the client reads; closed early when the client goes. Must not change while it is written. */
  readonly pieces: Iterable<Uint8Array | Piece>
  /** The client takes gzip and compression is on. */
  readonly gzip?: boolean
  readonly warnings?: readonly string[]
  /** Ends the answer: the deadline has passed or the server stops. */
  readonly signal?: Expiry
  /** Default `listWriteBytes`, less when many lists are written at once. */
  readonly writeBytes?: number
}

/**
 * Called by list, once. What fits one buffer is answered whole, with its length; the rest is streamed. Resolves when the last byte was
 * handed over, or the client has gone. Throws what the pieces throw before the answer has begun; afterwards the answer is cut off, so that
 * the client sees a broken answer and not a short one.
 */
export async function writePieces(answer: PiecesAnswer): Promise<void> {
  const { outgoing } = answer
  const gatherer = new Gatherer(answer.pieces[Symbol.iterator](), takeBuffer(answer.writeBytes ?? writeBytesNow()))
  try {
    const first = gatherer.next()
    const isWhole = first === undefined || gatherer.done
    if (isWhole && (answer.gzip === true || (first?.length ?? 0) <= copiedListBytesMax)) {
      const { contentType, status = 200, gzip = false, warnings = [] } = answer
      // A copy: the connection keeps what it is given, and the buffer goes back.
      const body = Buffer.from(first ?? [])
      gatherer.bufferFree = true
      return await sendBytes(outgoing, { status, contentType, body, gzip, warnings })
    }
    if (first === undefined || outgoing.headersSent || outgoing.destroyed) return
    if (isWhole) outgoing.setHeader("content-length", String(first.length))
    await stream(answer, gatherer, first)
  } finally {
    gatherer.close()
  }
}

async function stream(answer: PiecesAnswer, gatherer: Gatherer, first: Uint8Array): Promise<void> {
  const { outgoing, signal } = answer
  writeHead(answer)
  const sink = new Sink(answer.gzip === true ? compressor(outgoing) : outgoing, outgoing, signal)
  try {
    let chunk: Uint8Array | undefined = first
    while (chunk !== undefined && !gatherer.done && (await sink.write(chunk))) chunk = gatherer.next()
    // The last chunk and the end go together: that is one frame and one turn less.
    if (gatherer.done && (await sink.end(chunk))) gatherer.bufferFree = true
    else outgoing.destroy()
  } catch (error) {
    outgoing.destroy()
    throw error
  } finally {
    sink.close()
  }
}

function writeHead(answer: PiecesAnswer): void {
  const { outgoing } = answer
  const headers: Record<string, string | string[]> = {
    "content-type": answer.contentType,
    "cache-control": "no-cache, private",
    ...(answer.gzip === true && { "content-encoding": "gzip", vary: "Accept-Encoding" }),
    ...warningHeaders(answer.warnings ?? []),
  }
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value)
  outgoing.writeHead(answer.status ?? 200)
}

function compressor(outgoing: Outgoing): Gzip {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED })
  gzip.on("data", (chunk: Buffer) => {
    if (!outgoing.write(chunk)) gzip.pause()
  })
  outgoing.on("drain", () => gzip.resume())
  gzip.once("end", () => outgoing.end())
  return gzip
}

/** Where chunks go; says when a chunk's bytes may be used again. */
class Sink {
  private gone = false
  private readonly waiting = new Set<() => void>()
  private readonly leave = (): void => {
    this.gone = true
    for (const wake of this.waiting) wake()
  }

  constructor(
    private readonly target: Writable | Outgoing,
    private readonly outgoing: Outgoing,
    private readonly signal: Expiry | undefined,
  ) {
    outgoing.on("close", this.leave)
    outgoing.on("error", this.leave)
    if (target !== outgoing) target.on("error", this.leave)
    signal?.addEventListener("abort", this.leave)
    if (outgoing.destroyed || signal?.aborted === true) this.gone = true
  }

  /** Resolves once the chunk was taken; false when the client has gone or the answer must end. */
  write(chunk: Uint8Array): Promise<boolean> {
    return this.wait((taken) => {
      const target = this.target as Writable // The two kinds of answer and the compressor have this call with types of their own.
      target.write(chunk, (error) => {
        if (error) this.gone = true
        taken()
      })
    })
  }

  end(chunk?: Uint8Array): Promise<boolean> {
    return this.wait((taken) => {
      this.outgoing.once("finish", taken)
      this.target.end(chunk)
    })
  }

  close(): void {
    this.outgoing.off("close", this.leave)
    this.outgoing.off("error", this.leave)
    this.signal?.removeEventListener("abort", this.leave)
    if (this.target !== this.outgoing && this.gone) this.target.destroy()
  }

  private wait(start: (taken: () => void) => void): Promise<boolean> {
    if (this.gone) return Promise.resolve(false)
    return new Promise((resolve) => {
      const wake = (): void => {
        this.waiting.delete(wake)
        resolve(!this.gone)
      }
      this.waiting.add(wake)
      start(wake)
    })
  }
}

/** Fills one buffer from pieces, again and again. */
class Gatherer {
  done = false
  /** Nobody reads the buffer any more. Not so after a broken answer: the connection may still send from it. */
  bufferFree = false
  /** What did not fit any more. */
  private rest: Piece | undefined

  constructor(
    private readonly pieces: Iterator<Uint8Array | Piece>,
    private readonly buffer: Buffer,
  ) {}

  /** The next chunk, which is the buffer's start. Undefined at the end. Valid until the next call. */
  next(): Uint8Array | undefined {
    let length = 0
    do {
      const piece = this.rest ?? this.nextPiece()
      this.rest = undefined
      if (piece === undefined) break
      length = this.put(piece, length)
    } while (this.rest === undefined)
    return length === 0 ? undefined : this.buffer.subarray(0, length)
  }

  /** Answers where the next piece goes; sets `rest` when there is no room for all of this one. */
  private put(piece: Piece, at: number): number {
    const { buffer } = this
    const { before, bytes, end, start } = piece
    const begin = at + before.length
    if (begin > buffer.length) {
      this.rest = restOf(piece, 0)
      return at
    }
    const length = Math.min(end - start, buffer.length - begin)
    for (let index = 0; index < before.length; index++) buffer[at + index] = before[index] ?? 0
    bytes.copy(buffer, begin, start, start + length)
    if (start + length < end) this.rest = restOf({ ...piece, before: nothing }, length)
    return begin + length
  }

  close(): void {
    if (!this.done) this.pieces.return?.()
    this.done = true
    returnBuffer(this.buffer, this.bufferFree)
  }

  private nextPiece(): Piece | undefined {
    if (this.done) return undefined
    const { value, done } = this.pieces.next()
    if (done !== true) return value instanceof Uint8Array ? pieceOf(value) : value
    this.done = true
    return undefined
  }
}

const nothing: Uint8Array = Buffer.alloc(0)

function pieceOf(bytes: Uint8Array): Piece {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { before: nothing, bytes: buffer, start: 0, end: buffer.length }
}

/** What is left of a piece, for the next chunk: that is filled in another turn, until when the bytes must not change. */
function restOf({ before, bytes, end, start }: Piece, taken: number): Piece {
  if (end - start > sharedBytesMax) return { before, bytes, start: start + taken, end }
  return { ...pieceOf(Buffer.from(bytes.subarray(start + taken, end))), before }
}

/** Buffers of answers that are over, for the next ones. */
const spareBuffers: Buffer[] = []
const spareBuffersMax = 16
/** Of the buffers that were taken and not given back or given up. */
let takenBytes = 0

/** How much a list may gather now. */
function writeBytesNow(): number {
  return takenBytes + listWriteBytes <= listBuffersBytesMax ? listWriteBytes : crowdedListWriteBytes
}

function takeBuffer(bytes: number): Buffer {
  takenBytes += bytes
  // The one given back last is still in the processor's cache.
  const index = spareBuffers.findLastIndex((spare) => spare.length === bytes)
  return (index < 0 ? undefined : spareBuffers.splice(index, 1)[0]) ?? Buffer.allocUnsafeSlow(bytes)
}

/** `free`: it may be used again; otherwise the collector has it when the connection lets it go. */
function returnBuffer(buffer: Buffer, free: boolean): void {
  takenBytes -= buffer.length
  if (free && spareBuffers.length < spareBuffersMax) spareBuffers.push(buffer)
}
