/**
 * Writes a sequence of pieces to a client with back-pressure: pieces are gathered into one buffer per answer, which is filled again only
 * once the connection has taken it. An answer of any size costs that buffer, on HTTP/1.1 and HTTP/2 alike.
 */
import { constants, createGzip, type Gzip } from "node:zlib"
import type { Outgoing } from "../http/exchange.ts"
import { sharedBytesMax } from "../kit/shared-bytes.ts"
import { copiedListBytesMax, crowdedListWriteBytes, listBuffersBytesMax, listWriteBytes } from "../limits.ts"
import { Turns } from "../turns.ts"
import type { Expiry } from "./expiry.ts"
import type { Piece } from "./list-pieces.ts"
import { sendBytes, warningHeaders } from "./send.ts"

export interface PiecesAnswer {
  readonly outgoing: Outgoing
  readonly status?: number
  readonly contentType: string
  /**
   * Consumed as fast as the client reads; closed early when the client goes. Must not change while it is written. Pieces that take work to make give
   * their `Turns` in between when the turn is over.
   */
  readonly pieces: Iterable<Uint8Array | Piece | Turns>
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
    const first = await firstChunk(answer, gatherer)
    if (first === "gone") return
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

/** "gone": nobody waits for it any more, the client was told so or has left. */
async function firstChunk({ outgoing, signal }: PiecesAnswer, gatherer: Gatherer): Promise<Uint8Array | undefined | "gone"> {
  let chunk = gatherer.next()
  for (; chunk instanceof Turns; chunk = gatherer.next()) {
    await chunk.next()
    if (outgoing.destroyed || outgoing.headersSent || signal?.aborted === true) return "gone"
  }
  return chunk
}

function stream(answer: PiecesAnswer, gatherer: Gatherer, first: Uint8Array): Promise<void> {
  writeHead(answer)
  return new Promise((resolve, reject) => {
    new Streaming(answer, gatherer, { resolve, reject }).begin(first)
  })
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

/**
 * An answer under way: whenever a chunk was taken, the next one follows, from within the call that says so. Promises would run later, when node has
 * left the place from where a write goes out at once.
 */
class Streaming {
  private readonly outgoing: Outgoing
  private readonly signal: Expiry | undefined
  private readonly gzip: Gzip | undefined
  private over = false

  constructor(
    answer: PiecesAnswer,
    private readonly gatherer: Gatherer,
    private readonly told: { resolve: () => void; reject: (error: unknown) => void },
  ) {
    this.outgoing = answer.outgoing
    this.signal = answer.signal
    this.gzip = answer.gzip === true ? compressor(answer.outgoing) : undefined
  }

  begin(first: Uint8Array): void {
    const { gzip, outgoing, signal } = this
    outgoing.on("close", this.broken)
    outgoing.on("error", this.broken)
    gzip?.on("error", this.broken)
    signal?.addEventListener("abort", this.broken)
    if (outgoing.destroyed || signal?.aborted === true) this.broken()
    else this.send(first)
  }

  private send(chunk: Uint8Array | undefined): void {
    const { gatherer, gzip, outgoing } = this
    const target: Pick<Outgoing, "write" | "end"> = gzip ?? outgoing
    if (chunk !== undefined && !gatherer.done) {
      target.write(chunk, this.taken)
      return
    }
    // The last chunk and the end go together: that is one frame and one turn less.
    outgoing.once("finish", this.finished)
    target.end(chunk)
  }

  private readonly taken = (error: Error | null | undefined): void => {
    if (this.over) return
    if (error) return this.broken()
    this.goOn()
  }

  private readonly goOn = (): void => {
    if (this.over) return
    try {
      const chunk = this.gatherer.next()
      if (chunk instanceof Turns) void chunk.next().then(this.goOn)
      else this.send(chunk)
    } catch (failure) {
      this.close()
      this.outgoing.destroy()
      this.told.reject(failure)
    }
  }

  private readonly finished = (): void => {
    if (this.over) return
    this.gatherer.bufferFree = true
    this.close()
    this.told.resolve()
  }

  /** The client has gone, or the answer must end: he sees that it is not whole. */
  private readonly broken = (): void => {
    if (this.over) return
    this.close()
    this.gzip?.destroy()
    this.outgoing.destroy()
    this.told.resolve()
  }

  private close(): void {
    this.over = true
    this.outgoing.off("close", this.broken)
    this.outgoing.off("error", this.broken)
    this.signal?.removeEventListener("abort", this.broken)
  }
}

/** Fills one buffer from pieces, again and again. */
class Gatherer {
  done = false
  /** Nobody reads the buffer any more. Not so after a broken answer: the connection may still send from it. */
  bufferFree = false
  /** What did not fit any more. */
  private rest: Piece | undefined
  /** Of the chunk that is being gathered. */
  private length = 0
  /** To be waited for before the next piece. */
  private turns: Turns | undefined

  constructor(
    private readonly pieces: Iterator<Uint8Array | Piece | Turns>,
    private readonly buffer: Buffer,
  ) {}

  /** The next chunk, which is the buffer's start. Undefined at the end. Valid until the next call. Turns: to be called again after the next of them. */
  next(): Uint8Array | Turns | undefined {
    let { length } = this
    this.length = 0
    do {
      const piece = this.rest ?? this.nextPiece()
      this.rest = undefined
      if (piece === undefined) break
      length = this.put(piece, length)
    } while (this.rest === undefined)
    const { turns } = this
    if (turns === undefined) return length === 0 ? undefined : this.buffer.subarray(0, length)
    this.turns = undefined
    this.length = length
    return turns
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
    if (done === true) this.done = true
    else if ("before" in value) return value
    else if (value instanceof Uint8Array) return pieceOf(value)
    else this.turns = value
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
