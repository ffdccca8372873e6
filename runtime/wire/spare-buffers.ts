/**
 * Buffers of finished lists, for reuse. Keeps as many as there were concurrent lists lately: when all informers of a
 * cluster list together, each list takes one, and the buffers of a burst must not stay for the life of the process.
 */

/** Lists after which the number to keep is settled again. */
const listsPerPeriod = 64

/** One per process. */
export class SpareBuffers {
  private readonly spare: Buffer[] = []
  private taken = 0
  private bytes = 0
  /** Most buffers that were in use at a time, in this period. */
  private peak = 0
  private returned = 0

  constructor(private readonly keptMax: number) {}

  /** Total size of the buffers in use. */
  get takenBytes(): number {
    return this.bytes
  }

  /** Number of buffers that wait to be used again. Read by tests. */
  get kept(): number {
    return this.spare.length
  }

  take(bytes: number): Buffer {
    this.bytes += bytes
    this.taken++
    this.peak = Math.max(this.peak, this.taken)
    // The last one returned is still in the processor's cache.
    const index = this.spare.findLastIndex((spare) => spare.length === bytes)
    return (index < 0 ? undefined : this.spare.splice(index, 1)[0]) ?? Buffer.allocUnsafeSlow(bytes)
  }

  /** `free`: it may be reused; otherwise it is garbage collected when the connection releases it. */
  giveBack(buffer: Buffer, free: boolean): void {
    this.bytes -= buffer.length
    this.taken--
    if (free && this.spare.length < this.keptMax) this.spare.push(buffer)
    this.returned++
    if (this.returned < listsPerPeriod) return
    this.returned = 0
    // Buffers that were returned first have been unused for longest.
    this.spare.splice(0, this.spare.length + this.taken - this.peak)
    this.peak = this.taken
  }
}
