/**
 * The limits of values as OpenAPI 2.0 and 3.0 publish them: keywords of the table of constraints, and keywords for
 * other facts that a schema states about a value.
 */
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import { bothSchemas, limitFaults, type Limits } from "../../runtime/schema/constraints.ts"
import type { FieldModel, TypeRefModel } from "../model.ts"
import { isEmptyBesideEnum } from "../presence.ts"

/** Returns the limits that documents publish; for types without published limits, only the enums. */
export function publishedLimits(limits: Limits, limited: boolean): Limits {
  const { enum: own, publishedEnum: stated, items, values, ...others } = limits
  const words = stated === undefined ? own : stated.length === 0 ? undefined : stated
  return {
    ...(limited && others),
    ...(words !== undefined && { enum: words }),
    ...(items !== undefined && { items: publishedLimits(items, limited) }),
    ...(values !== undefined && { values: publishedLimits(values, limited) }),
  }
}

/**
 * Returns the schema of a field's value, with keywords for non-empty values and for unique items. Called for fields of
 * types whose limits are published.
 */
export function fieldSchema(field: FieldModel, schema: JsonObject): JsonObject {
  const isSet = field.distinct?.length === 0 || field.unique.some((names) => names.length === 0)
  const words = schema["enum"]
  return {
    ...(field.nonEmpty ? bothSchemas(schema, notEmpty(field.type)) : schema),
    ...(Array.isArray(words) && isEmptyBesideEnum(field) && field.default === undefined && { enum: withEmpty(words) }),
    ...(isSet && { uniqueItems: true }),
  }
}

/** Adds the empty text, which answers hold where no value was set: the enum does not forbid it. */
function withEmpty(words: readonly JsonValue[]): JsonValue[] {
  return words.includes("") ? [...words] : ["", ...words]
}

function notEmpty(type: TypeRefModel): JsonObject {
  if ("list" in type || "wrappedList" in type) return { minItems: 1 }
  if ("map" in type) return { minProperties: 1 }
  return "scalar" in type && type.scalar === "string" ? { minLength: 1 } : {}
}

const zeroes: Readonly<Record<string, JsonValue>> = { string: "", boolean: false, int32: 0, int64: 0, double: 0 }

/** Returns the zero value of a scalar type; undefined for others. */
export function zeroOf(type: TypeRefModel): JsonValue | undefined {
  return "scalar" in type ? zeroes[type.scalar] : undefined
}

/**
 * Returns the zero value of a type, unless the limits exclude it: client generators emit code for a default, which
 * would not compile.
 */
export function zeroWithin(type: TypeRefModel, limits: Limits & Partial<Pick<FieldModel, "nonEmpty">>): JsonValue | undefined {
  const zero = zeroOf(type)
  return zero === undefined || (limits.nonEmpty === true && zero === "") || limitFaults(limits, zero).length > 0 ? undefined : zero
}
