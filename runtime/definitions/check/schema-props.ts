/**
 * The schema of a definition as its author wrote it, with every keyword. Checks read this record; work on objects uses
 * `Structural`. A value of a wrong type is read as absent, so that any JSON can be checked.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { type Extensions, extensionsOf } from "../extensions.ts"
import { definitionSchemaDepthMax } from "../limits.ts"

/** One node. An absent keyword is `undefined`, `""` or `false`, its zero value. */
export interface SchemaProps {
  readonly id: string
  readonly schema: string
  readonly ref: string | undefined
  readonly description: string
  readonly type: string
  readonly nullable: boolean
  readonly format: string
  readonly title: string
  /** A null is not a default: it is read as absent. */
  readonly default: JsonValue | undefined
  readonly maximum: JsonValue | undefined
  readonly exclusiveMaximum: boolean
  readonly minimum: JsonValue | undefined
  readonly exclusiveMinimum: boolean
  readonly maxLength: JsonValue | undefined
  readonly minLength: JsonValue | undefined
  readonly pattern: string
  readonly maxItems: number | undefined
  readonly minItems: JsonValue | undefined
  readonly uniqueItems: boolean
  readonly multipleOf: JsonValue | undefined
  readonly enum: readonly JsonValue[] | undefined
  readonly maxProperties: number | undefined
  readonly minProperties: JsonValue | undefined
  readonly required: readonly string[] | undefined
  readonly items: Items | undefined
  readonly allOf: readonly SchemaProps[] | undefined
  readonly oneOf: readonly SchemaProps[] | undefined
  readonly anyOf: readonly SchemaProps[] | undefined
  readonly not: SchemaProps | undefined
  readonly properties: ReadonlyMap<string, SchemaProps> | undefined
  readonly additionalProperties: SchemaOrBoolean | undefined
  readonly patternProperties: ReadonlyMap<string, SchemaProps> | undefined
  /** Undefined for a list of names. */
  readonly dependencies: ReadonlyMap<string, SchemaProps | undefined> | undefined
  readonly additionalItems: SchemaOrBoolean | undefined
  readonly definitions: ReadonlyMap<string, SchemaProps> | undefined
  readonly externalDocs: JsonValue | undefined
  readonly example: JsonValue | undefined
  readonly preserveUnknownFields: boolean | undefined
  readonly embeddedResource: boolean
  readonly intOrString: boolean
  readonly listMapKeys: readonly string[] | undefined
  readonly listType: string | undefined
  readonly mapType: string | undefined
  readonly validations: readonly RuleProps[] | undefined
  readonly source: JsonObject
}

/** Items of an array: one schema, or a list of schemas, which the checks refuse. */
export interface Items {
  readonly schema: SchemaProps | undefined
  readonly list: readonly SchemaProps[]
}

/** `additionalProperties` and `additionalItems`. */
export interface SchemaOrBoolean {
  readonly allows: boolean
  readonly schema: SchemaProps | undefined
}

/** An entry of the rules, with the text of each field. */
export interface RuleProps {
  readonly rule: string
  readonly message: string
  readonly messageExpression: string
  readonly reason: string | undefined
  readonly fieldPath: string
  readonly optionalOldSelf: boolean | undefined
}

/** Reads schemas of one vendor. `tooDeep` is set when a schema is nested beyond `definitionSchemaDepthMax`. */
export class SchemaReader {
  tooDeep = false
  /** Number of nodes read. */
  nodes = 0
  /** The patterns of all nodes, each once. */
  readonly patterns = new Set<string>()

  private readonly keywords: ReadonlyMap<string, KeywordReader>

  /** `prefix`: the vendor's `extensionPrefix`. */
  constructor(prefix: string) {
    this.keywords = keywordsOf(prefix)
  }

  /** Reads a schema; a value that is not an object is absent. The work is proportional to the schema. */
  read(value: JsonValue | undefined, depth = 0): SchemaProps | undefined {
    if (!isObject(value)) return undefined
    if (depth > definitionSchemaDepthMax) {
      this.tooDeep = true
      return undefined
    }
    return this.node(value, depth + 1)
  }

  /**
   * A node has four or five of the fifty keywords, so the rest is one literal of constants, which costs little: looking
   * up each keyword in every node was the most expensive part of serving a definition.
   */
  private node(source: JsonObject, depth: number): SchemaProps {
    const node: SchemaDraft = blankNode(source)
    this.nodes++
    for (const name in source) this.keywords.get(name)?.(node, source[name], this, depth)
    if (node.pattern !== "") this.patterns.add(node.pattern)
    return node
  }

  list(value: JsonValue | undefined, depth: number): SchemaProps[] | undefined {
    return Array.isArray(value) ? value.flatMap((one) => this.read(one, depth) ?? []) : undefined
  }

  map(value: JsonValue | undefined, depth: number): Map<string, SchemaProps> | undefined {
    if (!isObject(value)) return undefined
    const schemas = new Map<string, SchemaProps>()
    for (const [name, one] of Object.entries(value)) {
      // A null is read as an empty schema.
      const schema = this.read(one === null ? {} : one, depth)
      if (schema !== undefined) schemas.set(name, schema)
    }
    return schemas
  }

