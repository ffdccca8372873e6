/**
 * Where the bytes of objects live. A Buffer of its own costs an object of 1 KB about as much again in bookkeeping
 * (measured: 100,000 of them take 2.2 times their bytes), so current objects move into slabs. What a fill reads is copied
 * from the store's memory straight into them, and what is decoded later is written into them; objects written by clients
 * stand alone first, and once enough of them have come together they are copied into one. Short-lived versions never get
 * that far. Slabs are of one size, so that the hole that one leaves in the process's memory fits the next.
 *
 * Bytes that were shown are never overwritten: whoever was handed a view of a slab keeps what he saw, and the slab goes
 * when the last view does, as the garbage collector finds. A slab of which nothing was shown is used again at once:
 * without that, decoding a whole resource for the first list doubled its memory. A slab of which a fifth is not current any more is left after a while: what is current moves to the next
 * slab, and what only the event window or a snapshot still holds gets a Buffer of its own, so that one old object does
 * not pin a slab.
 */
import { assert } from "../../assert.ts"

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

/** A stretch of memory with many tenants. */
export class Slab {
  /** Bytes of current tenants. */
  live = 0
  /**
   * filling: tenants are still moving in. settled: all are there. left: nobody moves in any more, and those who are current move out at the next
   * packing.
   */
  state: "filling" | "settled" | "left" = "settled"
  /** Somebody may hold a view of it. */
  shown = false
  tenants: Tenant[] = []
  constructor(readonly buffer: Buffer) {}
}

/** The bytes of a tenant, without a copy. Valid for as long as the caller holds it, whatever becomes of the tenant. */
export function shownBytesOf(tenant: Tenant): Buffer {
  if (tenant.home instanceof Slab) tenant.home.shown = true
  return bytesOf(tenant)
}

/** The same for a caller that lets go of it before anything else happens to the tenant. */
export function bytesOf(tenant: Tenant): Buffer {
  const { home, length, offset } = tenant
  if (home instanceof Slab) return home.buffer.subarray(offset, offset + length)
  return Buffer.isBuffer(home) ? home : Buffer.from(home.buffer, home.byteOffset, home.byteLength)
}

/** One per resource, so that objects listed together lie together. */
export class ByteArena {
  private alone: Tenant[] = []
  private aloneBytes = 0
  /** There was enough for a slab once: decoded objects need not stand alone first. */
  private large = false
  /** Where small tenants move in, one behind the other. */
  private readonly open: OpenSlab
  /** Oldest first. */
  private readonly sparse = new Set<Slab>()
  /** Slabs of fills that go on, by their memory. */
  private readonly filling = new Map<ArrayBufferLike, Slab>()
  private readonly spares: Spares

  constructor(private readonly slabBytes: number) {
    this.spares = new Spares(slabBytes)
    this.open = new OpenSlab(this.spares)
  }

  /** Called before a fill; `end` of the answer is called after it, whether it succeeded or not. */
  beginFill(): Filling {
    return new Filling(this.spares, this.filling, (slabs) => this.endFill(slabs))
  }

  /** Called with bytes that stand alone or were copied for a fill, of a new object. */
  settle(tenant: Tenant, bytes: Uint8Array): void {
    if (tenant.current) this.leave(tenant)
    tenant.home = bytes
    tenant.offset = 0
    tenant.length = bytes.byteLength
    if (!tenant.current || !isSmall(tenant.length, this.slabBytes)) return
    const slab = this.filling.size === 0 ? undefined : this.filling.get(bytes.buffer)
    if (slab !== undefined) return moveInto(slab, tenant, bytes.byteOffset)
    this.wait(tenant)
    this.packWhatWaits()
  }

  /** Called when the stored value of an object gave way to its JSON, which is made into bytes in its place. */
  settleText(tenant: Tenant, text: string): void {
    const { slabBytes } = this
    if (!tenant.current || !this.large || !isSmall(text.length * 3, slabBytes)) return this.settle(tenant, Buffer.from(text))
    this.leave(tenant)
    const slab = this.slabWithRoom(text.length * 3)
    tenant.length = slab.buffer.write(text, this.open.bytes)
    moveInto(slab, tenant, this.open.take(tenant.length))
  }

  /** Called when the object was replaced or deleted. */
  retire(tenant: Tenant): void {
    if (!tenant.current) return
    this.leave(tenant)
    tenant.current = false
    if (tenant.home instanceof Slab && tenant.home.state === "left") standAlone(tenant)
    this.packWhatWaits()
  }

  private wait(tenant: Tenant): void {
    this.alone.push(tenant)
    this.aloneBytes += tenant.length
  }

  private leave(tenant: Tenant): void {
    const { home } = tenant
    if (!(home instanceof Slab)) return
    home.live -= tenant.length
    if (home.state === "settled" && home.live === 0 && !home.shown) this.vacate(home, tenant)
    this.noticeSparse(home, tenant)
    this.reuse(home, tenant)
  }

  /** Called when a slab may have nobody left whose bytes it holds but `leaving`, who gets others, and nobody else who knows them. */
  private reuse(slab: Slab, leaving: Tenant): void {
    if (slab.state !== "left" || slab.live !== 0 || slab.shown) return
    if (leaving.home === slab) standAlone(leaving)
    this.spares.take(slab)
  }

