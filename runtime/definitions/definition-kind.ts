/**
 * The kind CustomResourceDefinition as one vendor's clients and stores have it. The generated kind has neutral names;
 * the names of schema extensions (`x-orch-list-type`) are field names on the wire, and the group is a part of the store
 * key. Both are mapped here and nowhere else.
 */
import type { Stages } from "../base/turns.ts"
import type { Vendor } from "../base/vendor.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { normalize } from "../encoding/normalize.ts"
import type { Kind, KindParts, ValidationContext } from "../schema/kind.ts"
import type { FieldShape, TypeRef, TypeShape } from "../schema/shape.ts"

export const definitionGroup = "apiextensions.orch.io"
export const definitionResource = "customresourcedefinitions"
const neutralPrefix = "x-orch-"
const schemaName = "JSONSchemaProps"

/**
 * Returns the kinds with that of definitions in the vendor's form. Called once for each list of generated kinds, before
 * a `KindTable` is made of it.
 */
export function kindsOfVendor(kinds: readonly Kind[], vendor: Vendor): readonly Kind[] {
  return kinds.map((kind) => (kind.group === definitionGroup ? definitionKind(kind, vendor) : kind))
}

function definitionKind(kind: Kind, vendor: Vendor): Kind {
  const { path } = kind.storage
  const [group = "", ...rest] = path.split("/")
  return {
    ...kind,
    storage: { ...kind.storage, path: [vendor.group(group), ...rest].join("/") },
    load: async () => definitionParts(await kind.load(), vendor),
  }
}

function definitionParts(parts: KindParts, vendor: Vendor): KindParts {
  const shapes = new Map<TypeShape, TypeShape>()
  const shape = renamed(parts.shape, vendor.extensionPrefix, shapes)
  const schema = [...shapes].find(([{ name }]) => name.endsWith(`.${schemaName}`))?.[1]
  if (schema === undefined) return parts
  return {
    ...parts,
    shape,
    validating: (object, context) => checkingInTurn(parts, object, context),
    applyDefaults(object, context) {
      normalizeSchemas(object, schema)
      const { spec } = object
      if (isObject(spec)) spec.conversion ??= { strategy: "None" }
      parts.applyDefaults(object, context)
    },
  }
}

/** Many definitions come at once, in one packet, and each takes milliseconds to check: each has a turn of its own. */
function* checkingInTurn(parts: KindParts, object: ApiObject, context: ValidationContext): Stages<void> {
  yield
  parts.validate(object, context)
}

/** A shape and all below it with the vendor's names of extensions. The result has the cycles of the original. */
function renamed(shape: TypeShape, prefix: string, known: Map<TypeShape, TypeShape>): TypeShape {
  const before = known.get(shape)
  if (before !== undefined) return before
  const fields: FieldShape[] = []
  const next: TypeShape = { ...shape, fields }
  known.set(shape, next)
  for (const field of shape.fields) {
    const name = field.name.startsWith(neutralPrefix) ? prefix + field.name.slice(neutralPrefix.length) : field.name
    fields.push({ ...field, name, type: renamedRef(field.type, prefix, known) })
  }
  return next
}

function renamedRef(type: TypeRef, prefix: string, known: Map<TypeShape, TypeShape>): TypeRef {
  if ("list" in type) return { list: renamedRef(type.list, prefix, known) }
  if ("map" in type) return { map: renamedRef(type.map, prefix, known) }
  if ("wrappedList" in type) return { wrappedList: renamedRef(type.wrappedList, prefix, known) }
  if (!("ref" in type)) return type
  const target = renamed(type.ref(), prefix, known)
  return { ref: () => target }
}

/**
 * Fields of a schema that hold a schema or another value (a boolean, a list of names) are of type `any`. A schema there
 * loses unknown fields and gets canonical values like any other part, without a warning, as in the reference. Changes
 * the definition in place. Throws DecodeFault.
 */
function normalizeSchemas(definition: JsonObject, shape: TypeShape): void {
  const { spec } = definition
  const versions = isObject(spec) && Array.isArray(spec.versions) ? spec.versions : []
  for (const version of versions) {
    if (!isObject(version) || !isObject(version.schema)) continue
    const { openAPIV3Schema } = version.schema
    if (isObject(openAPIV3Schema)) normalizeBelow(openAPIV3Schema, shape)
  }
}

const eitherFields = ["items", "additionalProperties", "additionalItems"] as const
const schemaFields = ["not"] as const
const schemaLists = ["allOf", "oneOf", "anyOf"] as const
const schemaMaps = ["properties", "patternProperties", "definitions"] as const

function normalizeBelow(schema: JsonObject, shape: TypeShape): void {
  for (const name of eitherFields) {
    const value = schema[name]
    if (isObject(value)) schema[name] = normalizedSchema(value, shape)
    else if (name === "items" && Array.isArray(value))
      schema[name] = value.map((one) => (isObject(one) ? normalizedSchema(one, shape) : one))
  }
  if (isObject(schema.dependencies)) schema.dependencies = mapped(schema.dependencies, shape)
  for (const name of schemaFields) descend(schema[name], shape)
  for (const name of schemaLists) {
    const list = schema[name]
    if (Array.isArray(list)) for (const one of list) descend(one, shape)
  }
  for (const name of schemaMaps) {
    const map = schema[name]
    if (isObject(map)) for (const key in map) descend(map[key], shape)
  }
}

function descend(value: JsonValue | undefined, shape: TypeShape): void {
  if (isObject(value)) normalizeBelow(value, shape)
}

function mapped(map: JsonObject, shape: TypeShape): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([key, one]) => [key, isObject(one) ? normalizedSchema(one, shape) : one]))
}

function normalizedSchema(value: JsonObject, shape: TypeShape): JsonObject {
  const { object } = normalize(shape, value, { typeMeta: false, reportUnknown: false })
  normalizeBelow(object, shape)
  return object
}