  items(value: JsonValue | undefined, depth: number): Items | undefined {
    if (Array.isArray(value)) return { schema: undefined, list: this.list(value, depth) ?? [] }
    return isObject(value) ? { schema: this.read(value, depth), list: [] } : undefined
  }

  orBoolean(value: JsonValue | undefined, depth: number): SchemaOrBoolean | undefined {
    if (typeof value === "boolean") return { allows: value, schema: undefined }
    return isObject(value) ? { allows: true, schema: this.read(value, depth) } : undefined
  }

  dependencies(value: JsonValue | undefined, depth: number): Map<string, SchemaProps | undefined> | undefined {
    if (!isObject(value)) return undefined
    return new Map(Object.entries(value).map(([name, one]) => [name, this.read(one, depth)]))
  }
}

type SchemaDraft = { -readonly [Keyword in keyof SchemaProps]: SchemaProps[Keyword] }

/** Sets the field of a keyword. `value`: as in the source. `depth`: depth of the schemas below. */
type KeywordReader = (node: SchemaDraft, value: JsonValue | undefined, reader: SchemaReader, depth: number) => void

function blankNode(source: JsonObject): SchemaDraft {
  return {
    id: "",
    schema: "",
    ref: undefined,
    description: "",
    type: "",
    nullable: false,
    format: "",
    title: "",
    default: undefined,
    maximum: undefined,
    exclusiveMaximum: false,
    minimum: undefined,
    exclusiveMinimum: false,
    maxLength: undefined,
    minLength: undefined,
    pattern: "",
    maxItems: undefined,
    minItems: undefined,
    uniqueItems: false,
    multipleOf: undefined,
    enum: undefined,
    maxProperties: undefined,
    minProperties: undefined,
    required: undefined,
    items: undefined,
    allOf: undefined,
    oneOf: undefined,
    anyOf: undefined,
    not: undefined,
    properties: undefined,
    additionalProperties: undefined,
    patternProperties: undefined,
    dependencies: undefined,
    additionalItems: undefined,
    definitions: undefined,
    externalDocs: undefined,
    example: undefined,
    preserveUnknownFields: undefined,
    embeddedResource: false,
    intOrString: false,
    listMapKeys: undefined,
    listType: undefined,
    mapType: undefined,
    validations: undefined,
    source,
  }
}

const keywordsByPrefix = new Map<string, ReadonlyMap<string, KeywordReader>>()

/** The keywords in a vendor's schemas. Cached per vendor in this process. */
function keywordsOf(prefix: string): ReadonlyMap<string, KeywordReader> {
  const known = keywordsByPrefix.get(prefix)
  if (known !== undefined) return known
  const keywords = new Map<string, KeywordReader>([...plainKeywords(), ...schemaKeywords(), ...extensionKeywords(extensionsOf(prefix))])
  keywordsByPrefix.set(prefix, keywords)
  return keywords
}

type KeywordEntry = readonly [keyword: string, read: KeywordReader]

/** A keyword, its field, and the reader of its value. */
function entry<Field extends keyof SchemaDraft>(
  keyword: string,
  field: Field,
  read: (value: JsonValue | undefined, reader: SchemaReader, depth: number) => SchemaDraft[Field],
): KeywordEntry {
  return [
    keyword,
    (node, value, reader, depth) => {
      node[field] = read(value, reader, depth)
    },
  ]
}

function plainKeywords(): readonly KeywordEntry[] {
  const limits = ["maximum", "minimum", "maxLength", "minLength", "minItems", "multipleOf", "minProperties"] as const
  return [
    ...(["id", "description", "type", "format", "title", "pattern"] as const).map((field) => entry(field, field, text)),
    ...(["nullable", "exclusiveMaximum", "exclusiveMinimum", "uniqueItems"] as const).map((field) => entry(field, field, isTrue)),
    ...([...limits, "default", "externalDocs", "example"] as const).map((field) => entry(field, field, present)),
    entry("maxItems", "maxItems", number),
    entry("maxProperties", "maxProperties", number),
    entry("$schema", "schema", text),
    entry("$ref", "ref", optionalText),
    entry("enum", "enum", (value) => (Array.isArray(value) ? value : undefined)),
    entry("required", "required", texts),
  ]
}

/** Keywords with schemas below them. */
function schemaKeywords(): readonly KeywordEntry[] {
  return [
    ...(["allOf", "oneOf", "anyOf"] as const).map((field) => entry(field, field, (value, reader, depth) => reader.list(value, depth))),
    ...(["properties", "patternProperties", "definitions"] as const).map((field) =>
      entry(field, field, (value, reader, depth) => reader.map(value, depth)),
    ),
    ...(["additionalProperties", "additionalItems"] as const).map((field) =>
      entry(field, field, (value, reader, depth) => reader.orBoolean(value, depth)),
    ),
    entry("items", "items", (value, reader, depth) => reader.items(value, depth)),
    entry("not", "not", (value, reader, depth) => reader.read(value, depth)),
    entry("dependencies", "dependencies", (value, reader, depth) => reader.dependencies(value, depth)),
  ]
}

