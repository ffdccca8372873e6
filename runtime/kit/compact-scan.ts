/**
 * Looks for fields in the compact encoding without decoding the rest and without allocating: what every object of a store is asked once at start
 * must not cost a decode each. Wire format: protobuf's encoding guide.
 */

const lengthDelimited = 2

interface Cursor {
  readonly bytes: Uint8Array
  at: number
  end: number
}

/**
 * Called with bytes of which a message begins at `from`, the numbers of the fields that lead from it to an inner message, and what is looked for
 * there: whether that message has any field of these numbers which has a length (messages, texts, bytes, lists of them). Where a field is
 * repeated, the first is gone into. Throws RangeError when the bytes are no message.
 */
export function hasAnyField(
  bytes: Uint8Array,
  { from, path, numbers }: { from: number; path: readonly number[]; numbers: readonly number[] },
): boolean {
  const cursor: Cursor = { bytes, at: from, end: bytes.length }
  for (const number of path) if (!enter(cursor, number)) return false
  while (cursor.at < cursor.end) {
    const tag = varint(cursor)
    if (tag % 8 === lengthDelimited && numbers.includes(Math.floor(tag / 8))) return true
    skipValue(cursor, tag % 8)
  }
  return false
}

/** Narrows the cursor to the first field of that number; false when there is none. */
function enter(cursor: Cursor, number: number): boolean {
  while (cursor.at < cursor.end) {
    const tag = varint(cursor)
    if (tag !== number * 8 + lengthDelimited) {
      skipValue(cursor, tag % 8)
      continue
    }
    const length = varint(cursor)
    const start = cursor.at
    skip(cursor, length)
    cursor.end = cursor.at
    cursor.at = start
    return true
  }
  return false
}

function skipValue(cursor: Cursor, type: number): void {
  if (type === lengthDelimited) skip(cursor, varint(cursor))
  else if (type === 0) varint(cursor)
  else if (type === 1) skip(cursor, 8)
  else if (type === 5) skip(cursor, 4)
  else throw new RangeError(`wire type ${type} at byte ${cursor.at}`)
}

function skip(cursor: Cursor, length: number): void {
  cursor.at += length
  if (cursor.at > cursor.end) throw new RangeError(`the message ends within a field, at byte ${cursor.end}`)
}

/** Tags and lengths are below 2^32; of a longer number only the end matters. */
function varint(cursor: Cursor): number {
  let value = 0
  for (let scale = 1; ; scale *= 128) {
    const byte = cursor.at < cursor.end ? cursor.bytes[cursor.at++] : undefined
    if (byte === undefined) throw new RangeError(`the message ends within a number, at byte ${cursor.end}`)
    value += (byte & 127) * scale
    if (byte < 128) return value
  }
}
