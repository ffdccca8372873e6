/**
 * Writes a sequence of pieces to a client with back-pressure. Each response gathers pieces in one buffer, and refills
 * it only after the connection has taken it. So a response of any size costs one buffer, on HTTP/1.1 and HTTP/2 alike.
 */
import { constants, createGzip, type Gzip } from "node:zlib"
import type { Outgoing } from "../http/exchange.ts"
import { sharedBytesMax } from "../base/shared-bytes.ts"
import { type Trace, untraced } from "../base/trace.ts"
import { copiedListBytesMax, crowdedListWriteBytes, listBuffersBytesMax, listWriteBytes } from "../base/limits.ts"
import { Turns } from "../base/turns.ts"
import type { DeadlineSignal } from "../base/deadline-signal.ts"
import type { Piece } from "./list-pieces.ts"
import { sendBytes, warningHeaders } from "./send.ts"
import { SpareBuffers } from "./spare-buffers.ts"

export interface PiecesAnswer {
  readonly outgoing: Outgoing
  readonly status?: number
  readonly contentType: string
  /**
   * Consumed as fast as the client reads; closed early when the client disconnects. Must not change while it is
   * written. Pieces that take work to produce are preceded by their `Turns` whenever a turn is over.
   */
  readonly pieces: Iterable<Uint8Array | Piece | Turns>
  /** The client accepts gzip and compression is on. */
  readonly gzip?: boolean
  readonly warnings?: readonly string[]
  /** Aborts the response: the deadline has passed or the server stops. */
  readonly signal?: DeadlineSignal
  /** Each write that the client has to take adds to it. */
  readonly trace?: Trace
  /** Default `listWriteBytes`, less while many lists are being written. */
  readonly writeBytes?: number
}

/**
 * Called once by list. Sends a response that fits one buffer whole, with its length, and streams others. Resolves when
 * the last byte was handed over, or the client has disconnected. Throws the errors of the pieces until the response has
 * begun; later it destroys the response, so that the client sees an error and not a shorter list.
 */
export async function writePieces(answer: PiecesAnswer): Promise<void> {
  const { outgoing } = answer
  const gatherer = new Gatherer(answer.pieces[Symbol.iterator](), buffers.take(answer.writeBytes ?? writeBytesNow()))
  try {
    const first = await firstChunk(answer, gatherer)
    if (first === "gone") return
    const isWhole = first === undefined || gatherer.done
    if (isWhole && (answer.gzip === true || (first?.length ?? 0) <= copiedListBytesMax)) {
      const { contentType, status = 200, gzip = false, warnings = [] } = answer
      // A copy: the connection keeps its bytes, and the buffer is returned.
      const body = Buffer.from(first ?? [])
      gatherer.bufferFree = true
      answer.trace?.serialized()
      return await sendBytes(outgoing, { status, contentType, body, gzip, warnings })
    }
    if (first === undefined || outgoing.headersSent || outgoing.destroyed) return
    if (isWhole) outgoing.setHeader("content-length", String(first.length))
    await stream(answer, gatherer, first)
  } finally {
    gatherer.close()
  }
}

/** "gone": the response is no longer needed, because the client received an error or has disconnected. */
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
 * A response in progress. The next chunk is written from within the callback of the previous one. A promise would run
 * later, when node no longer writes immediately.
 */
class Streaming {
  private readonly outgoing: Outgoing
  private readonly signal: DeadlineSignal | undefined
  private readonly gzip: Gzip | undefined
  private readonly trace: Trace
  /** Time at which the current chunk was written. */
  private sentMs: number | undefined
  private over = false

  constructor(
    answer: PiecesAnswer,
    private readonly gatherer: Gatherer,
    private readonly told: { resolve: () => void; reject: (error: unknown) => void },
  ) {
    this.outgoing = answer.outgoing
    this.signal = answer.signal
    this.trace = answer.trace ?? untraced
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
    this.sentMs = this.trace.elapsedMs()
    if (chunk !== undefined && !gatherer.done) {
      target.write(chunk, this.taken)
      return
    }
    // Sending the last chunk with the end saves a frame and a turn.
    outgoing.once("finish", this.finished)
    target.end(chunk)
  }

  private readonly taken = (error: Error | null | undefined): void => {
    if (this.over) return
    if (error) return this.broken()
    this.measure()
    this.writeNext()
  }

  private readonly writeNext = (): void => {
    if (this.over) return
    try {
      const chunk = this.gatherer.next()
      if (chunk instanceof Turns) void chunk.next().then(this.writeNext)
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

  /**
   * The client has disconnected, or the response must end: destroys it, so that the client sees that it is incomplete.
   */
  private readonly broken = (): void => {
    if (this.over) return
    this.close()
    this.gzip?.destroy()
    this.outgoing.destroy()
    this.told.resolve()
  }

  private measure(): void {
    if (this.sentMs !== undefined) this.trace.add("response-write", this.sentMs)
    this.sentMs = undefined
  }

  private close(): void {
    this.over = true
    this.measure()
    this.outgoing.off("close", this.broken)
    this.outgoing.off("error", this.broken)
    this.signal?.removeEventListener("abort", this.broken)
  }
}

/** Fills one buffer from pieces, repeatedly. */
class Gatherer {
  done = false
  /**
   * The buffer is no longer in use. Never set for a broken response, since the connection may still send from the
   * buffer.
   */
  bufferFree = false
  /** The part of a piece that did not fit. */
  private rest: Piece | undefined
  /** Bytes of the current chunk. */
  private length = 0
  /** Set if the caller must wait for a turn before the next piece. */
  private turns: Turns | undefined

  constructor(
    private readonly pieces: Iterator<Uint8Array | Piece | Turns>,
    private readonly buffer: Buffer,
  ) {}

  /**
   * Returns the next chunk, a view of the buffer that is valid until the next call; undefined at the end. When it
   * returns Turns, wait for its next turn and call again.
   */
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

  /** Copies a piece into the buffer and returns the position after it. Sets `rest` when the piece does not fit. */
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
    buffers.giveBack(this.buffer, this.bufferFree)
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

/** The rest of a piece for the next chunk. Shared bytes are copied, because they may change before the next turn. */
function restOf({ before, bytes, end, start }: Piece, taken: number): Piece {
  if (end - start > sharedBytesMax) return { before, bytes, start: start + taken, end }
  return { ...pieceOf(Buffer.from(bytes.subarray(start + taken, end))), before }
}

/** Buffers of all lists. */
const buffers = new SpareBuffers(16)

/** The buffer size for a new list. */
function writeBytesNow(): number {
  return buffers.takenBytes + listWriteBytes <= listBuffersBytesMax ? listWriteBytes : crowdedListWriteBytes
}
