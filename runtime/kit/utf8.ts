/** Bytes to text as the reference reads them. */
import { isUtf8 } from "node:buffer"

const replacement = "\ufffd"

/**
 * Called with the bytes of every JSON or YAML body. Where they are no UTF-8, each byte that cannot be read becomes U+FFFD, one for one;
 * the built-in decoder makes one of several. A byte order mark stays, for the parser to refuse.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (isUtf8(buffer)) return buffer.toString("utf8")
  const parts: string[] = []
  let start = 0
  for (let at = 0; at < buffer.length; ) {
    const length = sequenceLength(buffer, at)
    if (length > 0) {
      at += length
      continue
    }
    parts.push(buffer.toString("utf8", start, at), replacement)
    start = ++at
  }
  parts.push(buffer.toString("utf8", start))
  return parts.join("")
}

/** Bytes of the character at `at`; 0 when there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0
  if (lead < 0x80) return 1
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
  if (lead < 0xc2 || lead > 0xf4 || at + length > bytes.length) return 0
  return isUtf8(bytes.subarray(at, at + length)) ? length : 0
}
