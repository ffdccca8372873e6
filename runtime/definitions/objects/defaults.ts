/**
 * Defaults of custom objects. Rules are those of apiextensions-apiserver (pkg/apiserver/schema/defaulting): a default
 * fills an absent field, and a null one that is not nullable; defaults inside of what a default has brought apply too.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { deepClone } from "../../encoding/field-path.ts"
import { setField } from "../../encoding/json/text.ts"
import type { Structural } from "../structural.ts"

/** The part of a schema that has defaults. */
interface DefaultPlan {
  readonly fields: readonly DefaultedField[]
  /** By name: the types of fields that have defaults inside. */
  readonly inside: ReadonlyMap<string, DefaultPlan>
  /** Names of the schema; all others are additional properties. Only used with `values`. */
  readonly names: ReadonlySet<string>
  readonly values: DefaultedEntry | undefined
  readonly items: DefaultedEntry | undefined
}

interface DefaultedField {
  readonly name: string
  readonly value: JsonValue
  readonly nullable: boolean
}

/** Items of a list or values of a map: `value` replaces null. */
interface DefaultedEntry {
  readonly value: JsonValue | undefined
  readonly inside: DefaultPlan | undefined
}

const plans = new WeakMap<Structural, { readonly plan: DefaultPlan | undefined }>()

/**
 * Applies the defaults of a schema in place; idempotent. Called after `pruneObject`: for requests, for stored objects
 * and for results of patches and conversions. Parts of the schema without defaults cost nothing.
 */
export function defaultObject(object: JsonObject, schema: Structural): void {
  const plan = planOf(schema)
  if (plan !== undefined) fill(object, plan)
}

function planOf(schema: Structural): DefaultPlan | undefined {
  const known = plans.get(schema)
  if (known !== undefined) return known.plan
  const plan = makePlan(schema)
  plans.set(schema, { plan })
  return plan
}

/** Undefined where nothing has a default. */
function makePlan(schema: Structural): DefaultPlan | undefined {
  const fields: DefaultedField[] = []
  const inside = new Map<string, DefaultPlan>()
  for (const [name, field] of schema.properties) {
    const value = defaultOf(field)
    if (value !== undefined) fields.push({ name, value, nullable: field.nullable })
    const plan = planOf(field)
    if (plan !== undefined) inside.set(name, plan)
  }
  const { additionalProperties } = schema
  const values = additionalProperties === true ? undefined : entryOf(additionalProperties)
  const items = entryOf(schema.items)
  if (fields.length === 0 && inside.size === 0 && values === undefined && items === undefined) return undefined
  return { fields, inside, names: new Set(schema.properties.keys()), values, items }
}

function entryOf(schema: Structural | undefined): DefaultedEntry | undefined {
  if (schema === undefined) return undefined
  const value = schema.nullable ? undefined : defaultOf(schema)
  const inside = planOf(schema)
  return value === undefined && inside === undefined ? undefined : { value, inside }
}

/** A default of null fills nothing. */
function defaultOf(schema: Structural): JsonValue | undefined {
  return schema.default ?? undefined
}

function fill(value: JsonValue, plan: DefaultPlan): void {
  if (Array.isArray(value)) {
    if (plan.items !== undefined) fillItems(value, plan.items)
  } else if (isObject(value)) {
    fillFields(value, plan)
    if (plan.values !== undefined) fillValues(value, plan.values, plan.names)
  }
}

function fillFields(object: JsonObject, { fields, inside }: DefaultPlan): void {
  for (const { name, value, nullable } of fields) {
    const present = Object.hasOwn(object, name) ? object[name] : undefined
    if (present === undefined || (present === null && !nullable)) setField(object, name, deepClone(value))
  }
  for (const [name, plan] of inside) {
    if (!Object.hasOwn(object, name)) continue
    const field = object[name]
    if (typeof field === "object" && field !== null) fill(field, plan)
  }
}

function fillValues(object: JsonObject, entry: DefaultedEntry, names: ReadonlySet<string>): void {
  for (const name in object) {
    if (names.has(name)) continue
    const present = object[name]
    if (typeof present !== "object") continue
    const value = present ?? withDefault(entry)
    if (present === null && value !== null) setField(object, name, value)
    if (value !== null && entry.inside !== undefined) fill(value, entry.inside)
  }
}

function fillItems(list: JsonValue[], entry: DefaultedEntry): void {
  for (let index = 0; index < list.length; index++) {
    const present = list[index]
    if (typeof present !== "object") continue
    const value = present ?? withDefault(entry)
    if (present === null) list[index] = value
    if (value !== null && entry.inside !== undefined) fill(value, entry.inside)
  }
}

function withDefault({ value }: DefaultedEntry): JsonValue {
  return value === undefined ? null : deepClone(value)
}
