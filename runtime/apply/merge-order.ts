/**
 * The order of a list after a strategic merge: items of the patch keep the patch's order, other items keep the stored
 * list's order, and the two interleave where the stored list has both. The rules, and so the results, are the reference
 * server's.
 */
import { ownField } from "../encoding/field-path.ts"
import { isObject } from "../base/json.ts"
import type { JsonValue } from "../base/json.ts"
import { patchFault } from "./patch-fault.ts"

/**
 * A key under which equal scalars match: 80 and "80" differ, 80 as number and as bigint do not. Throws for lists and
 * objects.
 */
export function keyText(value: JsonValue): string {
  if (typeof value === "object" && value !== null) throw patchFault("lists are merged by scalar values only")
  return typeof value === "string" ? `"${value}` : String(value)
}

/**
 * Identifies the items of a list of objects by their merge key. The returned function throws ApiError 422 for an item
 * without it.
 */
export function itemKey(mergeKey: string, field: string): (item: JsonValue) => string {
  return (item) => {
    const value = isObject(item) ? ownField(item, mergeKey) : undefined
    if (value === undefined) throw patchFault(`an item of ${field} does not contain declared merge key: ${mergeKey}`)
    return keyText(value)
  }
}

/** The reference uses insertion sort up to this length, which shows in the result where a comparison is undecided. */
const insertionItemsMax = 20

/** Sorts `items` by the first position of their keys in `order`. */
export function reorder<Item extends JsonValue>(
  items: readonly Item[],
  order: readonly JsonValue[],
  key: (item: JsonValue) => string,
): Item[] {
  const positions = firstPositions(order, key)
  const sorted = items.map((item) => ({ item, position: positions.get(key(item)) }))
  if (sorted.length > insertionItemsMax || sorted.every(({ position }) => position !== undefined)) {
    sorted.sort((left, right) => (left.position ?? order.length) - (right.position ?? order.length))
  } else insertionSort(sorted)
  return sorted.map(({ item }) => item)
}

/** Items that the order does not name sort before any item they are compared with, as in the reference. */
function insertionSort(items: { readonly position: number | undefined }[]): void {
  for (let next = 1; next < items.length; next++) {
    for (let at = next; at > 0; at--) {
      const item = items[at]
      const before = items[at - 1]
      if (item === undefined || before === undefined) return
      if (item.position !== undefined && before.position !== undefined && item.position >= before.position) break
      items[at] = before
      items[at - 1] = item
    }
  }
}

function firstPositions(items: readonly JsonValue[], key: (item: JsonValue) => string): Map<string, number> {
  const positions = new Map<string, number>()
  for (const [index, item] of items.entries()) {
    if (!positions.has(key(item))) positions.set(key(item), index)
  }
  return positions
}

export interface MergeOrder {
  /** Items that the patch mentions, in their final order. */
  readonly patched: readonly JsonValue[]
  /** Items that it does not mention, in their final order. */
  readonly untouched: readonly JsonValue[]
  /** The stored list: where it holds both, it decides which is first. Otherwise the patched item is first. */
  readonly original: readonly JsonValue[]
  readonly key: (item: JsonValue) => string
}

/** Merges both lists, each in its own order. */
export function mergeOrder({ patched, untouched, original, key }: MergeOrder): JsonValue[] {
  const positions = firstPositions(original, key)
  const result: JsonValue[] = []
  let next = 0
  for (const item of untouched) {
    const place = positions.get(key(item))
    while (next < patched.length) {
      const candidate = patched[next]
      const other = candidate === undefined ? undefined : positions.get(key(candidate))
      if (candidate === undefined || (place !== undefined && other !== undefined && place < other)) break
      result.push(candidate)
      next += 1
    }
    result.push(item)
  }
  return [...result, ...patched.slice(next)]
}
