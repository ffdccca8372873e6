/** Indents JSON, from bytes to bytes. It does not parse, so numbers of any size stay unchanged. */
import { backslash, closeBrace, closeBracket, colon, comma, openBrace, openBracket, quote } from "../encoding/json/punctuation.ts"

const space = 0x20
const newline = 0x0a

/**
 * Called for responses that a person reads. `json` is compact JSON (no white space between tokens); `depth` is its
 * depth within a larger document. Two spaces per level, as in the reference, without a final line break.
 */
export function indentJson(json: Uint8Array, depth = 0): Buffer {
  const target = new Target(json.length * 2)
  let level = depth
  let inString = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0
    if (inString) {
      target.push(byte)
      if (byte === backslash) target.push(json[++at] ?? 0)
      else if (byte === quote) inString = false
      continue
    }
    switch (byte) {
      case openBrace:
      case openBracket: {
        target.push(byte)
        const next = json[at + 1]
        if (next === closeBrace || next === closeBracket) {
          target.push(next)
          at++
        } else target.line(++level)
        break
      }
      case closeBrace:
      case closeBracket:
        target.line(--level)
        target.push(byte)
        break
      case comma:
        target.push(byte)
        target.line(level)
        break
      case colon:
        target.push(byte)
        target.push(space)
        break
      default:
        if (byte === quote) inString = true
        // Compact JSON holds none; a final line break is not part of the document.
        if (byte !== newline) target.push(byte)
    }
  }
  return target.bytes()
}

/** A growing buffer. */
class Target {
  private buffer: Buffer
  private length = 0

  constructor(capacity: number) {
    this.buffer = Buffer.allocUnsafe(Math.max(64, capacity))
  }

  push(byte: number): void {
    if (this.length === this.buffer.length) this.grow(1)
    this.buffer[this.length++] = byte
  }

  line(level: number): void {
    const width = 1 + level * 2
    if (this.length + width > this.buffer.length) this.grow(width)
    this.buffer[this.length] = newline
    this.buffer.fill(space, this.length + 1, this.length + width)
    this.length += width
  }

  bytes(): Buffer {
    return this.buffer.subarray(0, this.length)
  }

  private grow(atLeast: number): void {
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + atLeast))
    this.buffer.copy(larger, 0, 0, this.length)
    this.buffer = larger
  }
}
