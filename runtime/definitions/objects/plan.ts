/**
 * A schema compiled for validation. Limits are read once, and the schemas of fields are compiled on first use, so that
 * an unused definition needs little memory.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import type { Structural } from "../structural.ts"
import { formatTest } from "./formats.ts"

/** The schema of one value. */
export interface Plan {
  /** The types that a value may have; empty: any. */
  readonly types: readonly string[]
  readonly nullable: boolean
  /** A format that the reference checks; "" for none. */
  readonly format: string
  readonly isFormat: ((text: string) => boolean) | undefined
  readonly text: TextLimits | undefined
  readonly number: NumberLimits | undefined
  readonly list: ListLimits | undefined
  readonly object: ObjectLimits | undefined
  readonly enumeration: readonly JsonValue[] | undefined
  readonly junctors: Junctors | undefined
}

export interface TextLimits {
  readonly maxLength: number | undefined
  readonly minLength: number | undefined
  /** An RE2 pattern; "" for none. */
  readonly pattern: string
}

export interface NumberLimits {
  readonly multipleOf: number | undefined
  readonly maximum: number | undefined
  readonly exclusiveMaximum: boolean
  readonly minimum: number | undefined
  readonly exclusiveMinimum: boolean
}

export interface ListLimits {
  readonly item: (() => Plan) | undefined
  readonly minItems: number | undefined
  readonly maxItems: number | undefined
}

export interface ObjectLimits {
  readonly minProperties: number | undefined
  readonly maxProperties: number | undefined
  readonly required: readonly string[]
  readonly fields: ReadonlyMap<string, () => Plan>
  /** Plan of fields that have no plan of their own. */
  readonly values: (() => Plan) | undefined
}

export interface Junctors {
  readonly anyOf: readonly Plan[]
  readonly oneOf: readonly Plan[]
  readonly allOf: readonly Plan[]
  readonly not: Plan | undefined
}

const plans = new WeakMap<Structural, Plan>()

/** The plan of a schema; compiled by the first call. */
export function planOf(schema: Structural): Plan {
  const known = plans.get(schema)
  if (known !== undefined) return known
  const plan = makePlan(schema.source, partsOf(schema))
  plans.set(schema, plan)
  return plan
}

/** Parts of a schema: from the record of a structural one, or from the source of one in a junctor. */
interface Parts {
  readonly types: readonly string[]
  readonly nullable: boolean
  readonly fields: ReadonlyMap<string, () => Plan>
  readonly values: (() => Plan) | undefined
  readonly item: (() => Plan) | undefined
}

function partsOf({ type, intOrString, nullable, properties, additionalProperties, items }: Structural): Parts {
  return {
    types: intOrString ? ["integer", "string"] : type === undefined ? [] : [type],
    nullable,
    fields: new Map([...properties].map(([name, field]) => [name, once(() => planOf(field))])),
    values: additionalProperties === undefined || additionalProperties === true ? undefined : once(() => planOf(additionalProperties)),
    item: items === undefined ? undefined : once(() => planOf(items)),
  }
}

/** Within a junctor there are no types, except for int-or-string, and no additional properties. */
function nestedPlan(source: JsonObject): Plan {
  const { type, properties, items, nullable } = source
  return makePlan(source, {
    types: typeof type === "string" ? [type] : [],
    nullable: nullable === true,
    fields: new Map(
      Object.entries(isObject(properties) ? properties : {}).flatMap(([name, field]) =>
        isObject(field) ? [[name, once(() => nestedPlan(field))] as const] : [],
      ),
    ),
    values: undefined,
    item: isObject(items) ? once(() => nestedPlan(items)) : undefined,
  })
}

function once(make: () => Plan): () => Plan {
  let made: Plan | undefined
  return () => {
    made ??= make()
    return made
  }
}

function makePlan(source: JsonObject, { types, nullable, fields, values, item }: Parts): Plan {
  const { enum: listed } = source
  const isFormat = typeof source.format === "string" ? formatTest(source.format) : undefined
  return {
    types,
    nullable,
    format: isFormat === undefined ? "" : String(source.format),
    isFormat,
    text: textLimits(source),
    number: numberLimits(source),
    list: listLimits(source, item),
    object: objectLimits(source, fields, values),
    enumeration: Array.isArray(listed) && listed.length > 0 ? listed : undefined,
    junctors: junctorsOf(source),
  }
}

function textLimits(source: JsonObject): TextLimits | undefined {
  const maxLength = numberOf(source.maxLength)
  const minLength = numberOf(source.minLength)
  const pattern = typeof source.pattern === "string" ? source.pattern : ""
  return maxLength === undefined && minLength === undefined && pattern === "" ? undefined : { maxLength, minLength, pattern }
}

function numberLimits(source: JsonObject): NumberLimits | undefined {
  const multipleOf = numberOf(source.multipleOf)
  const maximum = numberOf(source.maximum)
  const minimum = numberOf(source.minimum)
  if (multipleOf === undefined && maximum === undefined && minimum === undefined) return undefined
  const { exclusiveMaximum, exclusiveMinimum } = source
  return { multipleOf, maximum, exclusiveMaximum: exclusiveMaximum === true, minimum, exclusiveMinimum: exclusiveMinimum === true }
}

function listLimits(source: JsonObject, item: Parts["item"]): ListLimits | undefined {
  const minItems = numberOf(source.minItems)
  const maxItems = numberOf(source.maxItems)
  return item === undefined && minItems === undefined && maxItems === undefined ? undefined : { item, minItems, maxItems }
}

function objectLimits(source: JsonObject, fields: Parts["fields"], values: Parts["values"]): ObjectLimits | undefined {
  const minProperties = numberOf(source.minProperties)
  const maxProperties = numberOf(source.maxProperties)
  const required = Array.isArray(source.required) ? source.required.filter((name) => typeof name === "string") : []
  const isFree = fields.size === 0 && values === undefined && required.length === 0
  if (isFree && minProperties === undefined && maxProperties === undefined) return undefined
  return { minProperties, maxProperties, required, fields, values }
}

function junctorsOf(source: JsonObject): Junctors | undefined {
  const [anyOf, oneOf, allOf] = [source.anyOf, source.oneOf, source.allOf].map(plansOf)
  const not = isObject(source.not) ? nestedPlan(source.not) : undefined
  if (anyOf === undefined || oneOf === undefined || allOf === undefined) return undefined
  if (anyOf.length + oneOf.length + allOf.length === 0 && not === undefined) return undefined
  return { anyOf, oneOf, allOf, not }
}

function plansOf(schemas: JsonValue | undefined): readonly Plan[] {
  return Array.isArray(schemas) ? schemas.filter(isObject).map(nestedPlan) : []
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined
}
