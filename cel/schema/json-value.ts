/**
 * Values of expressions from JSON, by the schema. Values are converted when they are read: a rule about one field of a
 * large object pays for that field alone.
 */
import { isObject, type JsonValue } from "../../runtime/base/json.ts"
import { errorOf } from "../values/error.ts"
import { intOf } from "../values/number.ts"
import { Double, type ErrorValue, type Result, type Value } from "../values/value.ts"
import { JsonList, JsonMapList, JsonSetList } from "./json-list.ts"
import { JsonMap, JsonObjectValue } from "./json-map.ts"
import type { FieldReader, Reader } from "./reader.ts"
import { escapeName } from "./escape.ts"
import { type Schema, withResourceFields } from "./schema.ts"
import { readDate, readDateTime, readDuration } from "./time-text.ts"
import { UnknownValue } from "./unknown-value.ts"

const readers = new WeakMap<Schema, Reader>()

/** The reader of a schema's values. It is made once for a schema, and remembered with it. */
export function readerOf(schema: Schema): Reader {
  const known = readers.get(schema)
  if (known !== undefined) return known
  const reader = nullable(schema, makeReader(schema))
  readers.set(schema, reader)
  return reader
}

/** The reader of whole resources: apiVersion, kind, and the name in metadata can be read too. */
export function resourceReaderOf(schema: Schema): Reader {
  return nullable(schema, objectReader(withResourceFields(schema)))
}

/**
 * JSON without its schema: formatted texts stay texts, numbers without a fraction are ints, lists have an order, and
 * fields have their own names. The reference reads the value of an optional variable this way.
 */
export function readPlain(json: JsonValue): Result {
  if (Array.isArray(json)) return new JsonList(json, readPlain)
  if (isObject(json)) return new JsonMap(json, readPlain)
  if (!isNumber(json)) return json
  return isInteger(json) ? integer(json) : new Double(json)
}

function nullable(schema: Schema, read: Reader): Reader {
  const onNull = schema.nullable ? null : errorOf("invalid data, got null for schema with nullable=false")
  return (json) => (json === null ? onNull : read(json))
}

function makeReader(schema: Schema): Reader {
  if (schema.intOrString) return readIntOrString
  switch (schema.type) {
    case "object":
      return objectReader(schema)
    case "array":
      return listReader(schema)
    case "string":
      return textReaders.get(schema.source.format) ?? readText
    case "number":
      return (json) => (isNumber(json) ? new Double(Number(json)) : unexpected("float", json))
    case "integer":
      return (json) => (isInteger(json) ? integer(json) : unexpected("int", json))
    case "boolean":
      return (json) => (typeof json === "boolean" ? json : unexpected("bool", json))
    default:
      return (json) => new UnknownValue(json)
  }
}

function unexpected(expected: string, json: JsonValue): ErrorValue {
  return errorOf(`invalid data, expected ${expected}, got ${goTypeOf(json)}`)
}

/** Types have Go's names, as in the reference. */
function goTypeOf(json: JsonValue): string {
  if (typeof json === "string") return "string"
  if (typeof json === "boolean") return "bool"
  if (Array.isArray(json)) return "[]interface {}"
  if (isNumber(json)) return isInteger(json) ? "int64" : "float64"
  return "map[string]interface {}"
}

function isNumber(json: JsonValue): json is number | bigint {
  return typeof json === "number" || typeof json === "bigint"
}

function isInteger(json: JsonValue): json is number | bigint {
  return typeof json === "bigint" || Number.isInteger(json)
}

function integer(json: number | bigint): Value {
  return typeof json === "number" && Number.isSafeInteger(json) ? json + 0 : intOf(BigInt(json))
}

function readIntOrString(json: JsonValue): Result {
  if (typeof json === "string") return json
  if (isInteger(json)) return integer(json)
  return errorOf("invalid data, expected XIntOrString value to be either a string or integer")
}

function readText(json: JsonValue): Result {
  return typeof json === "string" ? json : unexpected("string", json)
}

/** A reader of texts of a format. `read` makes the value, or returns undefined for an invalid text. */
function formatted(read: (text: string) => Value | undefined, fault: (text: string) => string): Reader {
  return (json) => (typeof json === "string" ? (read(json) ?? errorOf(fault(json))) : unexpected("string", json))
}

const textReaders: ReadonlyMap<JsonValue | undefined, Reader> = new Map([
  ["date-time", formatted(readDateTime, (text) => `Invalid date-time formatted string ${text}`)],
  ["date", formatted(readDate, (text) => `Invalid date formatted string ${text}`)],
  ["duration", formatted(readDuration, (text) => `Invalid duration ${text}: unable to parse ${text} as duration`)],
  ["byte", formatted(readBytes, (text) => `Invalid byte formatted string ${text}`)],
])

/** URL-safe, padded Base64: the only form that the reference reads when it evaluates rules. */
function readBytes(text: string): Value | undefined {
  const plain = text.replace(/[\r\n]/g, "")
  if (!/^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2}==|[A-Za-z0-9_-]{3}=)?$/.test(plain)) return undefined
  return new Uint8Array(Buffer.from(plain, "base64url"))
}

function objectReader(schema: Schema): Reader {
  const whole = schema.embedded ? withResourceFields(schema) : schema
  if (whole.properties.size === 0 && typeof whole.additionalProperties === "object") {
    const values = whole.additionalProperties
    let read: Reader | undefined
    return (json) => {
      read ??= readerOf(values)
      return isObject(json) ? new JsonMap(json, read) : notA("a map", "object")
    }
  }
  let fields: ReadonlyMap<string, FieldReader> | undefined
  return (json) => {
    fields ??= fieldsOf(whole)
    return isObject(json) ? new JsonObjectValue(json, fields) : notA("a map", "object")
  }
}

function notA(expected: string, type: string): ErrorValue {
  return errorOf(`invalid data, expected ${expected} for the provided schema with type=${type}`)
}

/** Fields by the names that expressions use. A property without such a name keeps its own, so that it is compared. */
function fieldsOf(schema: Schema): ReadonlyMap<string, FieldReader> {
  return new Map([...schema.properties].map(([property, child]) => [escapeName(property) ?? property, { property, read: readerOf(child) }]))
}

function listReader(schema: Schema): Reader {
  const { items, listType, listMapKeys } = schema
  if (items === undefined) return () => errorOf("invalid array type, expected Items with a non-empty Schema")
  let read: Reader | undefined
  return (json) => {
    if (!Array.isArray(json)) return notA("an array", "array")
    read ??= readerOf(items)
    if (listType === "map") return new JsonMapList(json, read, listMapKeys)
    return listType === "set" ? new JsonSetList(json, read) : new JsonList(json, read)
  }
}
