/**
 * Allocator for the bytes of objects. A Buffer for each 1 KB object would cost about as much again in bookkeeping
 * (measured: 100,000 of them take 2.2 times their bytes). Therefore the bytes of current objects are packed into slabs:
 * a fill copies values from the store's memory directly into slabs, later decoding writes its result into them, and
 * values that clients write are copied when they become current. Only the objects of a resource with too few bytes for
 * a slab keep Buffers of their own.
 *
 * A slab with less than four fifths of live bytes is evacuated after a while: current allocations move to the newest
 * slab, those that only the event window or a snapshot still references move together to one Buffer, and the slab is
 * reused at once. Therefore a view of an allocation is valid only in the turn of the event loop in which it was taken,
 * unless the allocation is too large for slabs: kit/shared-bytes.ts.
 */
import { assert } from "../../assert.ts"
import type { BytePlace } from "../../kit/shared-bytes.ts"
import { Slab, type SlabPool } from "./slab-pool.ts"
import type { Tenant } from "./slab-pool.ts"

/** The bytes of an allocation, without a copy. Valid until the next operation on the arena. */
export function bytesOf(tenant: Tenant): Buffer {
  const { home, length, offset } = tenant
  if (home instanceof Slab) return home.buffer.subarray(offset, offset + length)
  return asBuffer(home)
}

