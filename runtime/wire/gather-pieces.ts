/** Gathers the pieces of a list into one buffer. */
import { Turns } from "../base/turns.ts"
import type { Piece } from "./list-pieces.ts"

/**
 * Resolves with a copy of the bytes of all pieces, or undefined as soon as they are more than `bytesMax`. Waits where
 * the pieces request a turn.
 */
export async function gatherPieces(pieces: Iterable<Uint8Array | Piece | Turns>, bytesMax: number): Promise<Buffer | undefined> {
  let buffer: Buffer = Buffer.allocUnsafe(Math.min(bytesMax, firstBytes))
  let length = 0
  const put = (bytes: Uint8Array): void => {
    if (length + bytes.length > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(bytesMax, Math.max(2 * buffer.length, length + bytes.length)))
      buffer.copy(larger, 0, 0, length)
      buffer = larger
    }
    buffer.set(bytes, length)
    length += bytes.length
  }
  for (const piece of pieces) {
    if (piece instanceof Turns) {
      await piece.next()
      continue
    }
    const parts = piece instanceof Uint8Array ? [piece] : [piece.before, piece.bytes.subarray(piece.start, piece.end)]
    for (const part of parts) {
      if (length + part.length > bytesMax) return undefined
      put(part)
    }
  }
  return buffer.subarray(0, length)
}

const firstBytes = 64 * 1024
