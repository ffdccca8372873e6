/**
 * The encodings of neighbouring objects in lists, joined into one piece per leaf of the resource's tree. A list without
 * changes since the last one is a few hundred ready pieces instead of thousands of objects to find and copy (10,000 of
 * them: less than half the CPU in the compact encoding, a tenth to a third less in JSON). A write replaces the leaf,
 * and only that leaf's pieces are dropped.
 */
import type { ObjectRange } from "../cache.ts"
import type { LeafRange } from "../ordered-map.ts"
import type { CachedEntry } from "./entry.ts"
import { type Encoding, EncodingCache, type EncodingHolder } from "./encoding-cache.ts"

/** Maximum size of a leaf's objects: with larger objects, finding them costs little beside writing them. */
const leafBytesMax = 128 * 1024

/**
 * A leaf may evict another's encoding only after this many requests since that one was last used; with fewer, lists
 * that do not fit together would evict each other's pieces, and a long list its own, just before they are needed: with
 * every list encoded again, one of 22 MB cost 42 ms instead of 22.
 */
const requestsToEvict = 4

/** The leaf encodings of all resources of a cache. */
export class LeafEncodings {
  private readonly leaves = new WeakMap<object, Leaf>()
  private readonly budget: EncodingCache
  private walks = 0

  constructor(limitBytes: number) {
    this.budget = new EncodingCache(limitBytes)
  }

  /** Never above the limit. Read by tests. */
  get usedBytes(): number {
    return this.budget.usedBytes
  }

  /** Called for each list that may be written from leaf encodings. */
  *walk(leafRanges: Iterable<LeafRange<CachedEntry>>): Generator<ObjectRange> {
    const walk: ListWalk = { budget: this.budget, number: ++this.walks }
    for (const leafRange of leafRanges) yield new CachedLeafRange(walk, leafRange, this.leaf(leafRange))
  }

  /** Called before an object of a leaf changes. */
  drop(leafOf: () => object): void {
    if (this.budget.usedBytes === 0) return
    const leaf = this.leaves.get(leafOf())
    if (leaf !== undefined) this.budget.dropAll(leaf)
  }

  /** Undefined for a part of a leaf, where lists and pages begin and end. */
  private leaf({ end, leaf, start, values }: LeafRange<CachedEntry>): Leaf | undefined {
    if (start > 0 || end < values.length) return undefined
    let found = this.leaves.get(leaf)
    if (found === undefined) {
      found = new Leaf()
      this.leaves.set(leaf, found)
    }
    return found
  }
}

interface ListWalk {
  readonly budget: EncodingCache
  /** Later lists have greater ones. */
  readonly number: number
}

/** State of one leaf: the chain of its encodings, the encodings that were requested, and when. */
class Leaf implements EncodingHolder {
  encodings: Encoding | undefined = undefined
  private asked: readonly string[] = []
  /** Numbers of the last walks that requested it, the latest last. */
  private readonly asks: number[] = []

  ask({ number }: ListWalk): void {
    if (this.asks.length === requestsToEvict) this.asks.shift()
    this.asks.push(number)
  }

  /** A list that is requested once costs no memory. */
  requestedBefore(form: string): boolean {
    if (this.asked.includes(form)) return true
    this.asked = [...this.asked, form]
    return false
  }

  mayEvict(other: Leaf): boolean {
    const since = this.asks.length < requestsToEvict ? 0 : (this.asks[0] ?? 0)
    return (other.asks.at(-1) ?? 0) < since
  }
}

class CachedLeafRange implements ObjectRange {
  readonly objects: readonly CachedEntry[]
  readonly start: number
  readonly end: number

  constructor(
    private readonly walk: ListWalk,
    { end, start, values }: LeafRange<CachedEntry>,
    private readonly leaf: Leaf | undefined,
  ) {
    this.objects = values
    this.start = start
    this.end = end
  }

  encoded(form: string, make: () => Buffer): Buffer | undefined {
    const { leaf, walk } = this
    if (leaf === undefined) return undefined
    leaf.ask(walk)
    const kept = walk.budget.find(leaf, form)
    if (Buffer.isBuffer(kept)) return kept
    if (!leaf.requestedBefore(form) || !this.isWorthIt(walk, leaf)) return undefined
    const made = make()
    walk.budget.keep(leaf, form, made, made.byteLength)
    return made
  }

  private isWorthIt({ budget }: ListWalk, leaf: Leaf): boolean {
    const bytes = this.objectBytes()
    if (bytes > leafBytesMax) return false
    const other = budget.evictionCandidate(bytes)
    return !(other instanceof Leaf) || leaf.mayEvict(other)
  }

  private objectBytes(): number {
    let bytes = 0
    for (const { sizeBytes } of this.objects) bytes += sizeBytes
    return bytes
  }
}
