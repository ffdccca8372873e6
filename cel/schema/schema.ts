import type { JsonObject } from "../../runtime/base/json.ts"

/**
 * The parts of a schema that types and values of expressions need. The `Structural` of definitions is one, without a
 * conversion. `source` is the schema as it was written: limits, formats and enumerations are read from it.
 */
export interface Schema {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean"
  readonly properties: ReadonlyMap<string, Schema>
  readonly additionalProperties?: Schema | true
  readonly items?: Schema
  readonly nullable: boolean
  readonly preserveUnknown: boolean
  /** The value is an object with apiVersion, kind and metadata. */
  readonly embedded: boolean
  readonly intOrString: boolean
  readonly listType?: "atomic" | "set" | "map"
  readonly listMapKeys: readonly string[]
  readonly source: JsonObject
}

const text: Schema = {
  type: "string",
  properties: new Map(),
  nullable: false,
  preserveUnknown: false,
  embedded: false,
  intOrString: false,
  listMapKeys: [],
  source: { type: "string" },
}

const metadata: Schema = {
  ...text,
  type: "object",
  properties: new Map([
    ["name", text],
    ["generateName", text],
  ]),
  source: { type: "object" },
}

/** The schema of a resource's root: apiVersion, kind and two fields of metadata can always be read. */
export function withResourceFields(schema: Schema): Schema {
  if (hasResourceFields(schema)) return schema
  const properties = new Map([
    ...schema.properties,
    ["kind", text] as const,
    ["apiVersion", text] as const,
    ["metadata", metadata] as const,
  ])
  return { ...schema, properties }
}

function hasResourceFields({ properties }: Schema): boolean {
  const meta = properties.get("metadata")
  return (
    properties.get("kind")?.type === "string" &&
    properties.get("apiVersion")?.type === "string" &&
    meta?.type === "object" &&
    meta.properties.get("name")?.type === "string" &&
    meta.properties.get("generateName")?.type === "string"
  )
}