/** As `bytesOf`, without allocating a view. */
export function placeOf({ home, length, offset }: Tenant, place: BytePlace): void {
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
  private alone: Tenant[] = []
  private aloneBytes = 0
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
  settle(tenant: Tenant, bytes: Uint8Array): void {
    if (tenant.current) this.leave(tenant)
    tenant.home = bytes
    tenant.offset = 0
    tenant.length = bytes.byteLength
    if (!this.isSmall(tenant.length)) return
    const slab = this.fillings === 0 ? undefined : this.pool.slabOf(bytes)
    // Current or not: evacuating a slab preserves the bytes of the allocations registered with it, and no others.
    if (slab !== undefined) return moveInto(slab, tenant, bytes.byteOffset - slab.buffer.byteOffset)
    if (!tenant.current) return
    this.place(tenant)
    this.leaveSparse()
  }

  /** Called when the JSON of an object replaces its stored value; encodes the text in place. */
  settleText(tenant: Tenant, text: string): void {
    if (!tenant.current || !this.large || !this.isSmall(text.length * 3)) return this.settle(tenant, Buffer.from(text))
    this.leave(tenant)
    const slab = this.slabWithRoom(text.length * 3)
    tenant.length = slab.buffer.write(text, this.open.bytes)
    moveInto(slab, tenant, this.open.take(tenant.length))
    this.leaveSparse()
  }

  /** Called when the object was replaced or deleted. */
  retire(tenant: Tenant): void {
    if (!tenant.current) return
    this.leave(tenant)
    tenant.current = false
    this.leaveSparse()
  }

  /** Called when the bytes stop being live. They stay in place until the slab is evacuated. */
  private leave({ home, length }: Tenant): void {
    if (!(home instanceof Slab)) return
    home.live -= length
    this.noticeSparse(home)
  }

  private noticeSparse(slab: Slab): void {
    if (slab.state !== "settled" || !this.pool.isSparse(slab)) return
    this.sparse.add(slab)
    if (slab.live === 0) this.emptied = slab
  }

  /** Reuses an empty slab at once; of the others, evacuates those that have been sparse for longest. */
  private leaveSparse(): void {
    const { emptied, sparse } = this
    if (this.pool.limits.movesAtWrites) this.leaveOpen()
    this.emptied = undefined
    if (emptied?.live === 0 && emptied.state === "settled") this.vacate(emptied)
    if (sparse.size <= this.pool.limits.sparseSlabs) return
    for (const slab of sparse) {
      if (sparse.size <= this.pool.limits.sparseSlabs) return
      this.vacate(slab)
    }
  }

  private leaveOpen(): void {
    const { slab } = this.open
    if (slab === undefined) return
    this.open.next()
    this.vacate(slab)
  }

  /** Moves the slab's allocations elsewhere and returns it to the pool. */
  private vacate(slab: Slab): void {
    this.sparse.delete(slab)
    const past: Tenant[] = []
    for (const tenant of slab.tenants) {
      if (tenant.home !== slab) continue
      if (!tenant.current) past.push(tenant)
      else if (this.large) this.moveToOpen(tenant)
      else this.standBy(standAlone(tenant))
    }
    stayTogether(past)
    this.pool.take(slab)
  }

  private standBy(tenant: Tenant): void {
    this.alone.push(tenant)
    this.aloneBytes += tenant.length
    if (this.aloneBytes < this.pool.slabBytes) return
    // The list may contain an allocation twice, and some may have grown or been retired since.
    const current = [...new Set(this.alone)].filter((each) => each.current && this.isSmall(each.length) && !(each.home instanceof Slab))
    this.alone = []
    this.aloneBytes = 0
    // A few objects that are written repeatedly do not justify a slab.
    this.large = current.reduce((sum, { length }) => sum + length, 0) * 2 >= this.pool.slabBytes
    for (const each of current) this.place(each)
  }

  private place(tenant: Tenant): void {
    if (this.large) this.moveToOpen(tenant)
    else this.standBy(tenant)
  }

  private moveToOpen(tenant: Tenant): void {
    const { length } = tenant
    const slab = this.slabWithRoom(length)
    slab.buffer.set(bytesOf(tenant), this.open.bytes)
    moveInto(slab, tenant, this.open.take(length))
  }

  private slabWithRoom(bytes: number): Slab {
    const { open } = this
    if (open.slab !== undefined && open.bytes + bytes <= this.pool.slabBytes) return open.slab
    const full = open.slab
    const slab = open.next()
    if (full !== undefined) {
      settled(full)
      this.noticeSparse(full)
    }
    return slab
  }

  private endFill(slabs: readonly Slab[]): void {
    this.fillings--
    if (slabs.length > 1) this.large = true
    for (const slab of slabs) {
      settled(slab)
      if (this.pool.isSparse(slab)) this.vacate(slab)
    }
    this.leaveSparse()
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
    this.slab = this.pool.give()
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

/** Copies values out of memory that the store reuses into slabs. `ByteArena.settle` finds the slab of each copy. */
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
    const past: Tenant[] = []
    for (const tenant of slab.tenants) {
      if (tenant.home !== slab) continue
      if (!tenant.current) past.push(tenant)
      else {
        smaller.buffer.set(bytesOf(tenant), smaller.live)
        moveInto(smaller, tenant, smaller.live)
      }
    }
    stayTogether(past)
    this.pool.take(slab)
    return smaller
  }
}

function settled(slab: Slab): void {
  slab.state = "settled"
  // The copy drops the spare capacity of an array that grew.
  slab.tenants = slab.tenants.slice()
}

function moveInto(slab: Slab, tenant: Tenant, offset: number): void {
  tenant.home = slab
  tenant.offset = offset
  if (tenant.current) slab.live += tenant.length
  slab.tenants.push(tenant)
}

function standAlone(tenant: Tenant): Tenant {
  tenant.home = Buffer.from(bytesOf(tenant))
  tenant.offset = 0
  return tenant
}

/**
 * Called with the allocations of a slab that are not current. Which of them a snapshot still needs is unknown, and most
 * are garbage already: one Buffer for all costs the garbage collector less than one for each, and is freed with the
 * last of them.
 */
function stayTogether(past: readonly Tenant[]): void {
  const remains = new Slab(Buffer.allocUnsafeSlow(past.reduce((sum, { length }) => sum + length, 0)))
  remains.state = "left"
  let start = 0
  for (const tenant of past) {
    remains.buffer.set(bytesOf(tenant), start)
    tenant.home = remains
    tenant.offset = start
    start += tenant.length
  }
}
