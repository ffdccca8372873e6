/**
 * Reads protobuf messages in place, without copies. Every reader of this program uses it: decoding of objects, the
 * calls of etcd, envelopes, and the search for single fields. https://protobuf.dev/programming-guides/encoding
 */
import { documentDepthMax } from "../../base/limits.ts"
import { wireType } from "./writer.ts"

/** Messages and groups may be nested this deep, as documents may: JSON documents are stored as messages. */
export const nestingMax = documentDepthMax

/** The field number in a tag. */
export function numberOf(tag: number): number {
  return tag >>> 3
}

export function wireTypeOf(tag: number): number {
  return tag & 7
}

/** Every method throws RangeError for bytes that are not a message, and Error for wire types that do not exist. */
export class ProtobufReader {
  private buffer: Buffer | undefined
  /** The message ends before this index. */
  end: number

  constructor(
    readonly bytes: Uint8Array,
    /** The index of the next byte. */
    public at = 0,
  ) {
    this.end = bytes.length
  }

  /** True while the message has more fields. */
  get more(): boolean {
    return this.at < this.end
  }

  /** Reads a field number and a wire type (`numberOf`, `wireTypeOf`). */
  tag(): number {
    const tag = this.varint32()
    if (tag < 8) throw new RangeError(`illegal tag ${tag}`)
    return tag
  }

  /** Skips the next tag if it is this one. Called to read the fields of a list or map in a row. */
  follows(tag: number): boolean {
    const { at } = this
    if (at < this.end && this.varint32() === tag) return true
    this.at = at
    return false
  }

  /** Reads the low 32 bits of an integer. */
  int32(): number {
    return this.varint(true) | 0
  }

  bool(): boolean {
    return this.int64() !== 0
  }

  /** Reads a signed integer; one beyond 2^53 is a bigint. */
  int64(): number | bigint {
    const { bytes, at: start } = this
    let value = 0
    let scale = 1
    // Seven bytes hold 49 bits, which a number holds exactly.
    for (let at = start; at < start + 7; at++) {
      const byte = bytes[at] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < 0x80) {
        this.advance(at + 1)
        return value
      }
      scale *= 128
    }
    return this.longInt64()
  }

  double(): number {
    const start = this.at
    this.advance(start + 8)
    return this.asBuffer().readDoubleLE(start)
  }

  /** Reads length and UTF-8. Bytes that are not UTF-8 become U+FFFD. */
  text(): string {
    const length = this.length()
    const { bytes, at: start } = this
    const end = start + length
    this.at = end
    if (length >= shortText) return this.asBuffer().toString("utf8", start, end)
    let text = ""
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0
      if (byte > 0x7f) return this.asBuffer().toString("utf8", start, end)
      text += String.fromCharCode(byte)
    }
    return text
  }

  /** Reads length and bytes; returns a view of them. */
  view(): Buffer {
    const length = this.length()
    const start = this.at
    this.at += length
    return this.asBuffer().subarray(start, this.at)
  }

  /** Reads the length of a nested message, which `end` then bounds. Returns the outer end for `leave`. */
  enter(): number {
    const length = this.length()
    const outer = this.end
    this.end = this.at + length
    return outer
  }

  /** Called at the end of a nested message with the result of `enter`. */
  leave(outer: number): void {
    this.end = outer
  }

  /** Skips the value of a field. `depth`: the groups around it. */
  skip(tag: number, depth = 0): void {
    switch (wireTypeOf(tag)) {
      case wireType.varint:
        this.varint(true)
        return
      case wireType.fixed64:
        return this.advance(this.at + 8)
      case wireType.bytes: {
        const length = this.length()
        this.at += length
        return
      }
      case wireType.fixed32:
        return this.advance(this.at + 4)
      case wireType.groupStart:
        return this.skipGroup(numberOf(tag), depth + 1)
      default:
        throw new RangeError(`wire type ${wireTypeOf(tag)} at byte ${this.at}`)
    }
  }

  private skipGroup(number: number, depth: number): void {
    if (depth > nestingMax) throw new RangeError(`exceeded max depth: groups may be nested ${nestingMax} deep`)
    for (;;) {
      const tag = this.tag()
      if (wireTypeOf(tag) !== wireType.groupEnd) this.skip(tag, depth)
      else if (numberOf(tag) === number) return
      else throw new RangeError(`wire type ${wireType.groupEnd} at byte ${this.at}`)
    }
  }

  /** Reads a length and checks that as many bytes follow. */
  private length(): number {
    const length = this.varint32()
    if (this.at + length > this.end) throw this.cut()
    return length
  }

  /** Reads tags and lengths: integers below 2^32. */
  private varint32(): number {
    const byte = this.bytes[this.at] ?? 0x80
    if (byte < 0x80 && this.at < this.end) {
      this.at++
      return byte
    }
    return this.varint(false)
  }

  /** `wide`: bits beyond 32 are dropped; otherwise they are an error. */
  private varint(wide: boolean): number {
    const { bytes } = this
    let { at } = this
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0
      if (shift < 32) value |= (byte & 0x7f) << shift
      if (!wide && shift >= 28 && byte > 0x0f) throw new RangeError(`a tag or length is too large, at byte ${at}`)
      if (byte < 0x80) break
      if (shift === 63) throw new RangeError("a number is longer than ten bytes")
    }
    this.advance(at)
    return value >>> 0
  }

  private longInt64(): number | bigint {
    let value = 0n
    let { at } = this
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.bytes[at++] ?? 0
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) break
      if (shift === 63n) throw new RangeError("a number is longer than ten bytes")
    }
    this.advance(at)
    const exact = BigInt.asIntN(64, value)
    const narrow = Number(exact)
    return Number.isSafeInteger(narrow) ? narrow : exact
  }

  private advance(at: number): void {
    if (at > this.end) throw this.cut()
    this.at = at
  }

  private cut(): RangeError {
    return new RangeError(`unexpected EOF: the message ends within a field, at byte ${this.end}`)
  }

  /** Made at the first use: most searches read neither texts nor bytes. */
  private asBuffer(): Buffer {
    this.buffer ??= Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength)
    return this.buffer
  }
}

/** Shorter strings are read character by character, because a call out of JavaScript costs more. */
const shortText = 24
