/** Values: from a structural schema to the type text of the dialect, its limits, and the fields of a struct. */
import { isObject, type JsonObject, type JsonValue } from "../../../runtime/base/json.ts"
import { intOrStringTypes, quantityPattern, rangeFormats, sameJson } from "../names.ts"
import { type Place, type SchemaContext, structName, type Value } from "./context.ts"
import { limitsOf } from "./limits.ts"
import { structKeywords } from "./structs.ts"
import type { Words } from "./words.ts"

/** Called for each field, item and map value. `isNullable`: null is one of the values. */
export function valueOf(words: Words, place: Place, context: SchemaContext, isNullable = false): Value {
  if (words.flag(words.extension("int-or-string"))) return intOrString(words, isNullable)
  const type = words.text("type")
  switch (type) {
    case "object":
      return objectValue(words, place, context, isNullable)
    case "array":
      return listValue(words, place, context, isNullable)
    case "string":
      return textValue(words, place, context, isNullable)
    case "integer":
    case "number":
      return numberValue(words, type, place, { context, isNullable })
    case "boolean":
      return { type: "boolean", limits: limitsOf(words, "boolean", isNullable) }
    default:
      return anyValue(words, isNullable)
  }
}

function anyValue(words: Words, isNullable: boolean): Value {
  if (!words.flag(words.extension("preserve-unknown-fields")))
    words.findings.lost(words.at, "a value without a type: any value is accepted and kept")
  return { type: "any", limits: limitsOf(words, undefined, isNullable) }
}

/** The junctor of types beside int-or-string adds nothing. */
function intOrString(words: Words, isNullable: boolean): Value {
  const { schema } = words
  const isTypes = (value: JsonValue | undefined): boolean => sameJson(value, [...intOrStringTypes])
  if (isTypes(schema.anyOf)) words.take("anyOf")
  const [first, ...others] = Array.isArray(schema.allOf) ? schema.allOf : []
  if (isObject(first) && others.length === 0 && Object.keys(first).length === 1 && isTypes(first.anyOf)) words.take("allOf")
  if (schema.format === "int-or-string") words.take("format")
  const limits = limitsOf(words, "IntOrString", isNullable)
  if (limits.pattern !== quantityPattern) return { type: "IntOrString", limits }
  for (const word of Object.keys(limits)) if (word !== "pattern") words.lost(word, `the dialect has no ${word} for a Quantity`)
  return { type: "Quantity", limits: {} }
}

function textValue(words: Words, { path }: Place, context: SchemaContext, isNullable: boolean): Value {
  const { format } = words.schema
  const isLimited = ["enum", "pattern", "minLength", "maxLength"].some((word) => words.schema[word] !== undefined)
  if (format === "byte") {
    words.take("format")
    return { type: "bytes", limits: limitsOf(words, "bytes", isNullable) }
  }
  const special = format === "date-time" || format === "datetime" ? "Time" : format === "duration" ? "Duration" : undefined
  if (special === undefined) return { type: "string", limits: limitsOf(words, "string", isNullable) }
  words.take("format")
  if (isLimited) {
    words.lost("format", `the dialect has no other limit beside a ${special}: the text is checked by the others alone`)
    return { type: "string", limits: limitsOf(words, "string", isNullable) }
  }
  context.canonical.push(path ?? words.at.slice(-1).join(""))
  return { type: special, limits: {} }
}

interface NumberContext {
  readonly context: SchemaContext
  readonly isNullable: boolean
}

function numberValue(words: Words, type: "integer" | "number", { path }: Place, { context, isNullable }: NumberContext): Value {
  const format = words.text("format")
  if (type === "number") {
    if (format === "float") words.findings.note([...words.at, "format"], "the number has the 64 bits of a double")
    return { type: "double", limits: limitsOf(words, "double", isNullable) }
  }
  const isRange = format !== undefined && rangeFormats.has(format)
  const isCount = path !== undefined && context.counts.has(path)
  if (isCount && format !== "int32") words.findings.note(words.at, "scale names the field: it has 32 bits")
  const width = format === "int32" || isCount ? "int32" : "int64"
  return { type: width, limits: { ...limitsOf(words, width, isNullable), ...(isRange && { format }) } }
}

