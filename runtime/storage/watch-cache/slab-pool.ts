/**
 * Slabs for all resources of a cache, cut out of regions of tens of megabytes. A region is memory that the process maps
 * separately, of which only written pages are resident. Slabs allocated one by one would be scattered among other
 * allocations and leave holes that nothing fits (measured: after every object was rewritten once, the process held 2.3
 * times the objects' bytes instead of 1.7). Slabs are returned explicitly and reused at once, independent of garbage
 * collection.
 */
import { sharedBytesMax } from "../../base/shared-bytes.ts"

/** The sizes of slabs, and when they are evacuated. Part of the cache's limits. */
export interface SlabLimits {
  /** Approximate size of the slabs in which small objects are packed. */
  readonly slabBytes: number
  /**
   * Slabs are cut out of regions of this size, whose memory becomes resident as it is used. Regions of more than 32 MiB
   * are mapped separately instead of being allocated from malloc's heap (mallopt(3), M_MMAP_THRESHOLD).
   */
  readonly regionBytes: number
  /** A slab has room for at least this many objects; larger objects have memory of their own. */
  readonly slabObjectsMin: number
  /**
   * The share of a slab that must be live. Less than 1 - 1 / `slabObjectsMin`: otherwise a slab that was just filled
   * would be evacuated at once.
   */
  readonly slabKeptShare: number
  /** Number of slabs below that share that are not evacuated yet. */
  readonly sparseSlabs: number
  /** Overwrites each slab when it is returned. Under test: a view that was kept too long reads 0xdb. */
  readonly poisonsSlabs: boolean
  /**
   * Packs the first object of a resource into a slab, and moves the allocations of the newest slab at every write.
   * Under test.
   */
  readonly movesAtWrites: boolean
}

/** The bytes of a poisoned slab. No JSON text and no stored value begins with it. */
const poison = 0xdb

/** One object's bytes: a Uint8Array of their own, or a part of a slab. */
export interface Allocation {
  memory: Uint8Array | Slab
  offset: number
  length: number
  /** Part of the newest state; only such bytes are worth packing. */
  current: boolean
}

/** A block of memory with many allocations. */
export class Slab {
  /** Bytes of current allocations. */
  live = 0
  /**
   * filling: takes further allocations. settled: complete. left: takes no further changes; it was returned to the pool,
   * or holds allocations that are not current any more.
   */
  state: "filling" | "settled" | "left" = "filling"
  allocations: Allocation[] = []
  constructor(readonly buffer: Buffer) {}
}

interface Region {
  readonly memory: Buffer
  /** By position in the region; undefined: free. */
  readonly slabs: (Slab | undefined)[]
  used: number
}

/** One per cache. */
export class SlabPool {
  private readonly regions = new Map<ArrayBufferLike, Region>()

  readonly slabBytes: number

  constructor(readonly limits: SlabLimits) {
    this.slabBytes = limits.slabBytes
  }

  /** Number of regions with slabs; memory that was never written is not resident. Read by tests. */
  get regionCount(): number {
    return this.regions.size
  }

  /** A slab to fill, from the fullest region, so that others may become empty. */
  acquire(): Slab {
    let fullest: Region | undefined
    for (const region of this.regions.values()) {
      if (region.used < region.slabs.length && (fullest === undefined || region.used > fullest.used)) fullest = region
    }
    const region = fullest ?? this.openRegion()
    const place = region.slabs.indexOf(undefined)
    const start = place * this.slabBytes
    const slab = new Slab(region.memory.subarray(start, start + this.slabBytes))
    region.slabs[place] = slab
    region.used++
    return slab
  }

  /** Returns an empty slab to the pool. Slabs that did not come from a region are dropped. */
  release(slab: Slab): void {
    slab.state = "left"
    slab.allocations = []
    if (this.limits.poisonsSlabs) slab.buffer.fill(poison)
    const region = this.regions.get(slab.buffer.buffer)
    const place = this.placeOf(region, slab.buffer)
    if (region === undefined || region.slabs[place] !== slab) return
    region.slabs[place] = undefined
    region.used--
    // Keep one empty region: a resource that shrinks by a slab and grows again must not map memory each time. A
    // poisoned region is dropped, so that its poison is not overwritten.
    if (region.used === 0 && (this.limits.poisonsSlabs || this.emptyRegions() > 1)) this.regions.delete(region.memory.buffer)
  }

  /** The slab in use that contains these bytes; undefined for bytes from elsewhere. */
  slabOf(bytes: Uint8Array): Slab | undefined {
    const region = this.regions.get(bytes.buffer)
    return region?.slabs[this.placeOf(region, bytes)]
  }

  /** Whether objects of this size may lie in a slab: larger ones would leave holes at its end. */
  fits(bytes: number): boolean {
    return bytes <= Math.min(this.slabBytes / this.limits.slabObjectsMin, sharedBytesMax)
  }

  /** Whether too little in the slab is current. */
  isSparse(slab: Slab): boolean {
    return slab.live < slab.buffer.byteLength * this.limits.slabKeptShare
  }

  private placeOf(region: Region | undefined, bytes: Uint8Array): number {
    return region === undefined ? -1 : Math.floor((bytes.byteOffset - region.memory.byteOffset) / this.slabBytes)
  }

  private emptyRegions(): number {
    let empty = 0
    for (const { used } of this.regions.values()) if (used === 0) empty++
    return empty
  }

  private openRegion(): Region {
    const count = Math.max(1, Math.ceil(this.limits.regionBytes / this.slabBytes))
    const memory = Buffer.allocUnsafeSlow(count * this.slabBytes)
    const region = { memory, slabs: new Array<Slab | undefined>(count).fill(undefined), used: 0 }
    this.regions.set(memory.buffer, region)
    return region
  }
}
