/** Correlates parts of an object with its former state, by names, keys of maps and keys of lists. */
import { isObject, type JsonValue } from "../../base/json.ts"
import { deepEqual, ownField } from "../../encoding/field-path.ts"
import { schemaOfField } from "../objects/prune.ts"
import type { Structural } from "../structural.ts"
import { listKey } from "./list-key.ts"

/** The items of a list with keys, by their keys; the first of items with equal keys. */
export function itemsByKey(items: JsonValue | undefined, { listType, listMapKeys }: Structural): ReadonlyMap<string, JsonValue> {
  const found = new Map<string, JsonValue>()
  if (listType !== "map" || listMapKeys.length === 0 || !Array.isArray(items)) return found
  for (const item of items) {
    const key = isObject(item) ? listKey(item, listMapKeys) : undefined
    if (key !== undefined && !found.has(key)) found.set(key, item)
  }
  return found
}

/** A value and its former state. */
export class Correlation {
  private equal: boolean | undefined
  private byKey: ReadonlyMap<string, JsonValue> | undefined

  constructor(
    private readonly value: JsonValue,
    private readonly old: JsonValue,
    private readonly schema: Structural,
  ) {}

  /** The field of both; undefined if one of them or the schema does not have it. */
  field(name: string): Correlation | undefined {
    const value = isObject(this.value) ? ownField(this.value, name) : undefined
    const old = isObject(this.old) ? ownField(this.old, name) : undefined
    const schema = schemaOfField(this.schema, name)
    return value === undefined || old === undefined || schema === undefined ? undefined : new Correlation(value, old, schema)
  }

  /** The item, and the former item with the same keys. */
  item(index: number): Correlation | undefined {
    const { items, listMapKeys } = this.schema
    const value = Array.isArray(this.value) ? this.value[index] : undefined
    if (items === undefined || !isObject(value)) return undefined
    this.byKey ??= itemsByKey(this.old, this.schema)
    const old = this.byKey.get(listKey(value, listMapKeys) ?? "")
    return old === undefined ? undefined : new Correlation(value, old, items)
  }

  /** Whether the value is unchanged. The order of a list with keys does not matter. */
  isUnchanged(): boolean {
    this.equal ??= this.compare()
    return this.equal
  }

  private compare(): boolean {
    const { value, old } = this
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false
      if (this.schema.listType !== "map") return deepEqual(value, old)
      return value.every((_item, index) => this.item(index)?.isUnchanged() === true)
    }
    if (!isObject(value) || !isObject(old)) return deepEqual(value, old)
    const names = Object.keys(value)
    return names.length === Object.keys(old).length && names.every((name) => this.field(name)?.isUnchanged() === true)
  }
}
