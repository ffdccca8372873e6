/** Bytes that are kept for long, without the pool that node cuts small Buffers from. */

/**
 * The bytes in memory of their own. A small Buffer keeps the whole slab of the pool alive that node has cut it from:
 * what counts its lengths would hold several times as much. Called with what is going to be kept.
 */
export function ownBytes(content: Buffer): Buffer {
  if (content.buffer.byteLength !== Buffer.poolSize || content.byteLength === Buffer.poolSize) return content
  return copyOf(content)
}

/** A copy of the bytes in memory of its own, whereas `Buffer.from` cuts small ones from the pool. */
export function copyOf(content: Uint8Array): Buffer {
  const own = Buffer.allocUnsafeSlow(content.byteLength)
  own.set(content)
  return own
}
