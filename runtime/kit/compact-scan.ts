/**
 * Looks for fields in the compact encoding without decoding the rest and without allocating: what every object of a store is asked once at start
 * must not cost a decode each. Wire format: protobuf's encoding guide.
 */

const lengthDelimited = 2
const keyTag = 8 + lengthDelimited
const valueTag = 16 + lengthDelimited

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

/**
 * As `hasAnyField`, for a map of texts that stands in the inner message: its entries, empty when there are none. Every part of a map that is
 * written in several is read, the last of two values for a key counts.
 */
export function textMap(
  bytes: Uint8Array,
  { from, path, number }: { from: number; path: readonly number[]; number: number },
): Record<string, string> {
  const cursor: Cursor = { bytes, at: from, end: bytes.length }
  const map: Record<string, string> = {}
  for (const inner of path) if (!enter(cursor, inner)) return map
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { end } = cursor
  while (cursor.at < end && enter(cursor, number)) {
    const entry = { key: "", value: "" }
    const entryEnd = cursor.end
    readEntry(cursor, text, entry)
    // The one key that is no ordinary property when it is assigned.
    if (entry.key === "__proto__")
      Object.defineProperty(map, entry.key, { value: entry.value, enumerable: true, configurable: true, writable: true })
    else map[entry.key] = entry.value
    cursor.at = entryEnd
    cursor.end = end
  }
  return map
}

/** The first field of that number of a message, with what stands before its content; undefined when there is none. Throws as `hasAnyField` does. */
export function wholeField(bytes: Uint8Array, number: number): Uint8Array | undefined {
  const cursor: Cursor = { bytes, at: 0, end: bytes.length }
  while (cursor.at < cursor.end) {
    const start = cursor.at
    const tag = varint(cursor)
    skipValue(cursor, tag % 8)
    if (tag === number * 8 + lengthDelimited) return bytes.subarray(start, cursor.at)
  }
  return undefined
}

/**
 * Called with a message that stands within another, both as `hasAnyField` finds them: answers the first of them (`path`, one number) with `text` as the
 * field `number` of its inner message (`inner`), where that field stands empty. Undefined when it does not, for the caller to decode and encode;
 * throws as `hasAnyField` does. So a stored object is sent with its version without being decoded.
 */
export function withText(
  bytes: Uint8Array,
  { from, path, inner, number, text }: { from: number; path: number; inner: number; number: number; text: string },
): Buffer | undefined {
  const cursor: Cursor = { bytes, at: from, end: bytes.length }
  if (!enter(cursor, path)) return undefined
  const [start, end] = [cursor.at, cursor.end]
  if (!enter(cursor, inner)) return undefined
  const [innerStart, innerEnd] = [cursor.at, cursor.end]
  if (!enter(cursor, number) || cursor.at !== cursor.end) return undefined
  const place = cursor.at
  // Of the empty text only its length changes, of the inner message what stands before it.
  const innerLength = innerEnd - innerStart + lengthBytes(text.length) - 1 + text.length
  const innerHead = innerStart - lengthBytes(innerEnd - innerStart)
  const message = Buffer.allocUnsafe(innerHead - start + lengthBytes(innerLength) + innerLength + end - innerEnd)
  message.set(bytes.subarray(start, innerHead))
  let at = putLength(message, innerHead - start, innerLength)
  message.set(bytes.subarray(innerStart, place - 1), at)
  at = putLength(message, at + place - 1 - innerStart, text.length)
  at += message.write(text, at, "latin1")
  message.set(bytes.subarray(place, end), at)
  return message
}

/** Bytes of a length as a varint, in its shortest form. */
function lengthBytes(length: number): number {
  return length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x20_0000 ? 3 : length < 0x1000_0000 ? 4 : 5
}

/** Answers where what follows it begins. */
function putLength(message: Buffer, at: number, length: number): number {
  let [place, left] = [at, length]
  for (; left >= 0x80; left = Math.floor(left / 0x80)) message[place++] = (left % 0x80) + 0x80
  message[place++] = left
  return place
}

/** Key and value are fields 1 and 2 of an entry, which is all that the cursor covers; absent means empty. */
function readEntry(cursor: Cursor, text: Buffer, entry: { key: string; value: string }): void {
  while (cursor.at < cursor.end) {
    const tag = varint(cursor)
    if (tag !== keyTag && tag !== valueTag) {
      skipValue(cursor, tag % 8)
      continue
    }
    const length = varint(cursor)
    const start = cursor.at
    skip(cursor, length)
    entry[tag === keyTag ? "key" : "value"] = text.toString("utf8", start, cursor.at)
  }
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
