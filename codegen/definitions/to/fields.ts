/** Fields of types as definitions know them. */
import type { JsonObject } from "../../../runtime/base/json.ts"
import type { FieldModel, TypeModel, TypeRefModel } from "../../../model/model.ts"
import { type OpenApiSource, typeIn } from "../../../model/openapi/source.ts"
import type { Findings, Path } from "../findings.ts"

/** Where a value is, and the facts that hold there. */
export interface ValuePlace {
  readonly path: Path
  /** Whether a server finds the old value of it: not below items of a list that is replaced as a whole. */
  readonly isCorrelated: boolean
  /** The types around it, to detect types that contain themselves. */
  readonly around: readonly string[]
}

/** The writer of a kind's schema, as rules see it. */
export interface SchemaWriter {
  readonly source: OpenApiSource
  readonly findings: Findings
  /** The published schema of a type, whose properties may be references. */
  published(type: TypeModel): JsonObject
}

/** The fields of a type in the order of its file, with the fields of inline structs. */
export function flatFields(type: TypeModel, source: OpenApiSource): readonly FieldModel[] {
  return type.fields.flatMap((field) =>
    field.inline && "ref" in field.type ? flatFields(typeIn(source, field.type.ref), source) : [field],
  )
}

/** Rules, groups and checks of a type, and of the structs that are inline in it. */
export function withInline(type: TypeModel, source: OpenApiSource): readonly TypeModel[] {
  const inline = type.fields.flatMap((field) => (field.inline && "ref" in field.type ? [typeIn(source, field.type.ref)] : []))
  return [type, ...inline.flatMap((one) => withInline(one, source))]
}

/** Whether a struct is an object with apiVersion, kind and metadata of its own, inside another one. */
export function isEmbedded(fields: readonly FieldModel[]): boolean {
  const field = (name: string): FieldModel | undefined => fields.find((one) => one.name === name)
  const { type: metadata } = field("metadata") ?? {}
  const isNamed = ["apiVersion", "kind"].every((name) => field(name)?.required === true)
  return isNamed && metadata !== undefined && "ref" in metadata && metadata.ref === "meta.v1.ObjectMeta"
}

/** Whether every object has the field: it is required, or it has a default. `schema`: the schema of its struct. */
export function isCertain(name: string, schema: JsonObject): boolean {
  const { required, properties } = schema
  if (Array.isArray(required) && required.includes(name)) return true
  const property = typeof properties === "object" && properties !== null && !Array.isArray(properties) ? properties[name] : undefined
  return typeof property === "object" && property !== null && !Array.isArray(property) && property.default !== undefined
}

/** The type of a list's items or a map's values. */
export function partOf(type: TypeRefModel): TypeRefModel | undefined {
  if ("list" in type) return type.list
  if ("wrappedList" in type) return type.wrappedList
  return "map" in type ? type.map : undefined
}
