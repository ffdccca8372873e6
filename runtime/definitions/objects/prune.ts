/**
 * Pruning of custom objects: drops fields that the definition's schema does not specify. Rules are as in
 * apiextensions-apiserver (pkg/apiserver/schema/pruning and defaulting/prunenulls.go).
 *
 * The depth of a walk is the schema's depth, or the depth of nested lists that the schema does not describe, limited by
 * `documentDepthMax`. The work is proportional to the object: some 10 ms for `documentValuesMax` values.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import type { Structural } from "../structural.ts"
import type { UnknownNames } from "./unknown-names.ts"

export interface PruneOptions {
  /** Collects the names of dropped fields, except for null values. */
  readonly unknown?: UnknownNames
  /** Keeps null values where the schema has a type or an enumeration, for the validator. Default false. */
  readonly keepNulls?: boolean
}

/**
 * Drops, in place, fields that the schema does not name, and null values of fields that are not nullable and have no
 * default. Called after decoding a request, a stored object or the result of a conversion, and with `keepNulls` after a
 * server-side apply, whose nulls the reference leaves to defaults and validation. `metadata`, `apiVersion` and `kind`
 * remain at the root and in embedded resources; `normalizeEmbedded` reads them there.
 */
export function pruneObject(object: JsonObject, schema: Structural, { unknown, keepNulls = false }: PruneOptions = {}): void {
  const walk = new PruneWalk(unknown)
  walk.fields(object, schema, { embedded: true, preserve: schema.preserveUnknown })
  unknown?.endGroup()
  dropNulls(object, schema, keepNulls)
}

/** The fields that every typed object has. */
export function isMetaField(name: string): boolean {
  return name === "apiVersion" || name === "kind" || name === "metadata"
}

/** The schema of a field: its own, or else the schema of additional properties. Undefined if there is neither. */
export function schemaOfField(schema: Structural, name: string): Structural | undefined {
  const known = schema.properties.get(name)
  if (known !== undefined) return known
  return schema.additionalProperties === true ? undefined : schema.additionalProperties
}

class PruneWalk {
  /** The current path; kept only while collecting names. */
  private readonly steps: (string | number)[] = []

  constructor(private readonly unknown: UnknownNames | undefined) {}

  /** `schema` undefined: the value has no schema, so all of its fields are unknown. */
  private value(value: JsonValue | undefined, schema: Structural | undefined): void {
    if (typeof value !== "object" || value === null) return
    const preserve = schema?.preserveUnknown === true
    if (Array.isArray(value)) this.items(value, schema, preserve)
    else if (schema === undefined) this.dropAll(value)
    else this.fields(value, schema, { embedded: schema.embedded, preserve })
  }

  fields(object: JsonObject, schema: Structural, at: { readonly embedded: boolean; readonly preserve: boolean }): void {
    const { properties, additionalProperties } = schema
    for (const name in object) {
      if (at.embedded && isMetaField(name)) continue
      const known = properties.get(name)
      if (known === undefined && additionalProperties === undefined) {
        if (!at.preserve) this.drop(object, name)
        continue
      }
      const value = object[name]
      if (typeof value !== "object" || value === null) continue
      this.enter(name)
      this.value(value, known ?? (additionalProperties === true ? undefined : additionalProperties))
      this.leave()
    }
  }

  /** If a list preserves unknown fields, its items do too, whatever their own schema says. */
  private items(list: readonly JsonValue[], schema: Structural | undefined, preserve: boolean): void {
    const item = schema?.items
    for (let index = 0; index < list.length; index++) {
      const value = list[index]
      if (typeof value !== "object" || value === null) continue
      this.enter(index)
      if (!preserve) this.value(value, item)
      else if (item !== undefined) this.preserved(value, item)
      this.leave()
    }
  }

  private preserved(value: JsonObject | JsonValue[], schema: Structural): void {
    if (Array.isArray(value)) this.items(value, schema, true)
    else this.fields(value, schema, { embedded: schema.embedded, preserve: true })
  }

  private dropAll(object: JsonObject): void {
    for (const name in object) this.drop(object, name)
  }

  private drop(object: JsonObject, name: string): void {
    if (this.unknown !== undefined && object[name] !== undefined) {
      this.steps.push(name)
      this.unknown.addSteps(this.steps)
      this.steps.pop()
    }
    delete object[name]
  }

  private enter(step: string | number): void {
    if (this.unknown !== undefined) this.steps.push(step)
  }

  private leave(): void {
    if (this.unknown !== undefined) this.steps.pop()
  }
}

/** Values without a schema keep their nulls. */
function dropNulls(value: JsonValue, schema: Structural, keep: boolean): void {
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return
    for (const item of value) if (typeof item === "object" && item !== null) dropNulls(item, items, keep)
  } else if (isObject(value)) {
    for (const name in value) {
      const field = value[name]
      if (typeof field !== "object") continue
      const known = schemaOfField(schema, name)
      if (known === undefined) continue
      if (field !== null) dropNulls(field, known, keep)
      else if (!known.nullable && known.default === undefined && !(keep && isChecked(known))) delete value[name]
    }
  }
}

/** Whether the schema makes validation refuse null. */
function isChecked({ type, intOrString, source }: Structural): boolean {
  return type !== undefined || intOrString || source.enum !== undefined
}
