/**
 * Ratcheting: an update may keep a value that its schema, which may be newer, refuses. Old and new values are
 * correlated as in apiserver's pkg/cel/common: fields by name, items of `listType: map` by their keys, items of other
 * lists not at all.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { deepEqual, ownField } from "../../encoding/field-path.ts"
import type { Structural } from "../structural.ts"
import { schemaOfField } from "./prune.ts"
import type { Skipping } from "./value-walk.ts"

/**
 * A value and its correlated old value. Caches the correlations of its parts and their results, so that each value is
 * compared once, however deep it is.
 */
class Correlation implements Skipping {
  private oldItems: KeyedItems | undefined
  private readonly parts = new Map<string | number, Correlation | undefined>()
  private unchanged: boolean | undefined

  constructor(
    private readonly schema: Structural,
    private readonly value: JsonValue,
    private readonly old: JsonValue,
    private readonly isRoot: boolean,
  ) {}

  ofField(name: string): Correlation | undefined {
    // Conversion changes the old object's version.
    if (this.isRoot && (name === "apiVersion" || name === "kind")) return undefined
    return this.field(name)
  }

  private field(name: string): Correlation | undefined {
    if (!this.parts.has(name)) this.parts.set(name, this.correlateField(name))
    return this.parts.get(name)
  }

  private correlateField(name: string): Correlation | undefined {
    const { schema, value, old } = this
    const known = schemaOfField(schema, name)
    if (known === undefined || !isObject(value) || !isObject(old)) return undefined
    const [field, before] = [ownField(value, name), ownField(old, name)]
    return field === undefined || before === undefined ? undefined : new Correlation(known, field, before, false)
  }

  ofItem(index: number): Correlation | undefined {
    if (this.schema.listType !== "map") return undefined
    if (!this.parts.has(index)) this.parts.set(index, this.correlateItem(index))
    return this.parts.get(index)
  }

  private correlateItem(index: number): Correlation | undefined {
    const { schema, value, old } = this
    if (schema.items === undefined || !Array.isArray(value) || !Array.isArray(old)) return undefined
    this.oldItems ??= new KeyedItems(old, schema.listMapKeys)
    const item = value[index] ?? null
    const before = this.oldItems.like(item)
    return before === undefined ? undefined : new Correlation(schema.items, item, before, false)
  }

  isUnchanged(): boolean {
    this.unchanged ??= this.compare()
    return this.unchanged
  }

  private compare(): boolean {
    const { schema, value, old } = this
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false
      if (schema.listType !== "map") return deepEqual(value, old)
      return value.every((_item, index) => this.ofItem(index)?.isUnchanged() === true)
    }
    if (!isObject(value) || !isObject(old)) return deepEqual(value, old)
    const names = Object.keys(value)
    return names.length === Object.keys(old).length && names.every((name) => this.field(name)?.isUnchanged() === true)
  }
}

/** The items of a list by their keys; the first of items with equal keys. */
class KeyedItems {
  private readonly byKey = new Map<string, JsonObject>()

  constructor(
    items: readonly JsonValue[],
    private readonly keys: readonly string[],
  ) {
    for (const item of items) {
      const key = this.keyOf(item)
      if (key !== undefined && isObject(item) && !this.byKey.has(key)) this.byKey.set(key, item)
    }
  }

  like(item: JsonValue): JsonObject | undefined {
    const key = this.keyOf(item)
    return key === undefined ? undefined : this.byKey.get(key)
  }

  /** Undefined for an item without one of the keys. */
  private keyOf(item: JsonValue): string | undefined {
    if (!isObject(item) || this.keys.length === 0) return undefined
    let text = ""
    for (const name of this.keys) {
      const value = ownField(item, name)
      if (value === undefined || typeof value === "object") return undefined
      text += `${typeof value}:${String(value).length}:${String(value)},`
    }
    return text
  }
}

/** The values that an update from `old` leaves unchanged. */
export function unchangedValues(schema: Structural, object: JsonObject, old: JsonObject): Skipping {
  return new Correlation(schema, object, old, true)
}
