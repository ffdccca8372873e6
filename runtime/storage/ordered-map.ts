/** The ordered map of sorted-btree, by one name under every loader. */
import sortedBtree from "sorted-btree"

/**
 * The package is CommonJS with `exports.default`: Node and esbuild hand out the whole of `exports` as the default import,
 * as the types say; vitest hands out the class itself.
 */
export const OrderedMap = typeof sortedBtree === "function" ? sortedBtree : sortedBtree.default
export type OrderedMap<K, V> = sortedBtree.default<K, V>
