/**
 * The ordered map of one resource: a B-tree with an O(1) clone (nodes are shared until one side writes), so that a
 * snapshot of any size costs nothing and is not affected by later changes.
 */
import type { CachedObject } from "../cache.ts"
import { countBelow, leafOf, OrderedMap, orderedMapOf, type LeafRange, leafRangesOf, valuesOf, type WalkRange } from "../ordered-map.ts"
import { compareBytes, hasSurrogate } from "../../base/byte-order.ts"

/**
 * Compares keys in bytewise (UTF-8) order, as stores list them. JavaScript compares UTF-16 units, which differs only
 * for characters beyond U+FFFF, so the slow comparison starts with the first such key. Shared by a map and its clones:
 * until that key arrives both orders agree on every key in them.
 */
class KeyOrder {
  private wide = false

  /** Called with every key before it is stored or used as a lower bound. */
  note(key: string): void {
    if (!this.wide && hasSurrogate(key)) this.wide = true
  }

  readonly compare = (left: string, right: string): number => {
    if (left === right) return 0
    if (this.wide) return compareBytes(left, right)
    return left < right ? -1 : 1
  }
}

/** Objects by full store key, in bytewise key order. */
export class ObjectMap<Value extends CachedObject> {
  private constructor(
    private readonly order: KeyOrder,
    private readonly tree: OrderedMap<string, Value>,
  ) {}

  /** Called once per resource. */
  static empty<Value extends CachedObject>(): ObjectMap<Value> {
    const order = new KeyOrder()
    return new ObjectMap(order, new OrderedMap<string, Value>(undefined, order.compare))
  }

  /** Called with the result of a fill, in key order as stores list it; throws otherwise. */
  static of<Value extends CachedObject>(values: Value[]): ObjectMap<Value> {
    const order = new KeyOrder()
    const keys: string[] = []
    for (const { key } of values) {
      order.note(key)
      keys.push(key)
    }
    return new ObjectMap(order, orderedMapOf(keys, values, order.compare))
  }

  get size(): number {
    return this.tree.size
  }

  get(key: string): Value | undefined {
    return this.tree.get(key)
  }

  set(value: Value): void {
    this.order.note(value.key)
    this.tree.set(value.key, value)
  }

  delete(key: string): void {
    this.tree.delete(key)
  }

  /** O(1); neither side sees later writes of the other. */
  clone(): ObjectMap<Value> {
    return new ObjectMap(this.order, this.tree.clone())
  }

  /** Every value, in order. The map must not change meanwhile. */
  all(): Iterable<Value> {
    return this.tree.values()
  }

  /**
   * Values whose key starts with `prefix` and is greater than `startAfter`, in order. The map must not change
   * meanwhile: walk a clone.
   */
  entries(prefix: string, startAfter: string | undefined): IterableIterator<Value> {
    if (!prefix.endsWith("/")) return this.plainEntries(prefix, this.lowerBound(prefix, startAfter), startAfter)
    return valuesOf(this.tree, this.range(prefix, startAfter), this.order.compare)
  }

  /** The same in ranges of neighbours. Walk a clone, whose leaves do not change. */
  leafRanges(prefix: string, startAfter: string | undefined): Iterable<LeafRange<Value>> {
    if (prefix.endsWith("/")) return leafRangesOf(this.tree, this.range(prefix, startAfter), this.order.compare)
    const values = [...this.entries(prefix, startAfter)]
    return values.length === 0 ? [] : [{ values, start: 0, end: values.length, leaf: values }]
  }

  /** Identity of the leaf that contains `key`, or would contain it. */
  leafOf(key: string): object {
    this.order.note(key)
    return leafOf(this.tree, key, this.order.compare)
  }

  private range(prefix: string, startAfter: string | undefined): WalkRange<string> {
    const from = this.lowerBound(prefix, startAfter)
    return { from, after: from === startAfter, below: endOfPrefix(prefix) }
  }

  private *plainEntries(prefix: string, low: string, startAfter: string | undefined): Generator<Value, void, undefined> {
    for (const [key, value] of this.tree.entries(low, [])) {
      if (!key.startsWith(prefix)) return
      if (key !== startAfter) yield value
    }
  }

  /** Number of values in `entries`, without visiting them. */
  count(prefix: string, startAfter: string | undefined): number {
    const low = this.lowerBound(prefix, startAfter)
    if (!prefix.endsWith("/")) return this.countPlain(prefix, low, startAfter)
    const { order, tree } = this
    const counted = countBelow(tree, endOfPrefix(prefix), order.compare) - countBelow(tree, low, order.compare)
    // The lower bound is beyond the prefix.
    if (counted <= 0) return 0
    return low === startAfter && tree.has(low) ? counted - 1 : counted
  }

  /** A prefix that is not a folder (an object's own key) has no simple end. */
  private countPlain(prefix: string, low: string, startAfter: string | undefined): number {
    let counted = 0
    for (const [key] of this.tree.entries(low)) {
      if (key === startAfter) continue
      if (!key.startsWith(prefix)) break
      counted++
    }
    return counted
  }

  private lowerBound(prefix: string, startAfter: string | undefined): string {
    this.order.note(prefix)
    if (startAfter === undefined) return prefix
    this.order.note(startAfter)
    return this.order.compare(startAfter, prefix) > 0 ? startAfter : prefix
  }
}

/** The first key after all that start with `prefix`: its final "/" becomes "0", the next byte. */
function endOfPrefix(prefix: string): string {
  return `${prefix.slice(0, -1)}0`
}
