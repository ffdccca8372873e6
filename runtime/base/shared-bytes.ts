/**
 * Views of reusable memory. Small objects of the watch cache are packed into such memory. Code that receives their
 * bytes must read or copy them before it yields.
 */

/** Objects up to this size may be in reusable memory; larger ones never are, and their views stay valid. */
export const sharedBytesMax = 16 * 1024

/**
 * The position of an object's bytes, without a view on them. A list of thousands of objects copies each directly into
 * its output, and creating a view costs as much as copying a small object. Loops over many objects reuse one record.
 */
export interface ByteRange {
  bytes: Buffer
  start: number
  /** Index after the last byte. */
  end: number
}

/** Points the record at a whole buffer, when the caller already has a view. */
export function setWholeRange(place: ByteRange, bytes: Buffer): void {
  place.bytes = bytes
  place.start = 0
  place.end = bytes.length
}
