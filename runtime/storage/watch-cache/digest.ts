/**
 * A rolling hash of keys and their modRevisions in key order: FNV-1a in two lanes of 32 bits, which JavaScript
 * multiplies exactly. It detects faults of this program, not forgeries, and must be cheap per object: it covers every
 * object.
 */

const prime = 0x01000193
/** The offset basis of FNV-1a, and another one so that the second lane differs. */
const starts = [0x811c9dc5, 0x2f0b4c27] as const

/** Called once per side of a comparison. */
export class Digest {
  private first: number = starts[0]
  private second: number = starts[1]

  /** Called for each object, in key order. */
  add({ key, modRevision }: { readonly key: string; readonly modRevision: number }): void {
    let { first, second } = this
    for (let index = 0; index < key.length; index++) {
      const unit = key.charCodeAt(index)
      first = Math.imul(first ^ unit, prime)
      second = Math.imul(second ^ (unit + index), prime)
    }
    const low = modRevision >>> 0
    const high = Math.floor(modRevision / 2 ** 32)
    this.first = Math.imul(Math.imul(Math.imul(first ^ 0x1_0000, prime) ^ low, prime) ^ high, prime)
    this.second = Math.imul(Math.imul(Math.imul(second ^ 0x1_0001, prime) ^ high, prime) ^ low, prime)
  }

  /** Sixteen hexadecimal digits. */
  text(): string {
    return [this.first, this.second].map((lane) => (lane >>> 0).toString(16).padStart(8, "0")).join("")
  }
}
