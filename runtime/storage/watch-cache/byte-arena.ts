/**
 * Where the bytes of objects live. A Buffer of its own costs an object of 1 KB about as much again in bookkeeping
 * (measured: 100,000 of them take 2.2 times their bytes), so current objects live in slabs, one behind the other: what a fill reads is copied
 * from the store's memory straight into them, what is decoded later is written into them, and what clients write is copied as it becomes current.
 * Only where a resource has too few bytes for a slab do its objects stand alone.
 *
 * A slab of which a fifth is not current any more is left after a while: what is current moves to the newest slab, what only the event window or
 * a snapshot still holds moves to a Buffer of such remains, and the slab is used again at once. So nobody may keep a view of a tenant's bytes beyond the
 * turn in which he got it, unless he knows that it is too large for a slab: kit/shared-bytes.ts.
 */
import { assert } from "../../assert.ts"
import { type BytePlace, sharedBytesMax } from "../../kit/shared-bytes.ts"
import { Slab, type SlabPool } from "./slab-pool.ts"

/**
 * The share of a slab that must be current. Higher wastes less memory and copies more: at this share a write costs at
 * most four copies of its size, which is little beside decoding it, and slabs are nine tenths full on average.
 */
const worthKeeping = 0.8

/**
 * Slabs below that share that are not left yet. A list that decodes one object after the other, or clients that write
 * all of them in turn, empty a slab wholly before its time is over, and nothing is copied.
 */
const sparseSlabsMax = 8

/** One object's bytes: alone in a Uint8Array, or a stretch of a slab. */
export interface Tenant {
  home: Uint8Array | Slab
  offset: number
  length: number
  /** In the newest state; only such bytes are worth packing. */
  current: boolean
}

/** The bytes of a tenant, without a copy: to be used before anything else happens to the arena. */
export function bytesOf(tenant: Tenant): Buffer {
  const { home, length, offset } = tenant
  if (home instanceof Slab) return home.buffer.subarray(offset, offset + length)
  return asBuffer(home)
}

/** As `bytesOf`, without a view. */
export function placeOf({ home, length, offset }: Tenant, place: BytePlace): void {
  place.bytes = home instanceof Slab ? home.buffer : asBuffer(home)
  place.start = offset
  place.end = offset + length
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** One per resource, so that objects listed together lie together. */
export class ByteArena {
  /** Those that stand alone because there were never enough for a slab. */
  private alone: Tenant[] = []
  private aloneBytes = 0
  /** There was enough for a slab once. */
  private large = false
  /** Where tenants move in, one behind the other. */
  private readonly open: OpenSlab
  /** Oldest first. */
  private readonly sparse = new Set<Slab>()
  /** Of these, one in which nobody is left that is current; seldom more than one at a time. */
  private emptied: Slab | undefined
  private fillings = 0

  constructor(private readonly pool: SlabPool) {
    this.open = new OpenSlab(pool)
  }

  /** Called before a fill; `end` of the answer is called after it, whether it succeeded or not. */
  beginFill(): Filling {
    this.fillings++
    return new Filling(this.pool, (slabs) => this.endFill(slabs))
  }

  /** Called with bytes that stand alone or were copied for a fill, of a new object. */
  settle(tenant: Tenant, bytes: Uint8Array): void {
    if (tenant.current) this.leave(tenant)
    tenant.home = bytes
    tenant.offset = 0
    tenant.length = bytes.byteLength
    if (!this.isSmall(tenant.length)) return
    const slab = this.fillings === 0 ? undefined : this.pool.slabOf(bytes)
    // Current or not: a slab takes care of the bytes of those it knows when it is left, and of nobody else's.
    if (slab !== undefined) return moveInto(slab, tenant, bytes.byteOffset - slab.buffer.byteOffset)
    if (!tenant.current) return
    this.place(tenant)
    this.leaveSparse()
  }

  /** Called when the stored value of an object gave way to its JSON, which is made into bytes in its place. */
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

  /** Called when its bytes stop to count as current. Until they are moved they stay where they are. */
  private leave({ home, length }: Tenant): void {
    if (!(home instanceof Slab)) return
    home.live -= length
    this.noticeSparse(home)
  }

  private noticeSparse(slab: Slab): void {
    if (slab.state !== "settled" || !isSparse(slab)) return
    this.sparse.add(slab)
    if (slab.live === 0) this.emptied = slab
  }

  /** One that is empty is used again at once; of the others those go first that were sparse for longest. */
  private leaveSparse(): void {
    const { emptied, sparse } = this
    this.emptied = undefined
    if (emptied?.live === 0 && emptied.state === "settled") this.vacate(emptied)
    if (sparse.size <= sparseSlabsMax) return
    for (const slab of sparse) {
      if (sparse.size <= sparseSlabsMax) return
      this.vacate(slab)
    }
  }

  /** Its tenants keep their bytes, elsewhere. */
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
    // One that settled twice is in the list twice, and some may have grown or gone since.
    const current = [...new Set(this.alone)].filter((each) => each.current && this.isSmall(each.length) && !(each.home instanceof Slab))
    this.alone = []
    this.aloneBytes = 0
    // A few that are written again and again are no reason for a slab.
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
      if (isSparse(slab)) this.vacate(slab)
    }
    this.leaveSparse()
  }

  /** Large ones carry their own bookkeeping easily, and would leave holes at the ends of slabs. */
  private isSmall(bytes: number): boolean {
    return fitsSlab(bytes, this.pool.slabBytes)
  }
}

