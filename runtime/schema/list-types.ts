/**
 * The promise of `listType: set` and `listType: map`: no item twice, no two items with the same keys. Server-side apply
 * identifies items by it. The reference keeps it in the same way for custom resources (apiextensions-apiserver,
 * pkg/apiserver/schema/listtype).
 */
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import type { FieldCheck } from "./check-limits.ts"
import { addFailure } from "./reported.ts"
import type { CheckContext } from "./validate.ts"

/**
 * Called by generated validators for each such list. `keys` are the keys of a map list; without keys whole items are
 * compared. Reports FieldValueDuplicate at the second of each group of equal items, with its keys. A stored list that
 * breaks the promise already may stay as it is, so that its object can still be changed and deleted.
 */
export function distinct(self: JsonObject, name: string, context: CheckContext, keys: readonly string[], field?: FieldCheck): void {
  const list = self[name]
  if (!Array.isArray(list) || list.length < 2) return
  const repeated = repeatedItems(list, keys)
  if (repeated.length === 0) return
  const old = isObject(context.old) ? context.old[name] : undefined
  if (Array.isArray(old) && repeatedItems(old, keys).length > 0) return
  const form = field?.limits.failures?.listType
  for (const index of repeated) {
    if (context.failures.full) return
    const value = shown(list[index] ?? null, keys)
    addFailure(context, form, { type: "Duplicate", path: field?.path ?? name, step: index, value, detail: "" })
  }
}

/** Indices of the items that are the second of their kind. */
function repeatedItems(list: readonly JsonValue[], keys: readonly string[]): number[] {
  const times = new Map<string, number>()
  const repeated: number[] = []
  for (const [index, item] of list.entries()) {
    const text = identity(item, keys)
    const seen = times.get(text) ?? 0
    if (seen === 1) repeated.push(index)
    times.set(text, seen + 1)
  }
  return repeated
}

function identity(item: JsonValue, keys: readonly string[]): string {
  const [key, more] = keys
  const only = keys.length === 0 ? item : more === undefined && key !== undefined && isObject(item) ? item[key] : undefined
  // JSON never begins with a colon.
  if (typeof only === "string") return `:${only}`
  return JSON.stringify(shown(item, keys), (_name, value: unknown) => (typeof value === "bigint" ? String(value) : value))
}

/** The keys that the item has; the whole item of a set. */
function shown(item: JsonValue, keys: readonly string[]): JsonValue {
  if (keys.length === 0 || !isObject(item)) return item
  return Object.fromEntries(keys.flatMap((key) => (item[key] === undefined ? [] : [[key, item[key]]])))
}
