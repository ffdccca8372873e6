/**
 * The schema of a definition as its author wrote it, with every keyword. Checks read this record; what is known of
 * objects is `Structural`. A value of a wrong type is read as absent, so that any JSON can be checked.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { type Extensions, extensionsOf } from "../extensions.ts"
import { definitionSchemaDepthMax } from "../limits.ts"

/** One node. A keyword that is absent is `undefined`, `""` or `false`, as its zero value. */
export interface SchemaProps {
  readonly id: string
  readonly schema: string
  readonly ref: string | undefined
  readonly description: string
  readonly type: string
  readonly nullable: boolean
  readonly format: string
  readonly title: string
  /** A null is no default: it is read as absent. */
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
  /** Lists of names have no schema. */
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

/** Items of an array: one schema, or the list of schemas that is refused. */
export interface Items {
  readonly schema: SchemaProps | undefined
  readonly list: readonly SchemaProps[]
}

/** `additionalProperties` and `additionalItems`. */
export interface SchemaOrBoolean {
  readonly allows: boolean
  readonly schema: SchemaProps | undefined
}

/** An entry of the rules, with the text of every field. */
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

  private readonly extensions: Extensions

  /** `prefix`: the vendor's `extensionPrefix`. */
  constructor(prefix: string) {
    this.extensions = extensionsOf(prefix)
  }

  /** Reads a schema; what is no object is absent. The work is proportional to the schema. */
  read(value: JsonValue | undefined, depth = 0): SchemaProps | undefined {
    if (!isObject(value)) return undefined
    if (depth > definitionSchemaDepthMax) {
      this.tooDeep = true
      return undefined
    }
    return this.node(value, depth + 1)
  }

  /** One literal: a record of so many fields that is put together from several costs ten times as much. */
  private node(source: JsonObject, depth: number): SchemaProps {
    const { extensions } = this
    const rules = source[extensions.validations]
    return {
      id: text(source.id),
      schema: text(source["$schema"]),
      ref: optionalText(source["$ref"]),
      description: text(source.description),
      type: text(source.type),
      nullable: source.nullable === true,
      format: text(source.format),
      title: text(source.title),
      default: present(source.default),
      maximum: present(source.maximum),
      exclusiveMaximum: source.exclusiveMaximum === true,
      minimum: present(source.minimum),
      exclusiveMinimum: source.exclusiveMinimum === true,
      maxLength: present(source.maxLength),
      minLength: present(source.minLength),
      pattern: text(source.pattern),
      maxItems: number(source.maxItems),
      minItems: present(source.minItems),
      uniqueItems: source.uniqueItems === true,
      multipleOf: present(source.multipleOf),
      enum: Array.isArray(source.enum) ? source.enum : undefined,
      maxProperties: number(source.maxProperties),
      minProperties: present(source.minProperties),
      required: texts(source.required),
      items: this.items(source.items, depth),
      allOf: this.list(source.allOf, depth),
      oneOf: this.list(source.oneOf, depth),
      anyOf: this.list(source.anyOf, depth),
      not: this.read(source.not, depth),
      properties: this.map(source.properties, depth),
      additionalProperties: this.orBoolean(source.additionalProperties, depth),
      patternProperties: this.map(source.patternProperties, depth),
      dependencies: this.dependencies(source.dependencies, depth),
      additionalItems: this.orBoolean(source.additionalItems, depth),
      definitions: this.map(source.definitions, depth),
      externalDocs: present(source.externalDocs),
      example: present(source.example),
      preserveUnknownFields: boolean(source[extensions.preserveUnknownFields]),
      embeddedResource: source[extensions.embeddedResource] === true,
      intOrString: source[extensions.intOrString] === true,
      listMapKeys: texts(source[extensions.listMapKeys]),
      listType: optionalText(source[extensions.listType]),
      mapType: optionalText(source[extensions.mapType]),
      validations: Array.isArray(rules) ? rules.map(ruleOf) : undefined,
      source,
    }
  }

  private list(value: JsonValue | undefined, depth: number): SchemaProps[] | undefined {
    return Array.isArray(value) ? value.flatMap((one) => this.read(one, depth) ?? []) : undefined
  }

  private map(value: JsonValue | undefined, depth: number): Map<string, SchemaProps> | undefined {
    if (!isObject(value)) return undefined
    const schemas = new Map<string, SchemaProps>()
    for (const [name, one] of Object.entries(value)) {
      // A null is the zero value of a schema.
      const schema = this.read(one === null ? {} : one, depth)
      if (schema !== undefined) schemas.set(name, schema)
    }
    return schemas
  }

  private items(value: JsonValue | undefined, depth: number): Items | undefined {
    if (Array.isArray(value)) return { schema: undefined, list: this.list(value, depth) ?? [] }
    return isObject(value) ? { schema: this.read(value, depth), list: [] } : undefined
  }

  private orBoolean(value: JsonValue | undefined, depth: number): SchemaOrBoolean | undefined {
    if (typeof value === "boolean") return { allows: value, schema: undefined }
    return isObject(value) ? { allows: true, schema: this.read(value, depth) } : undefined
  }

  private dependencies(value: JsonValue | undefined, depth: number): Map<string, SchemaProps | undefined> | undefined {
    if (!isObject(value)) return undefined
    return new Map(Object.entries(value).map(([name, one]) => [name, this.read(one, depth)]))
  }
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

/** The text; anything else is empty, as an absent text is. */
export function text(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : ""
}

/** The text; anything else is absent. */
export function optionalText(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined
}

/** The texts of a list; anything else is absent. */
export function texts(value: JsonValue | undefined): string[] | undefined {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : undefined
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
 * Whether the node or any node below it, in any keyword, is one that `found` accepts. Called for what an old definition
 * contains.
 */
export function schemaHas(schema: SchemaProps | undefined, found: (one: SchemaProps) => boolean): boolean {
  if (schema === undefined) return false
  if (found(schema)) return true
  for (const child of childrenOf(schema)) if (schemaHas(child, found)) return true
  return false
}

/** All schemas directly below a node. */
function childrenOf(schema: SchemaProps): (SchemaProps | undefined)[] {
  const { items, allOf = [], anyOf = [], oneOf = [], not, properties, additionalProperties } = schema
  return [
    items?.schema,
    ...(items?.list ?? []),
    ...allOf,
    ...anyOf,
    ...oneOf,
    not,
    ...(properties?.values() ?? []),
    additionalProperties?.schema,
    ...(schema.patternProperties?.values() ?? []),
    schema.additionalItems?.schema,
    ...(schema.definitions?.values() ?? []),
    ...(schema.dependencies?.values() ?? []),
  ]
}

/**
 * Whether a node has no keyword but the given ones (and `externalDocs`, `example`, which say nothing of values). An
 * empty list of schemas or values is no keyword; an empty list of names is one.
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
