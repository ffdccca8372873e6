/**
 * Allocator for the bytes of objects. A Buffer for each 1 KB object would cost about as much again in bookkeeping
 * (measured: 100,000 of them take 2.2 times their bytes). Therefore the bytes of current objects are packed into slabs:
 * a fill copies values from the store's memory directly into slabs, later decoding writes its result into them, and
 * values that clients write are copied when they become current. Only the objects of a resource with too few bytes for
 * a slab keep Buffers of their own, without the pool of node: the event window keeps them for minutes.
 *
 * A slab with less than four fifths of live bytes is evacuated after a while: current allocations move to the newest
 * slab, allocations that only the event window or a snapshot still references move together to one Buffer, and the slab
 * is reused at once. Therefore a view of an allocation is valid only in the turn of the event loop in which it was
 * taken, unless the allocation is too large for slabs: base/shared-bytes.ts.
 */
import { assert } from "../../base/assert.ts"
import { copyOf, ownBytes } from "../../base/own-bytes.ts"
import type { ByteRange } from "../../base/shared-bytes.ts"
import { Slab, type SlabPool } from "./slab-pool.ts"
import type { Allocation } from "./slab-pool.ts"

/** The bytes of an allocation, without a copy. Valid until the next operation on the arena. */
export function bytesOf(allocation: Allocation): Buffer {
  const { memory: home, length, offset } = allocation
  if (home instanceof Slab) return home.buffer.subarray(offset, offset + length)
  return asBuffer(home)
}

