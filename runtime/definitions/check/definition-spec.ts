/**
 * A definition in the form that its checks need. The reference checks a form in which schema, sub-resources, columns
 * and selectable fields that are equal in all versions are fields of `spec`; failures have the paths of that form.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import { optionalText, type SchemaProps, SchemaReader, text, texts } from "./schema-props.ts"

export interface DefinitionSpec {
  readonly group: string
  readonly scope: string
  readonly names: DefinitionNames
  readonly versions: readonly DefinitionVersion[]
  /** `spec.versions` as sent, for messages. */
  readonly versionsSource: JsonValue
  /** The name of the first version. */
  readonly version: string
  /** Parts that all versions share. */
  readonly shared: VersionParts
  readonly conversion: Conversion | undefined
  readonly preserveUnknownFields: boolean | undefined
  /** A schema is nested deeper than `definitionSchemaDepthMax`; levels below that were not read. */
  readonly tooDeep: boolean
  /** Number of schemas in all schemas: each pass over them takes about as many microseconds. */
  readonly nodes: number
  /** The patterns of all schemas, each once. */
  readonly patterns: ReadonlySet<string>
}

export interface DefinitionNames {
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly listKind: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
}

export interface DefinitionVersion extends VersionParts {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated: boolean
  readonly deprecationWarning: string | undefined
}

/** Parts of a version, its own or shared by all versions. */
export interface VersionParts {
  /** `schema.openAPIV3Schema`. */
  readonly schema: SchemaProps | undefined
  /** Whether `schema` is present, perhaps without `openAPIV3Schema`. */
  readonly hasValidation: boolean
  readonly subresources: JsonObject | undefined
  readonly columns: readonly JsonObject[]
  readonly selectableFields: readonly string[]
}

export interface Conversion {
  readonly strategy: string
  readonly clientConfig: JsonObject | undefined
  readonly reviewVersions: readonly string[]
}

const none: VersionParts = { schema: undefined, hasValidation: false, subresources: undefined, columns: [], selectableFields: [] }
const partNames = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const
type PartName = (typeof partNames)[number]

/**
 * Reads the `spec` of any JSON object; a value of a wrong type counts as absent. `prefix`: the vendor's
 * `extensionPrefix`.
 */
export function readSpec(definition: JsonObject, prefix: string): DefinitionSpec {
  const spec = isObject(definition.spec) ? definition.spec : {}
  const sources = Array.isArray(spec.versions) ? spec.versions.map((one) => (isObject(one) ? one : {})) : []
  const reader = new SchemaReader(prefix)
  const [first] = sources
  const shared = new Set(partNames.filter((part) => sources.every((one) => samePart(one[part], first?.[part]))))
  const versions = sources.map((source) => readVersion(source, shared, reader))
  return {
    group: text(spec.group),
    scope: text(spec.scope),
    names: readNames(spec.names),
    versions,
    versionsSource: spec.versions ?? null,
    version: versions[0]?.name ?? "",
    shared: first === undefined ? none : readParts(first, (part) => shared.has(part), reader),
    conversion: readConversion(spec.conversion),
    preserveUnknownFields: typeof spec.preserveUnknownFields === "boolean" ? spec.preserveUnknownFields : undefined,
    tooDeep: reader.tooDeep,
    nodes: reader.nodes,
    patterns: reader.patterns,
  }
}

/** An empty list equals an absent one. */
function samePart(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return deepEqual(orAbsent(one), orAbsent(other))
}

function orAbsent(value: JsonValue | undefined): JsonValue | undefined {
  return value === null || (Array.isArray(value) && value.length === 0) ? undefined : value
}

function readVersion(source: JsonObject, shared: ReadonlySet<PartName>, reader: SchemaReader): DefinitionVersion {
  return {
    name: text(source.name),
    served: source.served === true,
    storage: source.storage === true,
    deprecated: source.deprecated === true,
    deprecationWarning: optionalText(source.deprecationWarning),
    ...readParts(source, (part) => !shared.has(part), reader),
  }
}

function readParts(source: JsonObject, wanted: (part: PartName) => boolean, reader: SchemaReader): VersionParts {
  const { schema, subresources, additionalPrinterColumns, selectableFields } = source
  const validation = wanted("schema") && isObject(schema) ? schema : undefined
  return {
    schema: reader.read(validation?.openAPIV3Schema),
    hasValidation: validation !== undefined,
    subresources: wanted("subresources") && isObject(subresources) ? subresources : undefined,
    columns: wanted("additionalPrinterColumns") ? objects(additionalPrinterColumns) : [],
    selectableFields: wanted("selectableFields") ? objects(selectableFields).map(({ jsonPath }) => text(jsonPath)) : [],
  }
}

function objects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map((one) => (isObject(one) ? one : {})) : []
}

/** Reads `spec.names` or `status.acceptedNames`. */
export function readNames(value: JsonValue | undefined): DefinitionNames {
  const source = isObject(value) ? value : {}
  return {
    plural: text(source.plural),
    singular: text(source.singular),
    kind: text(source.kind),
    listKind: text(source.listKind),
    shortNames: texts(source.shortNames) ?? [],
    categories: texts(source.categories) ?? [],
  }
}

function readConversion(value: JsonValue | undefined): Conversion | undefined {
  if (!isObject(value)) return undefined
  const webhook = isObject(value.webhook) ? value.webhook : {}
  return {
    strategy: text(value.strategy),
    clientConfig: isObject(webhook.clientConfig) ? webhook.clientConfig : undefined,
    reviewVersions: texts(webhook.conversionReviewVersions) ?? [],
  }
}

/** All schemas of a definition, schemas of single versions last. */
export function schemasOf(spec: DefinitionSpec): SchemaProps[] {
  return [spec.shared, ...spec.versions].flatMap(({ schema }) => schema ?? [])
}

/** The schema of each version, shared or its own; undefined for a version without a schema. */
export function versionSchemas(spec: DefinitionSpec): Map<string, SchemaProps | undefined> {
  const schemas = new Map<string, SchemaProps | undefined>()
  for (const version of spec.versions) {
    if (!schemas.has(version.name)) schemas.set(version.name, version.schema ?? spec.shared.schema)
  }
  return schemas
}
