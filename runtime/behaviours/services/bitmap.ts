/** A bitmap of the allocated numbers of a range. */

/** Indexes run from 0 to `size - 1`. Mutable; created for each attempt. */
export class Bitmap {
  private readonly bytes: Uint8Array

  constructor(readonly size: number) {
    this.bytes = new Uint8Array(Math.ceil(size / 8))
  }

  /** Decodes a big-endian number whose bit n is index n; bits beyond `size` are dropped. */
  static fromBigEndian(size: number, data: Uint8Array): Bitmap {
    const bitmap = new Bitmap(size)
    for (let index = 0; index < Math.min(bitmap.bytes.length, data.length); index++)
      bitmap.bytes[index] = data[data.length - 1 - index] ?? 0
    if (size % 8 !== 0 && data.length >= bitmap.bytes.length) {
      const last = bitmap.bytes.length - 1
      bitmap.bytes[last] = (bitmap.bytes[last] ?? 0) & ((1 << (size % 8)) - 1)
    }
    return bitmap
  }

  /** Without leading zeros: an empty range has no bytes. */
  toBigEndian(): Buffer {
    let length = this.bytes.length
    while (length > 0 && this.bytes[length - 1] === 0) length--
    return Buffer.from(this.bytes.subarray(0, length)).reverse()
  }

  has(index: number): boolean {
    return ((this.bytes[index >> 3] ?? 0) & (1 << (index & 7))) !== 0
  }

  add(index: number): void {
    this.bytes[index >> 3] = (this.bytes[index >> 3] ?? 0) | (1 << (index & 7))
  }

  remove(index: number): void {
    this.bytes[index >> 3] = (this.bytes[index >> 3] ?? 0) & ~(1 << (index & 7))
  }

  /** The first free index of [from, to), searching from `start` and wrapping around; undefined when all are taken. */
  firstFree(options: { from: number; to: number; start: number }): number | undefined {
    const { from, to, start } = options
    for (let index = start; index < to; index++) if (!this.has(index)) return index
    for (let index = from; index < start; index++) if (!this.has(index)) return index
    return undefined
  }
}
