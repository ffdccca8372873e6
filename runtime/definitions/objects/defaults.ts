/**
 * Defaults of custom objects. Rules are as in apiextensions-apiserver (pkg/apiserver/schema/defaulting): a default
 * fills an absent field, and a null one that is not nullable; defaults inside of an added default apply too.
 */
import { tooLarge } from "../../base/errors.ts"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { messageCharactersMax } from "../../base/limits.ts"
import { cut } from "../../base/quote.ts"
import { deepClone } from "../../encoding/field-path.ts"
import { setField } from "../../encoding/json/text.ts"
import { defaultedCharactersMax, defaultedValuesMax } from "../limits.ts"
import type { Structural } from "../structural.ts"

/** The part of a schema with defaults. */
interface DefaultPlan {
  readonly fields: readonly DefaultedField[]
  /** Plans of fields that have defaults inside, by name. */
  readonly inside: ReadonlyMap<string, DefaultPlan>
  /** Names in the schema; all others are additional properties. Only used with `values`. */
  readonly names: ReadonlySet<string>
  readonly values: DefaultedEntry | undefined
  readonly items: DefaultedEntry | undefined
}

interface DefaultedField {
  readonly name: string
  readonly byDefault: Default
  readonly nullable: boolean
}

/** A default and the size that it adds to an object. */
interface Default {
  readonly value: JsonValue
  readonly values: number
  readonly characters: number
}

/** Items of a list or values of a map: `byDefault` replaces null. */
interface DefaultedEntry {
  readonly byDefault: Default | undefined
  readonly inside: DefaultPlan | undefined
}

const plans = new WeakMap<Structural, { readonly plan: DefaultPlan | undefined }>()

export interface DefaultOptions {
  /** The object comes from the store: it must stay readable, so excess defaults are omitted. */
  readonly stored?: boolean
  /** Called with the approximate characters of JSON that defaults have added, if any. */
  readonly added?: ((characters: number) => void) | undefined
}

/**
 * Applies the defaults of a schema in place; idempotent. Called after `pruneObject`: for requests, for stored objects
 * and for results of patches and conversions. Parts of the schema without defaults cost nothing. Throws 413 when the
 * defaults exceed `defaultedValuesMax` or `defaultedCharactersMax`: lists multiply the defaults of their items, so a
 * small object could become larger than memory.
 */
export function defaultObject(object: JsonObject, schema: Structural, { stored = false, added }: DefaultOptions = {}): void {
  const plan = planOf(schema)
  if (plan === undefined) return
  const filling = new Filling()
  filling.fill(object, plan)
  if (filling.isOver && !stored) throw tooLarge(`Request entity too large: ${filling.excess()}`)
  if (filling.addedCharacters > 0) added?.(filling.addedCharacters)
}

function planOf(schema: Structural): DefaultPlan | undefined {
  const known = plans.get(schema)
  if (known !== undefined) return known.plan
  const plan = makePlan(schema)
  plans.set(schema, { plan })
  return plan
}

