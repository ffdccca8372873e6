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
