/** Structs: the properties of a structural schema as fields, its rules and its junctors. */
import { isObject, type JsonObject, type JsonValue } from "../../../runtime/base/json.ts"
import { impliedFields, sameJson } from "../names.ts"
import type { SchemaContext } from "./context.ts"
import { docOf, docOfField } from "./docs.ts"
import { type FieldRules, rulesOf, ruleGroups } from "./rules.ts"
import type { Words } from "./words.ts"

/** A struct type: its name, and where its value is in the object. */
export interface StructPlace {
  readonly name: string
  readonly path: string | undefined
}

const fieldName = /^[A-Za-z_$][\w$-]*$/

/**
 * Returns the keywords of a struct: `fields`, `rules`, `oneOf`, `preserveUnknown`. Called for each object with
 * properties. Reading its own limits and description is left to the caller.
 */
export function structKeywords(words: Words, place: StructPlace, context: SchemaContext, isEmbedded: boolean): JsonObject {
  words.take(words.extension("embedded-resource"))
  const properties = words.object("properties") ?? {}
  const required = new Set(words.texts("required"))
  const rules = rulesOf(words, required)
  const fields: JsonObject = isEmbedded ? { ...embeddedFields } : {}
  for (const [name, schema] of Object.entries(properties)) {
    if (!isObject(schema)) continue
    const inner = words.inner(schema, "properties", name)
    if (isEmbedded && impliedFields.has(name)) {
      if (name === "metadata" && isObject(schema.properties)) inner.lost("properties", "metadata is checked as a whole")
    } else if (fieldName.test(name)) {
      fields[name] = fieldKeywords(name, inner, { required: required.has(name), place, rules, context })
    } else words.findings.lost(inner.at, `${JSON.stringify(name)} is no name of a field: clients cannot set it`)
  }
  for (const name of required)
    if (!Object.hasOwn(properties, name) && !(isEmbedded && impliedFields.has(name)))
      words.findings.lost([...words.at, "required"], `${name} is no field: nothing requires it`)
  const groups = ruleGroups(words)
  return {
    ...(rules.list.length > 0 && { rules: [...rules.list] }),
    ...(groups.length > 0 && { oneOf: groups }),
    ...(words.flag(words.extension("preserve-unknown-fields")) && { preserveUnknown: true }),
    fields,
  }
}

/** An object with apiVersion, kind and metadata inside another one. */
const embeddedFields: JsonObject = {
  apiVersion: { type: "string", required: true, pointer: true, doc: "Group and version of the object." },
  kind: { type: "string", required: true, pointer: true, doc: "Kind of the object." },
  metadata: { type: "meta.v1.ObjectMeta", pointer: true, doc: "Name and labels of the object." },
}

interface FieldContext {
  readonly required: boolean
  readonly place: StructPlace
  readonly rules: FieldRules
  readonly context: SchemaContext
}

function fieldKeywords(name: string, words: Words, { required, place, rules, context }: FieldContext): JsonObject {
  const path = place.path === undefined ? undefined : place.path === "" ? name : `${place.path}.${name}`
  const isNullable = words.flag("nullable")
  const value = context.valueOf(words, { outer: place.name, field: name, path }, context, isNullable)
  const byDefault = defaultOf(words)
  const isStruct = value.struct !== undefined && value.type === "fields"
  // An absent struct that is not a pointer reads as the empty one.
  const isFilled = isStruct && sameJson(byDefault, {}) && !isNullable
  // A zero default of a required field: the server writes it in place of an absent field.
  const isPublished = required && !isNullable && (isFilled || (value.struct === undefined && isZeroOf(value.type, byDefault)))
  const immutable = rules.takeField(name, words, required)
  const { doc, enumDocs, isChanged } = docOf(words.text("description"), docOfField(name, path === name))
  if (isChanged) context.docsChanged.push(path ?? name)
  const limits = withEnumDocs(value.limits, enumDocs)
  const { structType, ...struct } = value.struct ?? {}
  const merging = mergingOf(words, value.type)
  words.reportRest()
  return {
    ...(value.type !== "fields" && { type: value.type }),
    ...(isPublished ? { required: "published" } : required && byDefault === undefined && { required: true }),
    ...(isNullable ? { nullable: true } : !isFilled && !isPublished && { pointer: true }),
    ...(byDefault !== undefined && !isFilled && !isPublished && { default: byDefault }),
    ...limits,
    ...merging,
    ...(structType !== undefined && merging.structType === undefined && value.type === "fields" && { structType }),
    ...(immutable !== undefined && { immutable }),
    doc,
    ...struct,
  }
}

/** The enum of a value, or of its items or map values, with a sentence for each of its values. */
function withEnumDocs(limits: JsonObject, docs: JsonObject | undefined): JsonObject {
  if (docs === undefined) return limits
  const { enum: values, items, values: entries } = limits
  if (Array.isArray(values)) {
    const isDocumented = sameJson(values.map(String).toSorted(), Object.keys(docs).toSorted())
    return isDocumented ? { ...limits, enum: docs } : limits
  }
  if (isObject(items)) return { ...limits, items: withEnumDocs(items, docs) }
  return isObject(entries) ? { ...limits, values: withEnumDocs(entries, docs) } : limits
}

const zeroes: Readonly<Record<string, JsonValue>> = { string: "", boolean: false, int32: 0, int64: 0, double: 0 }

function isZeroOf(type: string, value: JsonValue | undefined): boolean {
  return value !== undefined && zeroes[type] === value
}

/** The dialect has no word for null as a default: an absent field stays absent. */
function defaultOf(words: Words): JsonValue | undefined {
  const value = words.take("default")
  if (value !== null) return value
  words.lost("default", "null is no default: an absent field stays absent")
  return undefined
}

function mergingOf(words: Words, type: string): JsonObject {
  const listType = words.text(words.extension("list-type"))
  const keys = words.texts(words.extension("list-map-keys"))
  const mapType = words.text(words.extension("map-type"))
  const found: Record<string, JsonValue> = {}
  if (listType !== undefined && type.startsWith("[]")) {
    if (listType === "set" && type === "[]fields") words.lost(words.extension("list-type"), "items of a set are scalars in the dialect")
    else {
      found.listType = listType
      if (listType === "map") found.mapKeys = [...keys]
    }
  }
  if (mapType !== undefined) {
    if (type.startsWith("map<")) found.mapType = mapType
    else if (type === "fields") found.structType = mapType
    else if (mapType === "atomic" && type !== "any")
      words.findings.note([...words.at, words.extension("map-type")], "such a value is owned as a whole")
  }
  return found
}
