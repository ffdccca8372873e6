/** Keeps bytes that arrive in pieces of any size, even single bytes, in a few blocks. */

/** Bytes that a block costs besides its content: the object that node creates for it. */
const blockCostBytes = 200
const blockBytesMin = 1024
const blockBytesMax = 64 * 1024

/** Created for each body. It keeps at most about twice the bytes that arrived, and one block. */
export class GatheredBytes {
  /** The number of bytes gathered. */
  length = 0
  /** The bytes of memory that they use. */
  keptBytes = 0
  private blocks: Buffer[] = []
  /** The block that is being filled, and the length of its content. */
  private tail: Buffer | undefined
  private filled = 0

  /** Copies a piece, which may be a small view of a large buffer. */
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

  /** Keeps a piece without a copy, for a body that arrives in one piece and is read at once. */
  keep(piece: Buffer): void {
    if (piece.length === 0) return
    this.closeBlock()
    this.blocks.push(piece)
    this.length += piece.length
    this.keptBytes += piece.length + blockCostBytes
  }

  /** Removes and returns the oldest block of bytes; undefined if there are none. */
  shift(): Buffer | undefined {
    if (this.blocks.length === 0) this.closeBlock()
    const block = this.blocks.shift()
    if (block === undefined) return undefined
    this.length -= block.length
    this.keptBytes = this.length === 0 ? 0 : Math.max(this.length, this.keptBytes - block.length - blockCostBytes)
    return block
  }

  /** Removes and returns all bytes. */
  take(): Buffer {
    this.closeBlock()
    const { blocks } = this
    this.clear()
    return blocks.length === 1 && blocks[0] !== undefined ? blocks[0] : Buffer.concat(blocks)
  }

  /** Discards all bytes. */
  clear(): void {
    this.blocks = []
    this.tail = undefined
    this.filled = 0
    this.length = 0
    this.keptBytes = 0
  }

  /** Blocks double: many small pieces make few blocks, and a short body does not take a long block. */
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