function listValue(words: Words, place: Place, context: SchemaContext, isNullable: boolean): Value {
  const items = words.object("items")
  if (items === undefined) words.findings.lost(words.at, "a list without items: any item is accepted and kept")
  const inner = items === undefined ? undefined : partOf(words.inner(items, "items"), place, context)
  return {
    type: `[]${inner?.type ?? "any"}`,
    ...(inner?.struct !== undefined && { struct: inner.struct }),
    limits: { ...limitsOf(words, "list", isNullable), ...nested("items", inner) },
  }
}

function nested(word: "items" | "values", inner: Value | undefined): JsonObject {
  return inner === undefined || Object.keys(inner.limits).length === 0 ? {} : { [word]: inner.limits }
}

/** An item of a list or a value of a map: keywords that only fields have are lost. */
function partOf(words: Words, place: Place, context: SchemaContext): Value {
  const inner = valueOf(words, { ...place, path: undefined }, context, words.schema.nullable === true)
  if (words.flag("nullable")) words.lost("nullable", "null in a list or map is the zero value of its type")
  if (words.take("default") !== undefined && !isZero(words.schema.default))
    words.lost("default", "items and values of maps have no default")
  for (const name of ["list-type", "map-type"]) {
    const word = words.extension(name)
    const how = words.take(word)
    const isUsual = how === undefined || how === (name === "map-type" ? "granular" : "atomic")
    if (!isUsual) words.lost(word, "what is in a list or map is merged in the usual way")
  }
  if (words.schema[words.extension("list-map-keys")] !== undefined) words.take(words.extension("list-map-keys"))
  if (inner.struct === undefined) {
    words.take("description")
    if (words.take(words.extension("validations")) !== undefined)
      words.lost(words.extension("validations"), "rules belong to structs: a rule of the struct around it can use all(item, ...)")
  }
  words.reportRest()
  return inner
}

function isZero(value: JsonValue | undefined): boolean {
  return value === "" || value === 0 || value === false || (isObject(value) && Object.keys(value).length === 0)
}

function objectValue(words: Words, place: Place, context: SchemaContext, isNullable: boolean): Value {
  const { schema } = words
  const values = schema.additionalProperties
  const isFree = schema[words.extension("preserve-unknown-fields")] === true
  const isEmbedded = schema[words.extension("embedded-resource")] === true
  const isStruct = schema.properties !== undefined || isEmbedded
  if (values === true || isObject(values)) {
    words.take("additionalProperties")
    if (isFree) words.take(words.extension("preserve-unknown-fields"))
    const inner = isObject(values) ? partOf(words.inner(values, "additionalProperties"), place, context) : undefined
    if (schema.properties !== undefined) words.lost("properties", "a map has no named fields: they are checked as its other values")
    words.take("properties")
    return {
      type: `map<${inner?.type ?? "any"}>`,
      ...(inner?.struct !== undefined && { struct: inner.struct }),
      limits: { ...limitsOf(words, "map", isNullable), ...nested("values", inner) },
    }
  }
  if (values === false) words.take("additionalProperties")
  if (isFree && !isStruct) {
    words.take(words.extension("preserve-unknown-fields"))
    return { type: "RawExtension", limits: limitsOf(words, undefined, isNullable) }
  }
  const { name, isOwn } = structName(place, context)
  const struct = structKeywords(words, { name, path: place.path }, context, isEmbedded)
  const limits = limitsOf(words, undefined, isNullable)
  if (isOwn) return { type: "fields", struct, limits }
  context.types[name] = { doc: `What ${place.field} holds.`, ...struct }
  return { type: name, limits }
}
