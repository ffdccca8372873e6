/**
 * Encodes header blocks: RFC 7541 section 6.2.2. Fields are written out each time, without a dynamic table: that costs
 * a hundred bytes per answer and saves one table per connection. The encoding of the last value of each name is kept,
 * since most values repeat.
 */
import { headerTableBytes, staticNumberOf } from "./header-table.ts"

/** The fields of an answer by name; several values are several fields. */
export type AnswerHeaders = Record<string, string | string[]>

const statusNumbers = new Map([
  [200, 8],
  [204, 9],
  [206, 10],
  [304, 11],
  [400, 12],
  [404, 13],
  [500, 14],
])
const statusNumber = 8

interface KnownName {
  /** The beginning of each field with this name. */
  readonly prefix: Buffer
  /** Undefined if no value is kept. */
  lastValue: string | undefined
  /** The encoded field with that value. */
  lastField: Buffer
}

/** Bounded: answers from other servers may have any names. */
const knownNames = new Map<string, KnownName>()
const knownNamesMax = 256

/** Characters that no field may have, and characters outside latin1. */
export const forbiddenCharacters = /[\0\r\n]|[^\0-\xff]/g

let scratch = Buffer.allocUnsafeSlow(16 * 1024)
let length = 0

/** Encodes the head of an answer. The block is valid until the next call. */
export function encodeHead(status: number, headers: AnswerHeaders): Buffer {
  length = 0
  const indexed = statusNumbers.get(status)
  if (indexed !== undefined) scratch[length++] = 0x80 | indexed
  else {
    scratch[length++] = statusNumber
    putText(String(status))
  }
  putFields(headers)
  return scratch.subarray(0, length)
}

/** Encodes trailers. The block is valid until the next call. */
export function encodeTrailers(headers: AnswerHeaders): Buffer {
  length = 0
  putFields(headers)
  return scratch.subarray(0, length)
}

/**
 * The start of the next block after the client has asked for a smaller table than the default; RFC 7541 section 4.2.
 */
export const emptyTable = Buffer.of(0x20)

/** Whether a table of this size is smaller than the default. */
export function needsEmptyTable(tableSize: number): boolean {
  return tableSize < headerTableBytes
}

function putFields(headers: AnswerHeaders): void {
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === "string") putField(name, value)
    else if (value !== undefined) for (const one of value) putField(name, one)
  }
}

function putField(name: string, value: string): void {
  const known = knownNames.get(name) ?? learn(name)
  if (known.lastValue === value) {
    reserve(known.lastField.length)
    length += known.lastField.copy(scratch, length)
    return
  }
  reserve(known.prefix.length + value.length + 8)
  const from = length
  length += known.prefix.copy(scratch, length)
  // Forbidden characters would end the connection; RFC 9113 section 8.2.1.
  putText(value.replaceAll(forbiddenCharacters, "?"))
  if (value.length > 256) return
  known.lastValue = value
  known.lastField = Buffer.from(scratch.subarray(from, length))
}

function learn(name: string): KnownName {
  if (knownNames.size >= knownNamesMax) knownNames.clear()
  const from = length
  reserve(name.length + 8)
  const number = staticNumberOf(name)
  if (number === undefined) {
    scratch[length++] = 0
    putText(name)
  } else putInteger(0, 4, number)
  const prefix = Buffer.from(scratch.subarray(from, length))
  length = from
  const known = { prefix, lastValue: undefined, lastField: prefix }
  knownNames.set(name, known)
  return known
}

function putText(text: string): void {
  putInteger(0, 7, text.length)
  length += scratch.write(text, length, "latin1")
}

/** RFC 7541 section 5.1. */
function putInteger(first: number, prefixBits: number, value: number): void {
  const prefixMax = (1 << prefixBits) - 1
  if (value < prefixMax) {
    scratch[length++] = first | value
    return
  }
  scratch[length++] = first | prefixMax
  let rest = value - prefixMax
  for (; rest >= 0x80; rest >>>= 7) scratch[length++] = (rest & 0x7f) | 0x80
  scratch[length++] = rest
}

function reserve(bytes: number): void {
  if (length + bytes <= scratch.length) return
  const larger = Buffer.allocUnsafeSlow(2 * (length + bytes))
  scratch.copy(larger, 0, 0, length)
  scratch = larger
}
