/** Bytes that are kept for long, outside of node's pool of small Buffers. */

/**
 * The bytes in memory of their own. A small Buffer keeps the whole slab of node's pool alive: a cache that counts only
 * lengths would hold several times as much. Called with bytes that are going to be kept.
 */
export function ownBytes(content: Buffer): Buffer {
  if (content.buffer.byteLength !== Buffer.poolSize || content.byteLength === Buffer.poolSize) return content
  return copyOf(content)
}

/** A copy of the bytes in memory of its own; `Buffer.from` takes small ones from the pool. */
export function copyOf(content: Uint8Array): Buffer {
  const own = Buffer.allocUnsafeSlow(content.byteLength)
  own.set(content)
  return own
}
