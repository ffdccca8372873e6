/**
 * Types of custom objects in expressions, with the bounds on their sizes that estimates of costs need. A part of a
 * schema without a type, because unknown fields are preserved there, is not visible to expressions.
 */
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
} from "../../../cel/index.ts"
import type { JsonValue } from "../../base/json.ts"
import type { Structural } from "../structural.ts"
import { escapeName } from "./escape.ts"
import { withTypeAndNames } from "./with-type.ts"

export interface DeclType {
  /** Objects within have no name yet: `celTypeOf` names them. */
  readonly kind: "object" | "list" | "map" | "scalar"
  /** Of scalars. */
  readonly scalar?: CelType
  /** Of objects, by the names that expressions use. */
  readonly fields?: ReadonlyMap<string, DeclType>
  /** Of lists and maps. */
  readonly element?: DeclType
  /** The largest size(); 0 where there is none. */
  readonly maxElements: bigint
  /** The bytes that the smallest value takes as JSON. */
  readonly minBytes: bigint
}

/** The bytes of the largest request, without the quotes or brackets around a value. */
const requestBytes = 3n * 1024n * 1024n
const contentBytes = requestBytes - 2n

const booleanDecl = scalar(boolType, 0n, 4n)
const numberDecl = scalar(doubleType, 0n, 1n)
const integerDecl = scalar(intType, 0n, 1n)
const intOrStringDecl = scalar(dynType, contentBytes, 1n)
/** Keys of maps. */
export const keyDecl: DeclType = scalar(stringType, 0n, 2n)

function scalar(type: CelType, maxElements: bigint, minBytes: bigint): DeclType {
  return { kind: "scalar", scalar: type, maxElements, minBytes }
}

/**
 * The type of a schema; undefined when expressions cannot see its values. `isResource`: the schema is that of a whole
 * resource, whose type and names are always visible.
 */
export function declTypeOf(schema: Structural, isResource: boolean): DeclType | undefined {
  if (schema.intOrString) return intOrStringDecl
  const complete = isResource ? withTypeAndNames(schema) : schema
  switch (complete.type) {
    case "array":
      return listDecl(complete)
    case "object":
      return typeof complete.additionalProperties === "object" ? mapDecl(complete, complete.additionalProperties) : objectDecl(complete)
    case "string":
      return textDecl(complete)
    case "boolean":
      return booleanDecl
    case "number":
      return numberDecl
    case "integer":
      return integerDecl
    default:
      return undefined
  }
}

function listDecl({ items, source }: Structural): DeclType | undefined {
  const element = items && declTypeOf(items, items.embedded)
  if (element === undefined) return undefined
  const maxElements = limit(source.maxItems) ?? contentBytes / (element.minBytes + 1n)
  return { kind: "list", element, maxElements, minBytes: 2n }
}

function mapDecl({ source }: Structural, values: Structural): DeclType | undefined {
  const element = declTypeOf(values, values.embedded)
  if (element === undefined) return undefined
  const maxElements = limit(source.maxProperties) ?? contentBytes / (element.minBytes + 6n)
  return { kind: "map", element, maxElements, minBytes: 2n }
}

function objectDecl({ properties, source }: Structural): DeclType {
  const required = new Set(Array.isArray(source.required) ? source.required : [])
  const fields = new Map<string, DeclType>()
  let minBytes = 2n
  for (const [name, property] of properties) {
    const field = declTypeOf(property, property.embedded)
    if (field === undefined) continue
    const escaped = escapeName(name)
    if (escaped !== undefined) fields.set(escaped, field)
    if (required.has(name) && (property.default ?? null) === null) minBytes += BigInt(Buffer.byteLength(name)) + field.minBytes + 4n
  }
  return { kind: "object", fields, maxElements: 0n, minBytes }
}

function textDecl({ source }: Structural): DeclType {
  const maxLength = limit(source.maxLength)
  switch (source.format) {
    case "byte":
      return scalar(bytesType, maxLength ?? contentBytes, 2n)
    case "duration":
      return scalar(durationType, 32n, 3n)
    case "date":
      return scalar(timestampType, 12n, 12n)
    case "date-time":
      return scalar(timestampType, 32n, 21n)
  }
  // A limit is in characters, of up to four bytes each.
  if (maxLength !== undefined) return scalar(stringType, BigInt.asIntN(64, maxLength * 4n), 2n)
  return scalar(stringType, longestOf(source.enum) ?? contentBytes, 2n)
}

function longestOf(values: JsonValue | undefined): bigint | undefined {
  if (!Array.isArray(values) || values.length === 0) return undefined
  let longest = 0
  for (const value of values) if (typeof value === "string") longest = Math.max(longest, Buffer.byteLength(value))
  return BigInt(longest)
}

function limit(value: JsonValue | undefined): bigint | undefined {
  if (typeof value !== "number" && typeof value !== "bigint") return undefined
  const integer = BigInt(typeof value === "number" ? Math.trunc(value) : value)
  return integer < 0n ? 0n : integer
}

/** The type in the form of the checker. `name`: of the object, and the beginning of the names of those within. */
export function celTypeOf(type: DeclType, name: string): CelType {
  const { kind, element, fields } = type
  if (kind === "list" && element !== undefined) return { ...listType(celTypeOf(element, `${name}.@idx`)), maxElements: type.maxElements }
  if (kind === "map" && element !== undefined) {
    return { ...mapType(stringType, celTypeOf(element, `${name}.@elem`)), maxElements: type.maxElements }
  }
  if (fields === undefined) return { ...(type.scalar ?? dynType), maxElements: type.maxElements }
  return objectType(name, new Map([...fields].map(([field, one]) => [field, { type: celTypeOf(one, `${name}.${field}`) }])))
}