  private noticeSparse(slab: Slab, leaving?: Tenant): void {
    if (slab.state !== "settled" || !isSparse(slab)) return
    this.sparse.add(slab)
    if (this.sparse.size <= sparseSlabsMax) return
    for (const oldest of this.sparse) {
      this.vacate(oldest, leaving)
      break
    }
  }

  /** Copies what waits for a slab and is still current into slabs, once it fills one. */
  private packWhatWaits(): void {
    if (this.aloneBytes < this.slabBytes) return
    this.large = true
    const waiting = this.alone
    this.alone = []
    this.aloneBytes = 0
    for (const tenant of waiting) {
      const { current, home, length } = tenant
      // One that settled twice is in the list twice, and was moved the first time.
      if (!current || (home instanceof Slab && home.state !== "left")) continue
      const slab = this.slabWithRoom(length)
      slab.buffer.set(bytesOf(tenant), this.open.bytes)
      moveInto(slab, tenant, this.open.take(length))
      if (!(home instanceof Slab)) continue
      home.live -= length
      this.reuse(home, tenant)
    }
  }

  private slabWithRoom(bytes: number): Slab {
    const { open } = this
    if (open.slab !== undefined && open.bytes + bytes <= this.slabBytes) return open.slab
    const full = open.next()
    if (full !== undefined) {
      settled(full)
      this.noticeSparse(full)
    }
    return this.slabWithRoom(bytes)
  }

  /** `leaving` is about to get other bytes, or to be retired. */
  private vacate(slab: Slab, leaving?: Tenant): void {
    this.sparse.delete(slab)
    slab.state = "left"
    for (const tenant of slab.tenants) {
      if (tenant.home !== slab || tenant === leaving) continue
      // What is current keeps its place until it is packed: the slab is held a little longer, and nothing is copied twice.
      if (tenant.current) this.wait(tenant)
      else standAlone(tenant)
    }
    slab.tenants = []
  }

  private endFill(slabs: readonly Slab[]): void {
    if (slabs.length > 1) this.large = true
    for (const slab of slabs) {
      settled(slab)
      if (isSparse(slab)) this.vacate(slab)
    }
    this.packWhatWaits()
  }
}

/** Slabs that nobody saw and nobody lives in. */
class Spares {
  private readonly buffers: Buffer[] = []

  constructor(readonly slabBytes: number) {}

  /** Called with a slab that is not used any more. */
  take({ buffer }: Slab): void {
    if (buffer.byteLength === this.slabBytes && this.buffers.length < sparseSlabsMax) this.buffers.push(buffer)
  }

  /** A slab to be filled. */
  give(): Slab {
    const slab = new Slab(this.buffers.pop() ?? Buffer.allocUnsafeSlow(this.slabBytes))
    slab.state = "filling"
    return slab
  }
}

/** The slab that is being filled, and how far. */
class OpenSlab {
  slab: Slab | undefined
  bytes = 0

  constructor(private readonly spares: Spares) {}

  /** Opens another one; answers the one before. */
  next(): Slab | undefined {
    const full = this.slab
    this.slab = this.spares.give()
    this.bytes = 0
    return full
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
    private readonly spares: Spares,
    /** Where the arena finds the slabs while the fill goes on. */
    private readonly byMemory: Map<ArrayBufferLike, Slab>,
    private readonly onEnd: (slabs: readonly Slab[]) => void,
  ) {
    this.open = new OpenSlab(spares)
  }

  /** Called for each value read. The answer is a view of a slab, or of memory of its own for large values. */
  copy(value: Uint8Array): Buffer {
    const { open } = this
    const { slabBytes } = this.spares
    const { byteLength } = value
    if (!isSmall(byteLength, slabBytes)) return Buffer.from(value)
    if (open.slab === undefined || open.bytes + byteLength > slabBytes) this.openNext()
    const { slab } = open
    assert(slab !== undefined, "a slab was opened")
    const start = open.take(byteLength)
    slab.buffer.set(value, start)
    return slab.buffer.subarray(start, start + byteLength)
  }

  /** Called when all that was copied has settled, or never will. */
  end(): void {
    for (const { buffer } of this.slabs) this.byMemory.delete(buffer.buffer)
    const last = this.slabs.at(-1)
    if (last !== undefined && isSparse(last)) this.slabs.splice(-1, 1, cut(last))
    this.onEnd(this.slabs)
  }

  private openNext(): void {
    this.open.next()
    const { slab } = this.open
    assert(slab !== undefined, "a slab was opened")
    this.slabs.push(slab)
    this.byMemory.set(slab.buffer.buffer, slab)
  }
}

/** The same tenants in a slab of their size: most resources are small, and there may be a thousand of them. */
function cut(slab: Slab): Slab {
  const smaller = new Slab(Buffer.allocUnsafeSlow(slab.live))
  slab.state = "left"
  slab.live = 0
  for (const tenant of slab.tenants) {
    if (tenant.home !== slab) continue
    if (tenant.current) {
      smaller.buffer.set(bytesOf(tenant), smaller.live)
      moveInto(smaller, tenant, smaller.live)
    } else standAlone(tenant)
  }
  return smaller
}

/** Large ones carry their own bookkeeping easily, and would leave holes at the ends of slabs. */
function isSmall(bytes: number, slabBytes: number): boolean {
  return bytes <= slabBytes / 16
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
  slab.live += tenant.length
  slab.tenants.push(tenant)
}

function standAlone(tenant: Tenant): void {
  tenant.home = Buffer.from(bytesOf(tenant))
  tenant.offset = 0
}
