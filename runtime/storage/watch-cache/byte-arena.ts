/**
 * Where the bytes of objects live. A Buffer of its own costs an object of 1 KB about as much again in bookkeeping
 * (measured: 100,000 of them take 2.2 times their bytes), so current objects move into slabs: first they stand alone,
 * and once enough of them have come together they are copied into one. Short-lived versions never get that far.
 *
 * Bytes are never overwritten: whoever was handed a view of a slab keeps what he saw, and the slab goes when the last
 * view does. A slab of which a fifth is not current any more is left: what is current moves to the next slab, and what
 * only the event window or a snapshot still holds gets a Buffer of its own, so that one old object does not pin a slab.
 */

/**
 * The share of a slab that must be current. Higher wastes less memory and copies more: at this share a write costs at
 * most four copies of its size, which is little beside decoding it, and slabs are nine tenths full on average.
 */
const worthKeeping = 0.8

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
  readonly tenants: Tenant[] = []
  constructor(readonly buffer: Buffer) {}
}

/** The bytes of a tenant, without a copy. Valid for as long as the caller holds it, whatever becomes of the tenant. */
export function bytesOf(tenant: Tenant): Buffer {
  const { home, length, offset } = tenant
  if (home instanceof Slab) return home.buffer.subarray(offset, offset + length)
  return Buffer.isBuffer(home) ? home : Buffer.from(home.buffer, home.byteOffset, home.byteLength)
}

/** One per resource, so that objects listed together lie together. */
export class ByteArena {
  private alone: Tenant[] = []
  private aloneBytes = 0

  constructor(private readonly slabBytes: number) {}

  /** Called with bytes that stand alone: a new object, or one whose stored value gave way to its JSON. */
  settle(tenant: Tenant, bytes: Uint8Array): void {
    if (tenant.current) this.leave(tenant)
    tenant.home = bytes
    tenant.offset = 0
    tenant.length = bytes.byteLength
    // Large ones carry their own bookkeeping easily, and would leave holes at the ends of slabs.
    if (!tenant.current || bytes.byteLength > this.slabBytes / 16) return
    this.alone.push(tenant)
    this.aloneBytes += bytes.byteLength
    if (this.aloneBytes >= this.slabBytes) this.pack()
  }

  /** Called when the object was replaced or deleted. */
  retire(tenant: Tenant): void {
    if (!tenant.current) return
    this.leave(tenant)
    tenant.current = false
  }

  private leave(tenant: Tenant): void {
    const { home } = tenant
    if (!(home instanceof Slab)) return
    home.live -= tenant.length
    if (home.live < home.buffer.byteLength * worthKeeping) this.vacate(home, tenant)
  }

  /** Copies everything that stands alone and is still current into one slab. */
  private pack(): void {
    const tenants = this.alone.filter((tenant) => tenant.current && !(tenant.home instanceof Slab))
    this.alone = []
    this.aloneBytes = 0
    let bytes = 0
    // One that settled twice is in the list twice.
    const distinct = new Set(tenants)
    for (const { length } of distinct) bytes += length
    const slab = new Slab(Buffer.allocUnsafeSlow(bytes))
    for (const tenant of distinct) {
      const offset = slab.live
      slab.buffer.set(bytesOf(tenant), offset)
      tenant.home = slab
      tenant.offset = offset
      slab.live += tenant.length
      slab.tenants.push(tenant)
    }
  }

  private vacate(slab: Slab, leaving: Tenant): void {
    for (const tenant of slab.tenants) {
      if (tenant.home !== slab) continue
      const copy = Buffer.from(bytesOf(tenant))
      tenant.home = copy
      tenant.offset = 0
      if (!tenant.current || tenant === leaving) continue
      this.alone.push(tenant)
      this.aloneBytes += copy.byteLength
    }
    slab.tenants.length = 0
  }
}
