/**
 * The encodings of neighbouring objects in lists, joined into one piece per leaf of the resource's tree. A list without
 * changes since the last one is a few hundred ready pieces instead of thousands of objects to find and copy (10,000 of
 * them: less than half the CPU in the compact encoding, a tenth to a third less in JSON). A write replaces the leaf,
 * and only that leaf's pieces are dropped.
 */
import type { ObjectRun } from "../cache.ts"
import type { Stretch } from "../ordered-map.ts"
import type { CachedEntry } from "./entry.ts"
import { type Form, FormBudget, type FormHolder } from "./forms.ts"

/** Maximum size of a leaf's objects: with larger objects, finding them costs little beside writing them. */
const runBytesMax = 128 * 1024

/**
 * A leaf may evict another's encoding only after this many requests since that one was last used; with fewer, lists
 * that do not fit together would evict each other's pieces, and a long list its own, just before they are needed: with
 * every list encoded again, one of 22 MB cost 42 ms instead of 22.
 */
const asksToPushOut = 4

/** The leaf encodings of all resources of a cache. */
export class GatheredRuns {
  private readonly leaves = new WeakMap<object, Leaf>()
  private readonly budget: FormBudget
  private walks = 0

  constructor(limitBytes: number) {
    this.budget = new FormBudget(limitBytes)
  }

  /** Never above the limit. Read by tests. */
  get usedBytes(): number {
    return this.budget.usedBytes
  }

  /** Called for each list that may be written from leaf encodings. */
  *walk(stretches: Iterable<Stretch<CachedEntry>>): Generator<ObjectRun> {
    const walk: Walk = { budget: this.budget, number: ++this.walks }
    for (const stretch of stretches) yield new Run(walk, stretch, this.leaf(stretch))
  }

  /** Called before an object of a leaf changes. */
  drop(leafOf: () => object): void {
    if (this.budget.usedBytes === 0) return
    const leaf = this.leaves.get(leafOf())
    if (leaf !== undefined) this.budget.dropAll(leaf)
  }

  /** Undefined for a part of a leaf, where lists and pages begin and end. */
  private leaf({ end, leaf, start, values }: Stretch<CachedEntry>): Leaf | undefined {
    if (start > 0 || end < values.length) return undefined
    let found = this.leaves.get(leaf)
    if (found === undefined) {
      found = new Leaf()
      this.leaves.set(leaf, found)
    }
    return found
  }
}

interface Walk {
  readonly budget: FormBudget
  /** Later lists have greater ones. */
  readonly number: number
}

/** State of one leaf: the chain of its encodings, the encodings that were requested, and when. */
class Leaf implements FormHolder {
  forms: Form | undefined = undefined
  private asked: readonly string[] = []
  /** Numbers of the last walks that requested it, the latest last. */
  private readonly asks: number[] = []

  ask({ number }: Walk): void {
    if (this.asks.length === asksToPushOut) this.asks.shift()
    this.asks.push(number)
  }

  /** A list that is requested once costs no memory. */
  askedBefore(form: string): boolean {
    if (this.asked.includes(form)) return true
    this.asked = [...this.asked, form]
    return false
  }

  mayPushOut(other: Leaf): boolean {
    const since = this.asks.length < asksToPushOut ? 0 : (this.asks[0] ?? 0)
    return (other.asks.at(-1) ?? 0) < since
  }
}

class Run implements ObjectRun {
  readonly objects: readonly CachedEntry[]
  readonly start: number
  readonly end: number

  constructor(
    private readonly walk: Walk,
    { end, start, values }: Stretch<CachedEntry>,
    private readonly leaf: Leaf | undefined,
  ) {
    this.objects = values
    this.start = start
    this.end = end
  }

  gathered(form: string, make: () => Buffer): Buffer | undefined {
    const { leaf, walk } = this
    if (leaf === undefined) return undefined
    leaf.ask(walk)
    const kept = walk.budget.find(leaf, form)
    if (Buffer.isBuffer(kept)) return kept
    if (!leaf.askedBefore(form) || !this.isWorthIt(walk, leaf)) return undefined
    const made = make()
    walk.budget.keep(leaf, form, made, made.byteLength)
    return made
  }

  private isWorthIt({ budget }: Walk, leaf: Leaf): boolean {
    const bytes = this.objectBytes()
    if (bytes > runBytesMax) return false
    const other = budget.inTheWay(bytes)
    return !(other instanceof Leaf) || leaf.mayPushOut(other)
  }

  private objectBytes(): number {
    let bytes = 0
    for (const { sizeBytes } of this.objects) bytes += sizeBytes
    return bytes
  }
}
