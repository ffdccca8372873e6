/**
 * Types of expressions from schemas. Each type has the largest size of its values in one request: parts without a limit
 * are limited by the request size, and the resulting costs decide whether rules are accepted.
 */
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  type Field,
  intType,
  listType,
  lazyObjectType,
  mapType,
  stringType,
  timestampType,
} from "../types/type.ts"
import { escapeName } from "./escape.ts"
import { type Schema, withResourceFields } from "./schema.ts"

/** A type, and the fewest bytes that a value of it takes as JSON. */
export interface DeclaredType {
  readonly type: CelType
  readonly minSerializedSize: number
}

/** The largest request, in bytes. */
const requestBytesMax = 3 * 1024 * 1024
const quotes = 2
const brackets = 2
const timeTextMax = 32
const dateTextMax = 12

const sizes = { text: 2, bool: 4, number: 1, duration: 3, date: 12, dateTime: 21, list: 2, map: 2, object: 2 }

/**
 * The type of the values of a schema; undefined when expressions cannot see them. `name` names object types; types of
 * inner objects derive their names from it: `selfType.spec`. `root`: the schema describes a whole resource. The types
 * of an object's fields are made when first read: the work is proportional to the fields that expressions use.
 */
export function declaredType(schema: Schema, name: string, root = false): DeclaredType | undefined {
  if (schema.intOrString) return { type: sized(dynType, requestBytesMax - quotes), minSerializedSize: sizes.number }
  const whole = root ? withResourceFields(schema) : schema
  switch (whole.type) {
    case "array":
      return declaredList(whole, name)
    case "object":
      return typeof whole.additionalProperties === "object"
        ? declaredMap(whole, whole.additionalProperties, name)
        : declaredObject(whole, name)
    case "string":
      return declaredText(whole)
    case "boolean":
      return { type: boolType, minSerializedSize: sizes.bool }
    case "number":
      return { type: doubleType, minSerializedSize: sizes.number }
    case "integer":
      return { type: intType, minSerializedSize: sizes.number }
    default:
      return undefined
  }
}

function sized(type: CelType, maxElements: number): CelType {
  return { ...type, maxElements: BigInt(maxElements) }
}

/** A limit that the schema states. */
function limitOf(schema: Schema, keyword: "maxItems" | "maxLength" | "maxProperties"): number | undefined {
  const limit = schema.source[keyword]
  const number = typeof limit === "number" || typeof limit === "bigint" ? Number(limit) : Number.NaN
  return Number.isFinite(number) ? Math.max(Math.trunc(number), 0) : undefined
}

function declaredList(schema: Schema, name: string): DeclaredType | undefined {
  if (schema.items === undefined) return undefined
  const items = declaredType(schema.items, `${name}.@idx`, schema.items.embedded)
  if (items === undefined) return undefined
  const most = Math.trunc((requestBytesMax - brackets) / (items.minSerializedSize + 1))
  return {
    type: sized(listType(items.type), limitOf(schema, "maxItems") ?? most),
    minSerializedSize: sizes.list,
  }
}

/** Two quotes of the key, colon, comma, and two bytes more. */
const entryBytes = 6

function declaredMap(schema: Schema, values: Schema, name: string): DeclaredType | undefined {
  const declared = declaredType(values, `${name}.@elem`, values.embedded)
  if (declared === undefined) return undefined
  const most = Math.trunc((requestBytesMax - brackets) / (declared.minSerializedSize + entryBytes))
  return {
    type: sized(mapType(stringType, declared.type), limitOf(schema, "maxProperties") ?? most),
    minSerializedSize: sizes.map,
  }
}

/** Two quotes of the name, colon and comma. */
const fieldBytes = 4

function declaredObject(schema: Schema, name: string): DeclaredType {
  return { type: lazyObjectType(name, () => fieldsOf(schema, name)), minSerializedSize: objectSize(schema) }
}

function fieldsOf({ properties }: Schema, name: string): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>()
  for (const [property, child] of properties) {
    const escaped = escapeName(property)
    if (escaped === undefined) continue
    const declared = declaredType(child, `${name}.${escaped}`, child.embedded)
    if (declared !== undefined) fields.set(escaped, { property, type: declared.type })
  }
  return fields
}

/** Caches sizes: the size of an object needs the sizes of its required fields, and so on through all levels. */
const objectSizes = new WeakMap<Schema, number>()

/** The fewest bytes of an object with its required fields. Fields with a default may be left out. */
function objectSize(schema: Schema): number {
  const known = objectSizes.get(schema)
  if (known !== undefined) return known
  let size = sizes.object
  const { required } = schema.source
  for (const property of new Set(Array.isArray(required) ? required : [])) {
    const child = typeof property === "string" ? schema.properties.get(property) : undefined
    if (typeof property !== "string" || child === undefined || (child.source.default ?? null) !== null) continue
    const declared = declaredType(child, "", child.embedded)
    if (declared !== undefined) size += Buffer.byteLength(property) + declared.minSerializedSize + fieldBytes
  }
  objectSizes.set(schema, size)
  return size
}

function declaredText(schema: Schema): DeclaredType {
  const limit = limitOf(schema, "maxLength")
  switch (schema.source.format) {
    case "byte":
      return { type: sized(bytesType, limit ?? requestBytesMax - quotes), minSerializedSize: sizes.text }
    case "duration":
      return { type: sized(durationType, timeTextMax), minSerializedSize: sizes.duration }
    case "date":
      return { type: sized(timestampType, dateTextMax), minSerializedSize: sizes.date }
    case "date-time":
      return { type: sized(timestampType, timeTextMax), minSerializedSize: sizes.dateTime }
    default:
      return { type: sized(stringType, textMax(schema, limit)), minSerializedSize: sizes.text }
  }
}

/** A character takes up to four bytes. */
const characterBytesMax = 4

function textMax(schema: Schema, limit: number | undefined): number {
  if (limit !== undefined) return limit * characterBytesMax
  const choices = schema.source.enum
  if (!Array.isArray(choices) || choices.length === 0) return requestBytesMax - quotes
  return Math.max(0, ...choices.map((choice) => (typeof choice === "string" ? Buffer.byteLength(choice) : 0)))
}

/** How many values of at least this size fit in one request, if lists and maps without limits hold them. */
export function maxCardinality(minSerializedSize: number): number {
  return Math.trunc(requestBytesMax / (minSerializedSize + 1))
}