/** As `bytesOf`, without allocating a view. */
export function placeOf({ memory: home, length, offset }: Allocation, place: ByteRange): void {
  place.bytes = home instanceof Slab ? home.buffer : asBuffer(home)
  place.start = offset
  place.end = offset + length
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** One per resource, so that objects that are listed together are adjacent. */
export class ByteArena {
  /** Unpacked allocations, until there are enough for a slab. */
  private unpacked: Allocation[] = []
  private unpackedBytes = 0
  /** There were enough bytes for a slab once. */
  private large: boolean
  /** The slab that takes new allocations. */
  private readonly open: OpenSlab
  /** Oldest first. */
  private readonly sparse = new Set<Slab>()
  /** A sparse slab without live bytes; seldom more than one at a time. */
  private emptied: Slab | undefined
  private fillings = 0

  constructor(private readonly pool: SlabPool) {
    this.open = new OpenSlab(pool)
    this.large = pool.limits.movesAtWrites
  }

  /** Called before a fill; call `end` of the result after it, whether it succeeded or not. */
  beginFill(): Filling {
    this.fillings++
    return new Filling(this.pool, (slabs) => this.endFill(slabs))
  }

  /** Called with the bytes of a new object: in a buffer of their own, or copied for a fill. */
  store(allocation: Allocation, bytes: Uint8Array): void {
    if (allocation.current) this.uncount(allocation)
    allocation.memory = bytes
    allocation.offset = 0
    allocation.length = bytes.byteLength
    if (!this.isSmall(allocation.length)) return
    const slab = this.fillings === 0 ? undefined : this.pool.slabOf(bytes)
    // Current or not: evacuating a slab preserves the bytes of the allocations registered with it, and no others.
    if (slab !== undefined) return assignTo(slab, allocation, bytes.byteOffset - slab.buffer.byteOffset)
    if (!allocation.current) return
    this.place(allocation)
    this.evacuateSparse()
  }

  /** Called when the JSON of an object replaces its stored value; encodes the text in place. */
  storeText(allocation: Allocation, text: string): void {
    if (!allocation.current) return this.store(allocation, ownBytes(Buffer.from(text)))
    if (!this.large || !this.isSmall(text.length * 3)) return this.store(allocation, Buffer.from(text))
    this.uncount(allocation)
    const slab = this.slabWithRoom(text.length * 3)
    allocation.length = slab.buffer.write(text, this.open.bytes)
    assignTo(slab, allocation, this.open.take(allocation.length))
    this.evacuateSparse()
  }

  /** Called when the object was replaced or deleted. */
  retire(allocation: Allocation): void {
    if (!allocation.current) return
    this.uncount(allocation)
    allocation.current = false
    this.evacuateSparse()
  }

  /** Called when the bytes stop being live. They stay in place until the slab is evacuated. */
  private uncount({ memory: home, length }: Allocation): void {
    if (!(home instanceof Slab)) return
    home.live -= length
    this.noteSparse(home)
  }

  private noteSparse(slab: Slab): void {
    if (slab.state !== "settled" || !this.pool.isSparse(slab)) return
    this.sparse.add(slab)
    if (slab.live === 0) this.emptied = slab
  }

  /** Reuses an empty slab at once; of the others, evacuates the slabs that have been sparse for longest. */
  private evacuateSparse(): void {
    const { emptied, sparse } = this
    if (this.pool.limits.movesAtWrites) this.leaveOpen()
    this.emptied = undefined
    if (emptied?.live === 0 && emptied.state === "settled") this.evacuate(emptied)
    if (sparse.size <= this.pool.limits.sparseSlabs) return
    for (const slab of sparse) {
      if (sparse.size <= this.pool.limits.sparseSlabs) return
      this.evacuate(slab)
    }
  }

  private leaveOpen(): void {
    const { slab } = this.open
    if (slab === undefined) return
    this.open.next()
    this.evacuate(slab)
  }

  /** Moves the slab's allocations elsewhere and returns it to the pool. */
  private evacuate(slab: Slab): void {
    this.sparse.delete(slab)
    const past: Allocation[] = []
    for (const allocation of slab.allocations) {
      if (allocation.memory !== slab) continue
      if (!allocation.current) past.push(allocation)
      else if (this.large) this.pack(allocation)
      else this.addUnpacked(unpack(allocation))
    }
    packRetired(past)
    this.pool.release(slab)
  }

  private addUnpacked(allocation: Allocation): void {
    allocation.memory = ownBytes(bytesOf(allocation))
    this.unpacked.push(allocation)
    this.unpackedBytes += allocation.length
    if (this.unpackedBytes < this.pool.slabBytes) return
    // The list may contain an allocation twice, and some may have grown or been retired since.
    const current = [...new Set(this.unpacked)].filter(
      (each) => each.current && this.isSmall(each.length) && !(each.memory instanceof Slab),
    )
    this.unpacked = []
    this.unpackedBytes = 0
    // A few objects that are written repeatedly do not justify a slab.
    this.large = current.reduce((sum, { length }) => sum + length, 0) * 2 >= this.pool.slabBytes
    for (const each of current) this.place(each)
  }

  private place(allocation: Allocation): void {
    if (this.large) this.pack(allocation)
    else this.addUnpacked(allocation)
  }

  private pack(allocation: Allocation): void {
    const { length } = allocation
    const slab = this.slabWithRoom(length)
    slab.buffer.set(bytesOf(allocation), this.open.bytes)
    assignTo(slab, allocation, this.open.take(length))
  }

  private slabWithRoom(bytes: number): Slab {
    const { open } = this
    if (open.slab !== undefined && open.bytes + bytes <= this.pool.slabBytes) return open.slab
    const full = open.slab
    const slab = open.next()
    if (full !== undefined) {
      seal(full)
      this.noteSparse(full)
    }
    return slab
  }

  private endFill(slabs: readonly Slab[]): void {
    this.fillings--
    if (slabs.length > 1) this.large = true
    for (const slab of slabs) {
      seal(slab)
      if (this.pool.isSparse(slab)) this.evacuate(slab)
    }
    this.evacuateSparse()
  }

  /** Large allocations can afford their own bookkeeping, and would leave holes at the ends of slabs. */
  private isSmall(bytes: number): boolean {
    return this.pool.fits(bytes)
  }
}

/** The slab being filled, and its fill level. */
class OpenSlab {
  slab: Slab | undefined
  bytes = 0

  constructor(private readonly pool: SlabPool) {}

  /** Opens another slab. */
  next(): Slab {
    this.slab = this.pool.acquire()
    this.bytes = 0
    return this.slab
  }

  /** Advances past bytes that were written; returns their offset. */
  take(bytes: number): number {
    const start = this.bytes
    this.bytes = start + bytes
    return start
  }
}

/** Copies values out of memory that the store reuses into slabs. `ByteArena.store` finds the slab of each copy. */
export class Filling {
  private readonly slabs: Slab[] = []
  private readonly open: OpenSlab

  constructor(
    private readonly pool: SlabPool,
    private readonly onEnd: (slabs: readonly Slab[]) => void,
  ) {
    this.open = new OpenSlab(pool)
  }

  /** Called for each value read. The result is a view of a slab, or a Buffer of its own for large values. */
  copy(value: Uint8Array): Buffer {
    const { open } = this
    const { byteLength } = value
    if (!this.pool.fits(byteLength)) return Buffer.from(value)
    if (open.slab === undefined || open.bytes + byteLength > this.pool.slabBytes) this.slabs.push(open.next())
    const { slab } = open
    assert(slab !== undefined, "a slab was opened")
    const start = open.take(byteLength)
    slab.buffer.set(value, start)
    return slab.buffer.subarray(start, start + byteLength)
  }

  /** Called when every copy was stored in an object or dropped. */
  end(): void {
    const last = this.slabs.at(-1)
    if (last !== undefined && this.pool.isSparse(last)) this.slabs.splice(-1, 1, this.cut(last))
    this.onEnd(this.slabs)
  }

  /**
   * Copies the allocations into a slab of their size: most resources are small, and there may be a thousand of them.
   */
  private cut(slab: Slab): Slab {
    const smaller = new Slab(Buffer.allocUnsafeSlow(slab.live))
    const past: Allocation[] = []
    for (const allocation of slab.allocations) {
      if (allocation.memory !== slab) continue
      if (!allocation.current) past.push(allocation)
      else {
        smaller.buffer.set(bytesOf(allocation), smaller.live)
        assignTo(smaller, allocation, smaller.live)
      }
    }
    packRetired(past)
    this.pool.release(slab)
    return smaller
  }
}

function seal(slab: Slab): void {
  slab.state = "settled"
  // The copy drops the spare capacity of an array that grew.
  slab.allocations = slab.allocations.slice()
}

function assignTo(slab: Slab, allocation: Allocation, offset: number): void {
  allocation.memory = slab
  allocation.offset = offset
  if (allocation.current) slab.live += allocation.length
  slab.allocations.push(allocation)
}

function unpack(allocation: Allocation): Allocation {
  allocation.memory = copyOf(bytesOf(allocation))
  allocation.offset = 0
  return allocation
}

/**
 * Called with the allocations of a slab that are not current. Which of them a snapshot still needs is unknown, and most
 * are garbage already: one Buffer for all costs the garbage collector less than one for each, and is freed with the
 * last of them.
 */
function packRetired(past: readonly Allocation[]): void {
  const remains = new Slab(Buffer.allocUnsafeSlow(past.reduce((sum, { length }) => sum + length, 0)))
  remains.state = "left"
  let start = 0
  for (const allocation of past) {
    remains.buffer.set(bytesOf(allocation), start)
    allocation.memory = remains
    allocation.offset = start
    start += allocation.length
  }
}
