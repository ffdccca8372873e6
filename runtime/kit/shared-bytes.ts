/**
 * Views of memory that is used again. Small objects of the watch cache lie together in such memory; whoever is given their bytes reads or copies
 * them before he lets others have their turn.
 */

/** Objects up to this size may lie in memory that is used again; larger ones never do, and their views last. */
export const sharedBytesMax = 16 * 1024

/**
 * Where an object's bytes are, without a view of its own on them: a list of thousands of objects copies each from here straight into its write, and
 * a view costs as much as copying a small object does. One record is filled again and again by whoever goes through many objects.
 */
export interface BytePlace {
  bytes: Buffer
  start: number
  /** Behind the last byte. */
  end: number
}

/** Called by who has a view anyway. */
export function placeAll(place: BytePlace, bytes: Buffer): void {
  place.bytes = bytes
  place.start = 0
  place.end = bytes.length
}
