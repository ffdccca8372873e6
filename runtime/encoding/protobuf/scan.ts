/**
 * Finds fields in protobuf messages without decoding the rest and without allocating. At start, the server asks this of
 * every stored object, so it must not cost a decode each. Wire format: protobuf's encoding guide.
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
 * Reports whether an inner message has any length-delimited field (message, string, bytes or a list of these) with one
 * of `numbers`. The outer message begins at `from`; `path` holds the field numbers that lead to the inner one. The
 * first of a repeated field counts. Throws RangeError when the bytes are not a message.
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
 * Like `hasAnyField`, but returns the entries of a map of strings in the inner message; empty when there are none. A
 * map in several parts is read whole, and the last value of a key counts.
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
    // Assigning to `__proto__` would set the prototype.
    if (entry.key === "__proto__")
      Object.defineProperty(map, entry.key, { value: entry.value, enumerable: true, configurable: true, writable: true })
    else map[entry.key] = entry.value
    cursor.at = entryEnd
    cursor.end = end
  }
  return map
}

/**
 * Returns the first field with that number, including its tag and length; undefined when there is none. Throws as
 * `hasAnyField` does.
 */
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
 * Sets a string field of a nested message without decoding: the server fills in the version of a stored object this
 * way. `path` (one number) leads to the first such message, `inner` to a message within it, whose empty field `number`
 * becomes `text`. Returns the new bytes of the first message, or undefined when the field is not empty; the caller then
 * decodes and encodes. Throws as `hasAnyField` does.
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
  // For the empty string only its length changes; for the inner message, the bytes before its content do.
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

/** Bytes of a length as the shortest varint. */
function lengthBytes(length: number): number {
  return length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x20_0000 ? 3 : length < 0x1000_0000 ? 4 : 5
}

/** Writes a length and returns the index after it. */
function putLength(message: Buffer, at: number, length: number): number {
  let [place, left] = [at, length]
  for (; left >= 0x80; left = Math.floor(left / 0x80)) message[place++] = (left % 0x80) + 0x80
  message[place++] = left
  return place
}

/** Key and value are fields 1 and 2 of the entry that the cursor covers; absent means empty. */
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

/** Narrows the cursor to the first field with that number; false when there is none. */
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
