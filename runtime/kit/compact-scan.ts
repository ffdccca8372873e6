/**
 * Looks for one field in the compact encoding without decoding the rest: what a whole store is asked about once at start must not cost a decode
 * per object. Wire format: protobuf's encoding guide.
 */

const lengthDelimited = 2

/**
 * Called with the bytes of a message. Answers the bytes of the first field of that number which has a length (messages, texts, bytes, lists of
 * them), as a view; undefined when there is none. Throws RangeError when the bytes are no message.
 */
export function findField(message: Uint8Array, number: number): Uint8Array | undefined {
  const cursor = { bytes: message, at: 0 }
  while (cursor.at < message.length) {
    const tag = varint(cursor)
    const type = tag % 8
    if (type === lengthDelimited) {
      const length = varint(cursor)
      const start = cursor.at
      skip(cursor, length)
      if (Math.floor(tag / 8) === number) return message.subarray(start, cursor.at)
    } else skipValue(cursor, type)
  }
  return undefined
}

interface Cursor {
  readonly bytes: Uint8Array
  at: number
}

function skipValue(cursor: Cursor, type: number): void {
  if (type === 0) varint(cursor)
  else if (type === 1) skip(cursor, 8)
  else if (type === 5) skip(cursor, 4)
  else throw new RangeError(`wire type ${type} at byte ${cursor.at}`)
}

function skip(cursor: Cursor, length: number): void {
  cursor.at += length
  if (cursor.at > cursor.bytes.length) throw new RangeError(`the message ends within a field, at byte ${cursor.bytes.length}`)
}

/** Tags and lengths are below 2^32; of a longer number only the end matters. */
function varint(cursor: Cursor): number {
  let value = 0
  for (let scale = 1; ; scale *= 128) {
    const byte = cursor.bytes[cursor.at++]
    if (byte === undefined) throw new RangeError(`the message ends within a number, at byte ${cursor.bytes.length}`)
    value += (byte & 127) * scale
    if (byte < 128) return value
  }
}