/** Undefined for a schema without defaults. */
function makePlan(schema: Structural): DefaultPlan | undefined {
  const fields: DefaultedField[] = []
  const inside = new Map<string, DefaultPlan>()
  for (const [name, field] of schema.properties) {
    const byDefault = defaultOf(field)
    if (byDefault !== undefined) fields.push({ name, byDefault, nullable: field.nullable })
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
  const byDefault = schema.nullable ? undefined : defaultOf(schema)
  const inside = planOf(schema)
  return byDefault === undefined && inside === undefined ? undefined : { byDefault, inside }
}

/** A default of null is ignored. */
function defaultOf({ default: value }: Structural): Default | undefined {
  if (value === undefined || value === null) return undefined
  const size = { values: 0, characters: 0 }
  measure(value, size)
  return { value, ...size }
}

/** Adds the size of a value, in values and approximate characters of JSON. */
function measure(value: JsonValue, size: { values: number; characters: number }): void {
  size.values++
  size.characters += typeof value === "string" ? value.length + 3 : typeof value === "object" ? 3 : String(value).length + 1
  if (Array.isArray(value)) for (const item of value) measure(item, size)
  else if (isObject(value)) {
    for (const name in value) {
      size.characters += name.length + 3
      measure(value[name] ?? null, size)
    }
  }
}

/** Fills one object, until its defaults exceed a limit. */
class Filling {
  /** A limit was exceeded; no more defaults are added. */
  isOver = false
  private valuesLeft = defaultedValuesMax
  private charactersLeft = defaultedCharactersMax
  /** The path to the current value; once filling is over, to the excess default. */
  private readonly steps: (string | number)[] = []

  fill(value: JsonValue, plan: DefaultPlan): void {
    if (Array.isArray(value)) {
      if (plan.items !== undefined) this.items(value, plan.items)
    } else if (isObject(value)) {
      this.fields(value, plan)
      if (plan.values !== undefined) this.values(value, plan.values, plan.names)
    }
  }

  get addedCharacters(): number {
    return defaultedCharactersMax - this.charactersLeft
  }

  /** Says which limit was exceeded, and where. */
  excess(): string {
    const what = this.valuesLeft < 0 ? `${defaultedValuesMax} values` : `${defaultedCharactersMax} characters`
    return `the defaults of the schema add more than ${what} to the object, at ${this.path()}; send fewer items, or values for their fields`
  }

  private path(): string {
    let text = ""
    for (const step of this.steps) {
      if (text.length > messageCharactersMax) break
      text += typeof step === "number" ? `[${step}]` : text === "" ? step : `.${step}`
    }
    return cut(text)
  }

  private fields(object: JsonObject, { fields, inside }: DefaultPlan): void {
    for (const { name, byDefault, nullable } of fields) {
      const present = Object.hasOwn(object, name) ? object[name] : undefined
      if (present !== undefined && (present !== null || nullable)) continue
      const value = this.take(byDefault, name)
      if (value === undefined) return
      setField(object, name, value)
    }
    for (const [name, plan] of inside) {
      if (!Object.hasOwn(object, name)) continue
      const field = object[name]
      if (typeof field === "object" && field !== null && !this.inside(field, plan, name)) return
    }
  }

  private values(object: JsonObject, entry: DefaultedEntry, names: ReadonlySet<string>): void {
    for (const name in object) {
      if (names.has(name)) continue
      const value = this.entry(object[name], entry, name)
      if (this.isOver) return
      if (value !== undefined) setField(object, name, value)
    }
  }

  private items(list: JsonValue[], entry: DefaultedEntry): void {
    for (let index = 0; index < list.length; index++) {
      const value = this.entry(list[index], entry, index)
      if (this.isOver) return
      if (value !== undefined) list[index] = value
    }
  }

  /** Fills an item of a list or a value of a map. Returns the default that replaces it, if any. */
  private entry(present: JsonValue | undefined, { byDefault, inside }: DefaultedEntry, step: string | number): JsonValue | undefined {
    if (typeof present !== "object") return undefined
    const added = present === null && byDefault !== undefined ? this.take(byDefault, step) : undefined
    const value = present ?? added
    if (value !== undefined && inside !== undefined && !this.isOver) this.inside(value, inside, step)
    return added
  }

  /** Returns false once filling is over. */
  private inside(value: JsonValue, plan: DefaultPlan, step: string | number): boolean {
    this.steps.push(step)
    this.fill(value, plan)
    if (!this.isOver) this.steps.pop()
    return !this.isOver
  }

  /** A copy of a default; undefined if it exceeds a limit. */
  private take({ value, values, characters }: Default, step: string | number): JsonValue | undefined {
    this.valuesLeft -= values
    this.charactersLeft -= characters
    if (this.valuesLeft >= 0 && this.charactersLeft >= 0) return deepClone(value)
    this.isOver = true
    this.steps.push(step)
    return undefined
  }
}
