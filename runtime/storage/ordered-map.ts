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
interface Node<K> {
  /** Of a node with children: the last key of each, or a greater one that is below the next. */
  readonly keys: readonly K[]
  readonly children?: readonly Node<K>[]
  size(): number
}

/** How many keys of the tree are less than `key`; costs what finding one does. `compare` is that of the tree. */
export function countBelow<K, V>(tree: OrderedMap<K, V>, key: K, compare: (left: K, right: K) => number): number {
  let node: Node<K> = tree["_root"]
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
