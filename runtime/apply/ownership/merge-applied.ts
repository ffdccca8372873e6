/** Merges an applied configuration into the live object; specification section 9.3. */
import { copyFields } from "../../encoding/field-path.ts"
import { setField } from "../../encoding/json/text.ts"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { elementOf, filledList, filledMap, formOf, rootNode, typeAt, valueAt } from "./typed-node.ts"
import type { ListForm, MapForm, TypedNode } from "./typed-node.ts"

/**
 * Returns the live object with all that the configuration sets: plain and atomic values are replaced; maps, structs,
 * sets and keyed lists are merged. Nothing is removed. An empty or null container does not replace a filled one, but
 * replaces another empty one. Called before fields that are no longer applied are removed. Shares parts with both
 * arguments. The items of each configuration list must be distinct.
 */
export function mergeApplied(shape: TypeShape, live: JsonObject, config: JsonObject): JsonObject {
  const { map } = rootNode(shape)
  return map === undefined ? config : mergedFields(map, live, config)
}

function merged(node: TypedNode, live: JsonValue, config: JsonValue): JsonValue {
  if (live === config) return live
  const form = formOf(node, config)
  if (form === "map" && node.map !== undefined && !node.map.atomic) {
    const mine = filledMap(live)
    if (mine === undefined) return config
    return isObject(config) ? mergedFields(node.map, mine, config) : mine
  }
  if (form === "list" && node.list !== undefined && node.list.type !== "atomic") {
    const [mine, theirs] = [filledList(live), filledList(config)]
    if (mine === undefined) return config
    return theirs === undefined ? mine : mergedItems(node.list, mine, theirs)
  }
  return config
}

/** Fields keep the order of the live object; new ones follow. */
function mergedFields(map: MapForm, live: JsonObject, config: JsonObject): JsonObject {
  let result: JsonObject | undefined
  for (const name in config) {
    const value = config[name]
    const type = typeAt(map, name)
    if (value === undefined || type === undefined) continue
    const mine = valueAt(live, name)
    const both = mine === undefined ? value : merged(type, mine, value)
    if (both === mine) continue
    result ??= copyFields(live)
    setField(result, name, both)
  }
  return result ?? live
}

interface Items {
  /** Sorted like the items. Skips items without an element; earlier checks refuse them. */
  readonly elements: readonly string[]
  readonly values: readonly JsonValue[]
  /** The item of each element; null for a repeated element, since none of its items is the one to merge with. */
  readonly byElement: ReadonlyMap<string, JsonValue>
}

function itemsOf(list: ListForm, items: readonly JsonValue[]): Items {
  const elements: string[] = []
  const values: JsonValue[] = []
  const byElement = new Map<string, JsonValue>()
  for (const item of items) {
    const element = elementOf(list, item)
    if (element === undefined) continue
    elements.push(element)
    values.push(item)
    byElement.set(element, byElement.has(element) ? null : item)
  }
  return { elements, values, byElement }
}

/**
 * Merges in order: items of the configuration keep its order, other items keep the order of the live list, walking both
 * side by side. An item in both is preceded by the live-only items before it in the live list and then by the new items
 * before it in the configuration. A live item that the configuration moves is placed there.
 */
function mergedItems(list: ListForm, liveItems: readonly JsonValue[], configItems: readonly JsonValue[]): JsonValue[] {
  const live = itemsOf(list, liveItems)
  const config = itemsOf(list, configItems)
  const shared = config.elements.filter((element) => live.byElement.has(element))
  const result: JsonValue[] = []
  const taken = new Set<string>()
  let sharedAt = 0
  let liveAt = 0
  let configAt = 0
  const take = (element: string): void => {
    taken.add(element)
    result.push(mergedItem(list, live.byElement.get(element), config.byElement.get(element) ?? null))
    configAt++
  }
  while (liveAt < live.elements.length || configAt < config.elements.length) {
    const mine = live.elements[liveAt]
    const theirs = config.elements[configAt]
    if (mine !== undefined && theirs !== undefined) {
      if (mine === theirs) {
        take(theirs)
        liveAt++
        sharedAt++
        continue
      }
      if (config.byElement.has(mine) && sharedAt < shared.length && shared[sharedAt] !== mine) {
        liveAt++
        continue
      }
    }
    if (mine !== undefined) {
      if (!config.byElement.has(mine)) {
        result.push(live.values[liveAt] ?? null)
        liveAt++
        continue
      }
      if (taken.has(mine)) liveAt++
    }
    if (theirs !== undefined) {
      take(theirs)
      if (shared[sharedAt] === theirs) sharedAt++
    }
  }
  return result
}

function mergedItem(list: ListForm, live: JsonValue | undefined, config: JsonValue): JsonValue {
  return live === undefined ? config : merged(list.item(), live, config)
}
