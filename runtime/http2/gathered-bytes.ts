/** Bytes that come in pieces of any size, one byte each if a client likes, kept in few blocks. */

/** Bytes that a block costs besides its own: the object that node makes for it. */
const blockCostBytes = 200
const blockBytesMin = 1024
const blockBytesMax = 64 * 1024

/** Made for each body. What it keeps is at most about twice what came, and a block more. */
export class GatheredBytes {
  /** Bytes that are here. */
  length = 0
  /** Bytes of memory that they take. */
  keptBytes = 0
  private blocks: Buffer[] = []
  /** The block that is filled now, and how far. */
  private tail: Buffer | undefined
  private filled = 0

  /** Copies a piece: it may be a small part of something large. */
  add(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      const tail = this.tail !== undefined && this.filled < this.tail.length ? this.tail : this.grow(piece.length - at)
      const end = Math.min(piece.length, at + tail.length - this.filled)
      tail.set(end - at === piece.length ? piece : piece.subarray(at, end), this.filled)
      this.filled += end - at
      this.length += end - at
      at = end
    }
  }

  /** Keeps a piece as it is, for a body that comes in one and is read at once. */
  keep(piece: Buffer): void {
    if (piece.length === 0) return
    this.closeBlock()
    this.blocks.push(piece)
    this.length += piece.length
    this.keptBytes += piece.length + blockCostBytes
  }

  /** Takes the oldest of the bytes, a block of them. Undefined: there are none. */
  shift(): Buffer | undefined {
    if (this.blocks.length === 0) this.closeBlock()
    const block = this.blocks.shift()
    if (block === undefined) return undefined
    this.length -= block.length
    this.keptBytes = this.length === 0 ? 0 : Math.max(this.length, this.keptBytes - block.length - blockCostBytes)
    return block
  }

  /** Takes all of the bytes. */
  take(): Buffer {
    this.closeBlock()
    const { blocks } = this
    this.clear()
    return blocks.length === 1 && blocks[0] !== undefined ? blocks[0] : Buffer.concat(blocks)
  }

  /** Throws all of the bytes away. */
  clear(): void {
    this.blocks = []
    this.tail = undefined
    this.filled = 0
    this.length = 0
    this.keptBytes = 0
  }

  /** Blocks double: many small pieces make few of them, and a short body does not take a long one. */
  private grow(needed: number): Buffer {
    this.closeBlock()
    const tail = Buffer.allocUnsafeSlow(Math.min(blockBytesMax, Math.max(blockBytesMin, needed, this.length)))
    this.tail = tail
    this.keptBytes += tail.length + blockCostBytes
    return tail
  }

  private closeBlock(): void {
    if (this.tail !== undefined && this.filled > 0) this.blocks.push(this.tail.subarray(0, this.filled))
    this.tail = undefined
    this.filled = 0
  }
}
