/** The ordered map of sorted-btree, by one name under every loader. */
import sortedBtree from "sorted-btree"
import { bulkLoad } from "sorted-btree/extended/bulkLoad.js"

/**
 * The package is CommonJS with `exports.default`: Node and esbuild hand out the whole of `exports` as the default import,
 * as the types say; vitest hands out the class itself.
 */
export const OrderedMap = typeof sortedBtree === "function" ? sortedBtree : sortedBtree.default
export type OrderedMap<K, V> = sortedBtree.default<K, V>

/** Children of a node of the tree; the package's default. */
const nodeSize = 32

/** Called with keys in strictly ascending order, else it throws. Cheaper than setting one after the other, and the nodes are full rather than half full. */
export function orderedMapOf<K, V>(keys: K[], values: V[], compare: (left: K, right: K) => number): OrderedMap<K, V> {
  return bulkLoad(keys, values, nodeSize, compare)
}

/** A node of the tree. Nodes that have children know how many keys are below them; the package itself makes no use of that for ranges. */
interface Node<K, V> {
  /** Of a node with children: the last key of each, or a greater one that is below the next. */
  readonly keys: readonly K[]
  readonly values?: readonly V[]
  readonly children?: readonly Node<K, V>[]
  size(): number
}

/** How many keys of the tree are less than `key`; costs what finding one does. `compare` is that of the tree. */
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

/** Where a walk begins and ends. `after`: the key `from` itself is passed over. Keys from `below` on are not given. */
export interface WalkRange<K> {
  readonly from: K
  readonly after: boolean
  readonly below: K
}

/** Values that are neighbours in a leaf of the tree: those from `start` to before `end`. */
export interface Stretch<V> {
  readonly values: readonly V[]
  readonly start: number
  readonly end: number
  /** Stands for the leaf. In a clone of a tree it has these values for ever: whoever writes copies the leaf. */
  readonly leaf: object
}

/**
 * Values in the order of their keys; the tree must not change meanwhile. Called by long walks: the package's iterator, asked for pairs, and a
 * generator around it took as long for each value as copying a small object does.
 */
export function valuesOf<K, V>(tree: OrderedMap<K, V>, range: WalkRange<K>, compare: (left: K, right: K) => number): IterableIterator<V> {
  return new Walk<K, V>(new Stretches<K, V>(tree["_root"], range, compare))
}

/** The same, a leaf at a time. */
export function stretchesOf<K, V>(
  tree: OrderedMap<K, V>,
  range: WalkRange<K>,
  compare: (left: K, right: K) => number,
): IterableIterator<Stretch<V>> {
  return new Stretches<K, V>(tree["_root"], range, compare)
}

/** What stands for the leaf in which `key` is, or would be. */
export function leafOf<K, V>(tree: OrderedMap<K, V>, key: K, compare: (left: K, right: K) => number): object {
  let node: Node<K, V> = tree["_root"]
  while (node.children !== undefined) {
    const child: Node<K, V> | undefined = node.children[Math.min(placeOf(node.keys, key, compare), node.children.length - 1)]
    if (child === undefined) break
    node = child
  }
  return node
}

class Stretches<K, V> implements IterableIterator<Stretch<V>> {
  /** Nodes with children from the root down, and at which child the walk is. */
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

  next(): IteratorResult<Stretch<V>> {
    const stretch = this.take()
    return stretch === undefined ? { done: true, value: undefined } : { done: false, value: stretch }
  }

  /** The next one that is not empty. */
  take(): Stretch<V> | undefined {
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

class Walk<K, V> implements IterableIterator<V> {
  private values: readonly V[] = noValues
  private at = 0
  private end = 0

  constructor(private readonly stretches: Stretches<K, V>) {}

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<V> {
    if (this.at === this.end && !this.goOn()) return { done: true, value: undefined }
    return { done: false, value: this.values[this.at++] as V } // A leaf has a value for each of its keys.
  }

  private goOn(): boolean {
    const stretch = this.stretches.take()
    if (stretch === undefined) return false
    this.values = stretch.values
    this.at = stretch.start
    this.end = stretch.end
    return true
  }
}