function extensionKeywords(names: Extensions): readonly KeywordEntry[] {
  return [
    entry(names.preserveUnknownFields, "preserveUnknownFields", boolean),
    entry(names.embeddedResource, "embeddedResource", isTrue),
    entry(names.intOrString, "intOrString", isTrue),
    entry(names.listMapKeys, "listMapKeys", texts),
    entry(names.listType, "listType", optionalText),
    entry(names.mapType, "mapType", optionalText),
    entry(names.validations, "validations", (value) => (Array.isArray(value) ? value.map(ruleOf) : undefined)),
  ]
}

function ruleOf(value: JsonValue): RuleProps {
  const source = isObject(value) ? value : {}
  return {
    rule: text(source.rule),
    message: text(source.message),
    messageExpression: text(source.messageExpression),
    reason: optionalText(source.reason),
    fieldPath: text(source.fieldPath),
    optionalOldSelf: boolean(source.optionalOldSelf),
  }
}

/** The text; any other value is read as empty, like an absent one. */
export function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : ""
}

/** The text; any other value is read as absent. */
export function optionalText(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined
}

/** The texts of a list; any other value is read as absent. */
export function texts(value: JsonValue | undefined): string[] | undefined {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : undefined
}

function isTrue(value: JsonValue | undefined): boolean {
  return value === true
}

function boolean(value: JsonValue | undefined): boolean | undefined {
  return typeof value === "boolean" ? value : undefined
}

function number(value: JsonValue | undefined): number | undefined {
  const found = typeof value === "number" || typeof value === "bigint" ? Number(value) : Number.NaN
  return Number.isFinite(found) ? Math.trunc(found) : undefined
}

function present(value: JsonValue | undefined): JsonValue | undefined {
  return value === null ? undefined : value
}

/**
 * Whether `found` accepts the node or any node below it, in any keyword. Called for the content of an old definition.
 */
export function schemaHas(schema: SchemaProps | undefined, found: (one: SchemaProps) => boolean): boolean {
  if (schema === undefined) return false
  if (found(schema)) return true
  const { items, not, additionalProperties, additionalItems } = schema
  return (
    schemaHas(items?.schema, found) ||
    anyHas(items?.list, found) ||
    anyHas(schema.allOf, found) ||
    anyHas(schema.anyOf, found) ||
    anyHas(schema.oneOf, found) ||
    schemaHas(not, found) ||
    anyHas(schema.properties?.values(), found) ||
    schemaHas(additionalProperties?.schema, found) ||
    anyHas(schema.patternProperties?.values(), found) ||
    schemaHas(additionalItems?.schema, found) ||
    anyHas(schema.definitions?.values(), found) ||
    anyHas(schema.dependencies?.values(), found)
  )
}

function anyHas(schemas: Iterable<SchemaProps | undefined> | undefined, found: (one: SchemaProps) => boolean): boolean {
  if (schemas === undefined) return false
  for (const schema of schemas) if (schemaHas(schema, found)) return true
  return false
}

/**
 * Whether a node has only the given keywords (`externalDocs` and `example` are ignored, since they do not restrict
 * values). An empty list of schemas or values counts as absent; an empty list of names does not.
 */
export function isBlank(schema: SchemaProps, except: ReadonlySet<keyof SchemaProps>): boolean {
  for (const name of valueKeywords) {
    if (except.has(name)) continue
    const value = schema[name]
    if (value === undefined || value === "" || value === false) continue
    if (name === "items" && schema.items?.schema === undefined) continue
    if (emptyMeansAbsent.has(name) && Array.isArray(value) && value.length === 0) continue
    return false
  }
  return true
}

const emptyMeansAbsent: ReadonlySet<keyof SchemaProps> = new Set<keyof SchemaProps>(["enum", "allOf", "anyOf", "oneOf"])
const valueKeywords: readonly (keyof SchemaProps)[] = [
  ...(["description", "type", "title", "default", "nullable", "format", "pattern", "enum", "required", "multipleOf"] as const),
  ...(["maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "uniqueItems"] as const),
  ...(["maxItems", "minItems", "maxProperties", "minProperties", "preserveUnknownFields", "embeddedResource"] as const),
  ...(["intOrString", "listMapKeys", "listType", "mapType", "validations"] as const),
  ...(["items", "additionalProperties", "not", "allOf", "anyOf", "oneOf", "properties"] as const),
]

/** One step of a path into objects; `findField` follows paths. */
export function stepIntoProps(
  { properties, additionalProperties }: SchemaProps,
  name: string,
): { property: boolean; schema: SchemaProps | undefined } | undefined {
  if (properties !== undefined && properties.size > 0) {
    const property = properties.get(name)
    return property && { property: true, schema: property }
  }
  return additionalProperties && { property: false, schema: additionalProperties.schema }
}
