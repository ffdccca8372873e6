/** Decodes UTF-8 as the reference does. */
import buffers from "node:buffer"

/**
 * Called with the bytes of every JSON or YAML body. Each byte that is not valid UTF-8 becomes one U+FFFD; the built-in
 * decoder merges several. A byte order mark remains, and the parser refuses it.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return (buffers.isUtf8(buffer) ? buffer : repaired(buffer)).toString("utf8")
}

/** Replaces each invalid byte by the three bytes of U+FFFD. */
function repaired(bytes: Buffer): Buffer {
  const sound = Buffer.allocUnsafe(bytes.length * 3)
  let end = 0
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at)
    if (length === 0) {
      sound[end++] = 0xef
      sound[end++] = 0xbf
      sound[end++] = 0xbd
      at++
    } else for (const next = at + length; at < next; ) sound[end++] = bytes[at++] ?? 0
  }
  return sound.subarray(0, end)
}

/** The length of the character at `at`; 0 when it is invalid. Unicode 15, table 3-7. */
function sequenceLength(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0
  if (lead < 0x80) return 1
  if (lead < 0xc2 || lead > 0xf4) return 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
  const second = bytes[at + 1] ?? 0
  if (second < least || second > most) return 0
  for (let next = at + 2; next < at + length; next++) {
    const byte = bytes[next] ?? 0
    if (byte < 0x80 || byte > 0xbf) return 0
  }
  return length
}
