/**
 * Writes protobuf messages from front to back. Nested messages are opened and closed; their content moves only when its
 * length needs more than the one byte that was reserved for it. https://protobuf.dev/programming-guides/encoding
 */
import { tooLarge } from "../../base/errors.ts"

const initialBytes = 16 * 1024
/** A larger buffer is freed after the message that needed it. */
const keptBytes = 1024 * 1024
/** Shorter strings are written character by character, because a call out of JavaScript costs more. */
const shortText = 48

/** How a value is encoded: the low three bits of the tag before it. */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const

/** One instance per user, for one message at a time. */
export class ProtobufWriter {
  private bytes: Buffer
  private length = 0

  /**
   * `ceiling`: bytes of a message; a longer one throws ApiError 413. Default: unbounded, for the server's own messages.
   */
  constructor(
    capacity = initialBytes,
    private readonly ceiling = Number.POSITIVE_INFINITY,
  ) {
    this.bytes = Buffer.allocUnsafe(capacity)
  }

  /** Returns a copy of the written message and empties the writer. */
  finish(): Buffer {
    const message = Buffer.allocUnsafe(this.length)
    this.bytes.copy(message, 0, 0, this.length)
    this.reset()
    return message
  }

  /** Called when writing a message failed. */
  reset(): void {
    this.length = 0
    if (this.bytes.length > keptBytes) this.bytes = Buffer.allocUnsafeSlow(initialBytes)
  }

  /** Writes bytes that are already encoded. */
  raw(content: Uint8Array): void {
    const at = this.room(content.length)
    this.bytes.set(content, at)
    this.length = at + content.length
  }

  /** Writes an integer from 0 to 2^32 - 1: tags and lengths. */
  varint(value: number): void {
    let at = this.room(5)
    let rest = value
    while (rest > 0x7f) {
      this.bytes[at++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.bytes[at] = rest
    this.length = at + 1
  }

  /** Writes a signed integer of 32 or 64 bits; negative ones take ten bytes. Beyond 2^53 only `bigint` is exact. */
  signed(value: number | bigint): void {
    if (typeof value === "number" && value >= 0 && value <= 0xffff_ffff) return this.varint(value)
    let rest = BigInt.asUintN(64, BigInt(value))
    let at = this.room(10)
    while (rest > 0x7fn) {
      this.bytes[at++] = Number(rest & 0x7fn) | 0x80
      rest >>= 7n
    }
    this.bytes[at] = Number(rest)
    this.length = at + 1
  }

  private double(value: number): void {
    const at = this.room(8)
    this.length = this.bytes.writeDoubleLE(value, at)
  }

  /** Writes length and UTF-8. A lone surrogate becomes U+FFFD. */
  text(text: string): void {
    const { length } = text
    if (length < shortText && this.ascii(text)) return
    const prefix = varintBytes(length)
    const at = this.room(varintBytes(length * 3) + length * 3)
    const written = this.bytes.write(text, at + prefix)
    const needed = varintBytes(written)
    if (needed !== prefix) this.bytes.copyWithin(at + needed, at + prefix, at + prefix + written)
    this.length = at
    this.varint(written)
    this.length += written
  }

  /** Writes a field of text, empty or not. */
  textField(number: number, text: string): void {
    this.varint(number * 8 + wireType.bytes)
    this.text(text)
  }

  /** Writes a field of bytes, or of a message that is already encoded. */
  bytesField(number: number, content: Uint8Array): void {
    this.varint(number * 8 + wireType.bytes)
    this.varint(content.length)
    this.raw(content)
  }

  /** Writes a field of a signed integer of 32 or 64 bits. */
  signedField(number: number, value: number | bigint): void {
    this.varint(number * 8 + wireType.varint)
    this.signed(value)
  }

  boolField(number: number, value: boolean): void {
    this.varint(number * 8 + wireType.varint)
    this.varint(value ? 1 : 0)
  }

  doubleField(number: number, value: number): void {
    this.varint(number * 8 + wireType.fixed64)
    this.double(value)
  }

  /** Begins a field that is a message; returns its position for `close`. */
  openField(number: number): number {
    this.varint(number * 8 + wireType.bytes)
    return this.open()
  }

  /** Reserves the length of a nested message; returns its position for `close`. */
  open(): number {
    const at = this.room(1)
    this.length = at + 1
    return at
  }

  /** Returns a copy of the bytes written since `open`. */
  opened(at: number): Buffer {
    return Buffer.from(this.bytes.subarray(at + 1, this.length))
  }

  /** Fills in the length of the bytes written since `open`. */
  close(at: number): void {
    const content = this.length - at - 1
    if (content <= 0x7f) {
      this.bytes[at] = content
      return
    }
    const prefix = varintBytes(content)
    this.room(prefix)
    this.bytes.copyWithin(at + prefix, at + 1, this.length)
    this.length = at
    this.varint(content)
    this.length += content
  }

  /** Returns false, having written nothing, when the text is not ASCII. */
  private ascii(text: string): boolean {
    const { length } = text
    const at = this.room(length + 1)
    const { bytes } = this
    bytes[at] = length
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index)
      if (code > 0x7f) return false
      bytes[at + 1 + index] = code
    }
    this.length = at + 1 + length
    return true
  }

  /** Ensures space for `count` more bytes; returns where they begin. */
  private room(count: number): number {
    const at = this.length
    if (at + count > this.bytes.length) {
      // A string reserves three bytes per character, which few need.
      if (at + count / 3 > this.ceiling)
        throw tooLarge(`Request entity too large: the object takes more than ${this.ceiling} bytes, which is the limit`)
      const larger = Buffer.allocUnsafeSlow(Math.max(at + count, this.bytes.length * 2))
      this.bytes.copy(larger, 0, 0, at)
      this.bytes = larger
    }
    return at
  }
}

/** The number of bytes that a length takes. */
export function varintBytes(length: number): number {
  if (length < 0x80) return 1
  if (length < 0x4000) return 2
  if (length < 0x20_0000) return 3
  return length < 0x1000_0000 ? 4 : 5
}