/** The slab that is being filled, and how far. */
class OpenSlab {
  slab: Slab | undefined
  bytes = 0

  constructor(private readonly pool: SlabPool) {}

  /** Opens another one. */
  next(): Slab {
    this.slab = this.pool.give()
    this.bytes = 0
    return this.slab
  }

  /** Moves on behind bytes that were written; answers where they begin. */
  take(bytes: number): number {
    const start = this.bytes
    this.bytes = start + bytes
    return start
  }
}

/** Copies values out of memory that the store uses again, into slabs; the copies find their slab again when they settle. */
export class Filling {
  private readonly slabs: Slab[] = []
  private readonly open: OpenSlab

  constructor(
    private readonly pool: SlabPool,
    private readonly onEnd: (slabs: readonly Slab[]) => void,
  ) {
    this.open = new OpenSlab(pool)
  }

  /** Called for each value read. The answer is a view of a slab, or of memory of its own for large values. */
  copy(value: Uint8Array): Buffer {
    const { open } = this
    const { slabBytes } = this.pool
    const { byteLength } = value
    if (!fitsSlab(byteLength, slabBytes)) return Buffer.from(value)
    if (open.slab === undefined || open.bytes + byteLength > slabBytes) this.slabs.push(open.next())
    const { slab } = open
    assert(slab !== undefined, "a slab was opened")
    const start = open.take(byteLength)
    slab.buffer.set(value, start)
    return slab.buffer.subarray(start, start + byteLength)
  }

  /** Called when all that was copied has settled, or never will. */
  end(): void {
    const last = this.slabs.at(-1)
    if (last !== undefined && isSparse(last)) this.slabs.splice(-1, 1, this.cut(last))
    this.onEnd(this.slabs)
  }

  /** The same tenants in a slab of their size: most resources are small, and there may be a thousand of them. */
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

function fitsSlab(bytes: number, slabBytes: number): boolean {
  return bytes <= Math.min(slabBytes / 16, sharedBytesMax)
}

function isSparse(slab: Slab): boolean {
  return slab.live < slab.buffer.byteLength * worthKeeping
}

function settled(slab: Slab): void {
  slab.state = "settled"
  // An array that grew has room that nobody will need.
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
 * Called with those of a slab that are not current any more. Nobody knows which of them a snapshot still needs, and most are forgotten already: one
 * Buffer for all costs the collector less than one for each, and goes when the last of them does.
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
