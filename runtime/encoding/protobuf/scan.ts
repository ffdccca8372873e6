/**
 * Finds fields in protobuf messages without decoding the rest and without allocating. At start, the server searches
 * every stored object, so a search must not cost a decode. Wire format: protobuf's encoding guide.
 */
import { numberOf, ProtobufReader, wireTypeOf } from "./reader.ts"
import { varintBytes, wireType } from "./writer.ts"

const keyTag = 8 + wireType.bytes
const valueTag = 16 + wireType.bytes

/**
 * Reports whether an inner message has any length-delimited field (message, string, bytes or a list of these) with one
 * of `numbers`. The outer message begins at `from`; `path` holds the field numbers that lead to the inner one. The
 * first of a repeated field counts. Throws RangeError when the bytes are not a message.
 */
export function hasAnyField(
  bytes: Uint8Array,
  { from, path, numbers }: { from: number; path: readonly number[]; numbers: readonly number[] },
): boolean {
  const reader = new ProtobufReader(bytes, from)
  for (const number of path) if (!enter(reader, number)) return false
  while (reader.more) {
    const tag = reader.tag()
    if (wireTypeOf(tag) === wireType.bytes && numbers.includes(numberOf(tag))) return true
    reader.skip(tag)
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
  const reader = new ProtobufReader(bytes, from)
  const map: Record<string, string> = {}
  for (const inner of path) if (!enter(reader, inner)) return map
  const { end } = reader
  while (reader.more && enter(reader, number)) {
    const entry = readEntry(reader)
    // Assigning to `__proto__` would set the prototype.
    if (entry.key === "__proto__")
      Object.defineProperty(map, entry.key, { value: entry.value, enumerable: true, configurable: true, writable: true })
    else map[entry.key] = entry.value
    reader.leave(end)
  }
  return map
}

/**
 * Returns the first field with that number, including its tag and length; undefined when there is none. Throws as
 * `hasAnyField` does.
 */
export function wholeField(bytes: Uint8Array, number: number): Uint8Array | undefined {
  const reader = new ProtobufReader(bytes)
  while (reader.more) {
    const start = reader.at
    const tag = reader.tag()
    reader.skip(tag)
    if (tag === number * 8 + wireType.bytes) return bytes.subarray(start, reader.at)
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
  const reader = new ProtobufReader(bytes, from)
  if (!enter(reader, path)) return undefined
  const [start, end] = [reader.at, reader.end]
  if (!enter(reader, inner)) return undefined
  const [innerStart, innerEnd] = [reader.at, reader.end]
  if (!enter(reader, number) || reader.at !== reader.end) return undefined
  const place = reader.at
  // For the empty string only its length changes; for the inner message, the bytes before its content do.
  const innerLength = innerEnd - innerStart + varintBytes(text.length) - 1 + text.length
  const innerHead = innerStart - varintBytes(innerEnd - innerStart)
  const message = Buffer.allocUnsafe(innerHead - start + varintBytes(innerLength) + innerLength + end - innerEnd)
  message.set(bytes.subarray(start, innerHead))
  let at = putLength(message, innerHead - start, innerLength)
  message.set(bytes.subarray(innerStart, place - 1), at)
  at = putLength(message, at + place - 1 - innerStart, text.length)
  at += message.write(text, at, "latin1")
  message.set(bytes.subarray(place, end), at)
  return message
}

/** Writes a length and returns the index after it. */
function putLength(message: Buffer, at: number, length: number): number {
  let [place, left] = [at, length]
  for (; left >= 0x80; left = Math.floor(left / 0x80)) message[place++] = (left % 0x80) + 0x80
  message[place++] = left
  return place
}

/** Key and value are fields 1 and 2 of the entry that the reader is in; absent means empty. */
function readEntry(reader: ProtobufReader): { readonly key: string; readonly value: string } {
  const entry = { key: "", value: "" }
  while (reader.more) {
    const tag = reader.tag()
    if (tag === keyTag) entry.key = reader.text()
    else if (tag === valueTag) entry.value = reader.text()
    else reader.skip(tag)
  }
  return entry
}

/** Narrows the reader to the first field with that number; false when there is none. */
function enter(reader: ProtobufReader, number: number): boolean {
  while (reader.more) {
    const tag = reader.tag()
    if (tag === number * 8 + wireType.bytes) {
      reader.enter()
      return true
    }
    reader.skip(tag)
  }
  return false
}
