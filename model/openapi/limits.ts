/**
 * The limits of values as OpenAPI 2.0 and 3.0 publish them. Only what both versions can say is published: limits on the
 * keys of maps, and on values whose schema is a reference, have no keyword.
 */
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import type { Constraints, FieldModel, TypeRefModel } from "../model.ts"

/** The limits of one value, of its parts not. */
export type ValueLimits = Constraints & Pick<FieldModel, "minItems" | "maxItems" | "minProperties" | "maxProperties">

/** Words of the dialect that are keywords of JSON Schema with the same meaning. */
const sameWord = [
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
] as const satisfies readonly (keyof ValueLimits)[]

/** Returns the keywords for the limits of one value. Called for each published field, list item and map value. */
export function limitSchema(limits: ValueLimits): JsonObject {
  const named = limits.format === undefined ? {} : formatSchema(limits.format)
  const bounds = Object.fromEntries(sameWord.flatMap((word) => (limits[word] === undefined ? [] : [[word, limits[word]] as const])))
  return {
    ...tightest(named, bounds),
    ...(limits.enum !== undefined && { enum: limits.enum.toSorted() }),
    ...(limits.pattern !== undefined && isPortable(limits.pattern) && { pattern: limits.pattern }),
  }
}

/** Formats that are ranges of numbers: a schema's format names the width of its number already. */
const ranges: ReadonlyMap<string, JsonObject> = new Map([
  ["port-number", { minimum: 1, maximum: 65535 }],
  ["user-id", { minimum: 0, maximum: 2147483647 }],
  ["group-id", { minimum: 0, maximum: 2147483647 }],
  ["file-mode", { minimum: 0, maximum: 511 }],
])

/** The name in the registry of formats where it has one for the same texts; else the dialect's own name. */
const registered: ReadonlyMap<string, string> = new Map([["base64", "byte"]])

/** Lengths that a format implies. */
const longest: ReadonlyMap<string, number> = new Map([
  ["dns-label", 63],
  ["dns1035-label", 63],
  ["dns-subdomain", 253],
  ["label-value", 63],
  ["port-name", 15],
])

function formatSchema(format: string): JsonObject {
  const range = ranges.get(format)
  if (range !== undefined) return range
  const maxLength = longest.get(format)
  return { format: registered.get(format) ?? format, ...(maxLength !== undefined && { maxLength }) }
}

/** Both sets of keywords, of a bound in both the one that allows less. */
function tightest(left: JsonObject, right: JsonObject): JsonObject {
  const both = Object.entries(right).map(([word, value]) => {
    const other = left[word]
    if (typeof other !== "number" || typeof value !== "number") return [word, value]
    return [word, word.startsWith("min") ? Math.max(value, other) : Math.min(value, other)]
  })
  return { ...left, ...Object.fromEntries(both) }
}

/** Patterns are RE2; those that ECMA-262 does not have, or reads otherwise, cannot be published. */
function isPortable(pattern: string): boolean {
  if (/\(\?(?![:=!])|\\[AzQEpPC]|\[\[:/.test(pattern)) return false
  try {
    return new RegExp(pattern, "u") instanceof RegExp
  } catch {
    return false
  }
}

/** Whether `value` keeps the published limits. Called with zero values before they are published as defaults. */
export function isWithin(value: JsonValue, schema: JsonObject): boolean {
  const { enum: words, minLength = 0, pattern, format } = schema
  if (Array.isArray(words) && !words.includes(value)) return false
  if (typeof value === "number") return isInRange(value, schema)
  if (typeof value !== "string") return true
  if ((format !== undefined && format !== "byte") || Number(minLength) > value.length) return false
  return typeof pattern !== "string" || new RegExp(pattern, "u").test(value)
}

function isInRange(value: number, { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: JsonObject): boolean {
  const isHigh = typeof minimum !== "number" || (exclusiveMinimum === true ? value > minimum : value >= minimum)
  const isLow = typeof maximum !== "number" || (exclusiveMaximum === true ? value < maximum : value <= maximum)
  return isHigh && isLow && (typeof multipleOf !== "number" || value % multipleOf === 0)
}

/**
 * Whether a field is published as required, which means in both directions: every answer holds it, and a write has to
 * state it. A write without it is refused, unless the schema says `required: published`: then the server adds the zero
 * value, as the built-in kinds do. `limited`: whether the limits of the field's type are published.
 */
export function isRequired(field: FieldModel, limited: boolean): boolean {
  return field.required !== false || (limited && field.nonEmpty && field.default === undefined)
}

/** Returns the keywords for a field's own value; of types without published limits only the enum. */
export function ownLimits(field: FieldModel, limited: boolean): JsonObject {
  const isScalar = "scalar" in field.type
  if (!limited) return isScalar && field.enum !== undefined ? limitSchema({ enum: field.enum }) : {}
  const { minItems, maxItems, minProperties, maxProperties } = field
  const stated = limitSchema(isScalar ? field : present({ minItems, maxItems, minProperties, maxProperties }))
  const isSet = field.listType === "set" || field.unique.some((names) => names.length === 0)
  return { ...tightest(stated, field.nonEmpty ? notEmpty(field.type) : {}), ...(isSet && { uniqueItems: true }) }
}

/** Returns the limits of a list's items or a map's values; of types without published limits only the enum. */
export function partLimits(field: FieldModel, limited: boolean): ValueLimits {
  const { enum: words, format, pattern, minimum, maximum, minLength, maxLength } = field
  const stated =
    "map" in field.type
      ? (field.values ?? {})
      : { ...present({ enum: words, format, pattern, minimum, maximum, minLength, maxLength }), ...field.items }
  return limited ? stated : present({ enum: field.items?.enum ?? field.values?.enum })
}

function notEmpty(type: TypeRefModel): JsonObject {
  if ("list" in type || "wrappedList" in type) return { minItems: 1 }
  if ("map" in type) return { minProperties: 1 }
  return "scalar" in type && type.scalar === "string" ? { minLength: 1 } : {}
}

function present<Value extends object>(value: Value): { [Key in keyof Value]?: Exclude<Value[Key], undefined> }
function present(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined))
}
