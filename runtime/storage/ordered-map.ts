/** The ordered map of sorted-btree, under one name with every module loader. */
import sortedBtree from "sorted-btree"
import { bulkLoad } from "sorted-btree/extended/bulkLoad.js"

/**
 * The package is CommonJS with `exports.default`: Node and esbuild import the whole of `exports` as the default, as its
 * types say; vitest imports the class itself.
 */
export const OrderedMap = typeof sortedBtree === "function" ? sortedBtree : sortedBtree.default
export type OrderedMap<K, V> = sortedBtree.default<K, V>

/** Children per node of the tree; the package's default. */
const nodeSize = 32

/**
 * Called with keys in strictly ascending order; throws otherwise. Cheaper than setting keys one by one, and the nodes
 * are full rather than half full.
 */
export function orderedMapOf<K, V>(keys: K[], values: V[], compare: (left: K, right: K) => number): OrderedMap<K, V> {
  return bulkLoad(keys, values, nodeSize, compare)
}

/**
 * A node of the tree. Inner nodes know how many keys are below them; the package itself does not use that for ranges.
 */
interface Node<K, V> {
  /** In an inner node: for each child its last key, or a greater one that is less than the keys of the next child. */
  readonly keys: readonly K[]
  readonly values?: readonly V[]
  readonly children?: readonly Node<K, V>[]
  size(): number
}

/** Number of keys in the tree that are less than `key`, at the cost of one lookup. `compare` is the tree's. */
export function countBelow<K, V>(tree: OrderedMap<K, V>, key: K, compare: (left: K, right: K) => number): number {
  let node: Node<K, V> = tree["_root"]
  let count = 0
  for (;;) {
    const place = placeOf(node.keys, key, compare)
    if (node.children === undefined) return count + place
    for (let index = 0; index < place; index++) count += node.children[index]?.size() ?? 0
    const child = node.children[place]
    if (child === undefined) return count
    node = child
  }
}

/** Index of the first key that is not less than `key`. */
function placeOf<K>(keys: readonly K[], key: K, compare: (left: K, right: K) => number): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const at = keys[middle]
    if (at !== undefined && compare(at, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Bounds of a walk. `after`: skip the key `from` itself. `below` is exclusive. */
export interface WalkRange<K> {
  readonly from: K
  readonly after: boolean
  readonly below: K
}

/** Neighbouring values in a leaf of the tree: from `start` to before `end`. */
export interface LeafRange<V> {
  readonly values: readonly V[]
  readonly start: number
  readonly end: number
  /** Identity of the leaf. In a clone of a tree it keeps these values for ever: a write copies the leaf first. */
  readonly leaf: object
}

/**
 * Values in the order of their keys; the tree must not change meanwhile. Called for long walks: the package's iterator
 * of pairs with a generator around it took as long for each value as copying a small object does.
 */
export function valuesOf<K, V>(tree: OrderedMap<K, V>, range: WalkRange<K>, compare: (left: K, right: K) => number): IterableIterator<V> {
  return new ValueIterator<K, V>(new LeafRangeIterator<K, V>(tree["_root"], range, compare))
}

/** As `valuesOf`, one leaf at a time. */
export function leafRangesOf<K, V>(
  tree: OrderedMap<K, V>,
  range: WalkRange<K>,
  compare: (left: K, right: K) => number,
): IterableIterator<LeafRange<V>> {
  return new LeafRangeIterator<K, V>(tree["_root"], range, compare)
}

/** Identity of the leaf that contains `key`, or would contain it. */
export function leafOf<K, V>(tree: OrderedMap<K, V>, key: K, compare: (left: K, right: K) => number): object {
  let node: Node<K, V> = tree["_root"]
  while (node.children !== undefined) {
    const child: Node<K, V> | undefined = node.children[Math.min(placeOf(node.keys, key, compare), node.children.length - 1)]
    if (child === undefined) break
    node = child
  }
  return node
}

class LeafRangeIterator<K, V> implements IterableIterator<LeafRange<V>> {
  /** The inner nodes from the root down, each with the index of the child that the walk is in. */
  private readonly path: { readonly children: readonly Node<K, V>[]; at: number }[] = []
  private leaf: Node<K, V> | undefined
  private start: number

  constructor(
    root: Node<K, V>,
    private readonly range: WalkRange<K>,
    private readonly compare: (left: K, right: K) => number,
  ) {
    const { after, from } = range
    let node: Node<K, V> | undefined = root
    while (node?.children !== undefined) {
      const at: number = placeOf(node.keys, from, compare)
      this.path.push({ children: node.children, at })
      node = node.children[at]
    }
    this.leaf = node
    const keys = node?.keys ?? []
    this.start = placeOf(keys, from, compare)
    const key = keys[this.start]
    if (after && key !== undefined && compare(key, from) === 0) this.start++
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<LeafRange<V>> {
    const leafRange = this.take()
    return leafRange === undefined ? { done: true, value: undefined } : { done: false, value: leafRange }
  }

  /** The next range that is not empty. */
  take(): LeafRange<V> | undefined {
    for (;;) {
      const { leaf, start } = this
      if (leaf === undefined) return undefined
      const end = this.endIn(leaf.keys)
      this.start = 0
      this.leaf = end < leaf.keys.length ? undefined : this.nextLeaf()
      if (start < end) return { values: leaf.values ?? [], start, end, leaf }
    }
  }

  private endIn(keys: readonly K[]): number {
    const last = keys.at(-1)
    const { below } = this.range
    return last === undefined || this.compare(last, below) < 0 ? keys.length : placeOf(keys, below, this.compare)
  }

  private nextLeaf(): Node<K, V> | undefined {
    let level = this.path.at(-1)
    while (level !== undefined && level.at + 1 >= level.children.length) {
      this.path.pop()
      level = this.path.at(-1)
    }
    let node = level?.children[++level.at]
    while (node?.children !== undefined) {
      this.path.push({ children: node.children, at: 0 })
      node = node.children[0]
    }
    return node
  }
}

const noValues: readonly never[] = []

class ValueIterator<K, V> implements IterableIterator<V> {
  private values: readonly V[] = noValues
  private at = 0
  private end = 0

  constructor(private readonly leafRanges: LeafRangeIterator<K, V>) {}

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<V> {
    if (this.at === this.end && !this.goOn()) return { done: true, value: undefined }
    return { done: false, value: this.values[this.at++] as V } // A leaf has one value per key.
  }

  private goOn(): boolean {
    const leafRange = this.leafRanges.take()
    if (leafRange === undefined) return false
    this.values = leafRange.values
    this.at = leafRange.start
    this.end = leafRange.end
    return true
  }
}
