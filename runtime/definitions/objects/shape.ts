/**
 * The shape of custom objects, from the schema of their definition, for decoding, managed fields and server-side apply.
 * `validate.ts` checks values; a shape only defines fields and how they merge.
 */
import type { JsonValue } from "../../base/json.ts"
import type { FieldShape, TypeRef, TypeShape } from "../../schema/shape.ts"
import type { Structural } from "../structural.ts"

/** Inputs for the parts of a shape besides their schema. */
interface Making {
  /** The shape of ObjectMeta. */
  readonly metadata: TypeShape
  /** Managers own fields that no schema names, because a schema above preserves them: apply inherits this. */
  readonly preserve: boolean
}

const text: TypeRef = { scalar: "string" }
const any: TypeRef = { scalar: "any" }
const anyScalar: TypeRef = { scalar: "IntOrString" }

/**
 * The shape of the objects of a definition's version. `name`: neutral and unique, as `example.orch.io.v1.Widget`;
 * `metadata`: the shape of ObjectMeta. Called once per version; shapes of inner objects are made on first use. Fields
 * are sorted by name, as in the reference's output of custom objects.
 */
export function shapeOfDefinition(name: string, schema: Structural, metadata: TypeShape): TypeShape {
  const making = { metadata, preserve: schema.preserveUnknown }
  const fields = fieldsOf(name, schema, making).filter((field) => !isTypeOrMetadata(field.name))
  return {
    name,
    fields: sorted([{ name: "metadata", type: { ref: () => metadata } }, ...fields]),
    ...(schema.preserveUnknown && { preserveUnknown: true }),
  }
}

function isTypeOrMetadata(name: string): boolean {
  return name === "apiVersion" || name === "kind" || name === "metadata"
}

function fieldsOf(owner: string, schema: Structural, making: Making): FieldShape[] {
  return [...schema.properties].map(([name, field]) => ({
    name,
    type: typeOf(`${owner}.${name}`, field, below(field, making)),
    pointer: true,
    ...(field.nullable && { nullable: true }),
    ...mergeOf(field),
    ...(field.default !== undefined && { default: field.default }),
  }))
}

/** How apply merges a list or a map, as a field or nested in another list or map. */
function mergeOf({ listType, listMapKeys, mapType }: Structural): Pick<FieldShape, "listType" | "mapKeys" | "mapType"> {
  return {
    ...(listType !== undefined && { listType }),
    ...(listType === "map" && { mapKeys: listMapKeys }),
    ...(mapType !== undefined && { mapType }),
  }
}

function typeOf(name: string, schema: Structural, making: Making): TypeRef {
  const { type, properties, additionalProperties, items } = schema
  // The reference's apply ignores this type; the validator refuses lists and objects.
  if (schema.intOrString) return any
  // Keywords of a type other than the schema's are ignored.
  const isObject = type === "object" || type === undefined
  if (type === "array" || (type === undefined && items !== undefined)) {
    const { listType, mapKeys } = mergeOf(schema)
    const list = items === undefined ? any : typeOf(`${name}.items`, items, below(items, making))
    return { list, ...(listType !== undefined && { listType }), ...(mapKeys !== undefined && { mapKeys }) }
  }
  if (isObject && additionalProperties !== undefined && properties.size === 0) {
    const { mapType } = schema
    const map = additionalProperties === true ? any : typeOf(`${name}.values`, additionalProperties, below(additionalProperties, making))
    return { map, ...(mapType !== undefined && { mapType }) }
  }
  if (type === "object" || (isObject && (properties.size > 0 || schema.embedded))) return { ref: lazyShape(name, schema, making) }
  return scalarOf(schema)
}

function below(schema: Structural, making: Making): Making {
  return schema.preserveUnknown && !making.preserve ? { ...making, preserve: true } : making
}

function scalarOf({ type, source }: Structural): TypeRef {
  switch (type) {
    case "string":
      return isPlainText(source.format) ? text : anyScalar
    case "boolean":
      return { scalar: "boolean" }
    case "integer":
      return { scalar: "int64" }
    case "number":
      return { scalar: "double" }
    default:
      return any
  }
}

/** The reference's apply treats a text with a format as a scalar of any type; the validator refuses other types. */
function isPlainText(format: JsonValue | undefined): boolean {
  return format === undefined || format === "" || format === "byte"
}

/** Made once, since walks cache results by a shape's identity. */
function lazyShape(name: string, schema: Structural, making: Making): () => TypeShape {
  let made: TypeShape | undefined
  return () => {
    made ??= objectShape(name, schema, making)
    return made
  }
}

function objectShape(name: string, schema: Structural, making: Making): TypeShape {
  const own = fieldsOf(name, schema, making)
  const { metadata } = making
  const embedded: FieldShape[] = [
    { name: "apiVersion", type: text },
    { name: "kind", type: text },
    { name: "metadata", type: { ref: () => metadata } },
  ]
  const isFreeForm = schema.properties.size === 0 && schema.additionalProperties === undefined && !schema.embedded
  const fields = schema.embedded ? [...embedded, ...own.filter((field) => !isTypeOrMetadata(field.name))] : own
  return {
    name,
    fields: sorted(fields),
    // An object without properties accepts any field; pruning drops it later.
    ...((isFreeForm || making.preserve) && { preserveUnknown: true }),
    ...(schema.mapType !== undefined && { struct: schema.mapType }),
  }
}

function sorted(fields: FieldShape[]): FieldShape[] {
  return fields.sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0))
}
