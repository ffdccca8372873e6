/**
 * Structural schemas: every field has a type outside of `allOf`, `anyOf`, `oneOf` and `not`, so that pruning, defaults
 * and merging never depend on a value. Junctors may only restrict the values of fields specified outside of them.
 */
import { PatternFault, patternOf } from "../../base/pattern.ts"
import { Failures, type Failure } from "../../base/failure.ts"
import { failureText } from "../../base/errors.ts"
import { isBlank, type SchemaProps } from "./schema-props.ts"

type Level = "root" | "item" | "field"

/** The search stops at this number of failures, which is more than a response holds. */
const structuralFailuresMax = 1024

/**
 * Why a schema cannot be read as a structural one at all; undefined for most. Other checks report the same faults with
 * paths, so this one is reported only when they find nothing. `prefix`: the vendor's `extensionPrefix`.
 */
export function unreadable(schema: SchemaProps | undefined, prefix: string): string | undefined {
  if (schema === undefined) return undefined
  const { not, allOf = [], anyOf = [], oneOf = [], additionalProperties, items, properties } = schema
  const fault =
    unsupported(schema) ??
    unreadable(not, prefix) ??
    firstUnreadable([...allOf, ...anyOf, ...oneOf], prefix) ??
    unreadable(additionalProperties?.schema, prefix)
  if (fault !== undefined) return fault
  if (schema.preserveUnknownFields === false) return `internal error: '${prefix}preserve-unknown-fields' must be true or undefined`
  if (items !== undefined && items.list.length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array"
  return unreadable(items?.schema, prefix) ?? firstUnreadable(properties?.values() ?? [], prefix)
}

function firstUnreadable(schemas: Iterable<SchemaProps>, prefix: string): string | undefined {
  for (const schema of schemas) {
    const fault = unreadable(schema, prefix)
    if (fault !== undefined) return fault
  }
  return undefined
}

function unsupported(schema: SchemaProps): string | undefined {
  const not = (name: string): string => `OpenAPIV3Schema '${name}' is not supported`
  if (schema.id !== "") return not("id")
  if (schema.schema !== "") return not("schema")
  if (schema.ref !== undefined && schema.ref !== "") return not("$ref")
  if ((schema.patternProperties?.size ?? 0) > 0) return not("patternProperties")
  if ((schema.dependencies?.size ?? 0) > 0) return not("dependencies")
  if (schema.additionalItems !== undefined) return not("additionalItems")
  return (schema.definitions?.size ?? 0) > 0 ? not("definitions") : undefined
}

/**
 * Returns why a readable schema is not structural, sorted by text. `path`: path of the schema in failures. `prefix`:
 * the vendor's `extensionPrefix`.
 */
export function structuralFailures(schema: SchemaProps, path: string, prefix: string): readonly Failure[] {
  const failures = new Failures(structuralFailuresMax)
  const check = new StructuralCheck(failures, prefix)
  check.node(schema, "root", path)
  check.complete(schema, schema, path, path)
  return failures.list
    .map((failure) => ({ failure, text: `${failure.field}: ${failureText(failure)}` }))
    .sort((left, right) => (left.text < right.text ? -1 : left.text > right.text ? 1 : 0))
    .map(({ failure }) => failure)
}

const missingType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
}
/** Keywords of `metadata` at the root that do not restrict it. */
const metadataKeywords: ReadonlySet<keyof SchemaProps> = new Set<keyof SchemaProps>(["type", "default", "properties"])
const typeAlone: ReadonlySet<keyof SchemaProps> = new Set<keyof SchemaProps>(["type"])

class StructuralCheck {
  constructor(
    private readonly failures: Failures,
    private readonly prefix: string,
  ) {}

  /** Checks a schema outside of junctors, and all schemas below it. */
  node(schema: SchemaProps, level: Level, path: string): void {
    if (this.failures.full) return
    const { items, properties = new Map<string, SchemaProps>(), additionalProperties } = schema
    if (schema.type === "array" && items?.schema === undefined) this.required(`${path}.items`, "must be specified")
    if (items?.schema !== undefined) this.node(items.schema, "item", `${path}.items`)
    for (const [name, property] of properties) this.node(property, "field", `${path}.properties[${name}]`)
    if (additionalProperties !== undefined) {
      if (level === "root") this.forbidden(`${path}.additionalProperties`, "must not be used at the root")
      if (additionalProperties.schema !== undefined) this.node(additionalProperties.schema, "field", `${path}.additionalProperties`)
    }
    this.extensions(schema, path)
    this.values(schema, isIntOrString(schema.anyOf), isIntOrString(schema.allOf?.[0]?.anyOf), path)
    this.type(schema, level, path)
    this.resourceFields(schema, level, path)
    if (schema.embeddedResource && schema.preserveUnknownFields !== true && properties.size === 0) {
      const detail = `must not be empty if ${this.prefix}embedded-resource is true without ${this.prefix}preserve-unknown-fields`
      this.required(`${path}.properties`, detail)
    }
  }

  private extensions(schema: SchemaProps, path: string): void {
    if (!schema.intOrString) return
    const detail = `must be false if ${this.prefix}int-or-string is true`
    if (schema.preserveUnknownFields === true) this.invalid(`${path}.${this.prefix}preserve-unknown-fields`, true, detail)
    if (schema.embeddedResource) this.invalid(`${path}.${this.prefix}embedded-resource`, true, detail)
  }

  private type(schema: SchemaProps, level: Level, path: string): void {
    const field = `${path}.type`
    const { type } = schema
    if (schema.embeddedResource && type !== "object") {
      const detail = `must be object if ${this.prefix}embedded-resource is true`
      if (type === "") this.required(field, detail)
      else this.invalid(field, type, detail)
    } else if (type === "" && !schema.intOrString && schema.preserveUnknownFields !== true) {
      this.required(field, missingType[level])
    }
    if (schema.embeddedResource && schema.additionalProperties !== undefined) {
      this.forbidden(`${path}.additionalProperties`, `must not be used if ${this.prefix}embedded-resource is set`)
    }
    if (level === "root" && type !== "" && type !== "object") this.invalid(field, type, "must be object at the root")
  }

  /** Checks `apiVersion`, `kind` and `metadata`, which have the same schema in every resource. */
  private resourceFields(schema: SchemaProps, level: Level, path: string): void {
    const isResource = level === "root" || schema.embeddedResource
    for (const name of ["kind", "apiVersion"]) {
      const property = schema.properties?.get(name)
      if (!isResource || property === undefined || property.type === "string") continue
      this.invalid(`${path}.properties[${name}].type`, property.type, "must be string")
    }
    const metadata = schema.properties?.get("metadata")
    if (metadata === undefined) return
    const field = `${path}.properties[metadata]`
    if (isResource && metadata.type !== "object") this.invalid(`${field}.type`, metadata.type, "must be object")
    if (level === "root" && !restrictsNamesOnly(metadata)) {
      this.forbidden(field, "must not specify anything other than name and generateName, but metadata is implicitly specified")
    }
  }

  /** Checks a node's restrictions of values: junctors and the pattern. */
  private values(schema: SchemaProps, skipAnyOf: boolean, skipFirstAllOf: boolean, path: string): void {
    const { anyOf = [], allOf = [], oneOf = [], not, pattern } = schema
    if (!skipAnyOf) for (const [index, one] of anyOf.entries()) this.nested(one, false, `${path}.anyOf[${index}]`)
    for (const [index, one] of allOf.entries()) this.nested(one, skipFirstAllOf && index === 0, `${path}.allOf[${index}]`)
    for (const [index, one] of oneOf.entries()) this.nested(one, false, `${path}.oneOf[${index}]`)
    if (not !== undefined) this.nested(not, false, `${path}.not`)
    const fault = pattern === "" ? undefined : patternFault(pattern)
    if (fault === undefined) return
    this.invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${fault}`)
  }

  /** Checks a schema in a junctor, which may not define structure. */
  private nested(schema: SchemaProps, skipAnyOf: boolean, path: string): void {
    if (this.failures.full) return
    this.values(schema, skipAnyOf, false, path)
    if (schema.items?.schema !== undefined) this.nested(schema.items.schema, false, `${path}.items`)
    for (const [name, property] of schema.properties ?? []) this.nested(property, false, `${path}.properties[${name}]`)
    const must = (name: string, condition: "empty" | "undefined" | "false"): void =>
      this.forbidden(`${path}.${name}`, `must be ${condition} to be structural`)
    if (schema.type !== "") must("type", "empty")
    if (schema.additionalProperties !== undefined) must("additionalProperties", "undefined")
    if (schema.default !== undefined) must("default", "undefined")
    if (schema.title !== "") must("title", "empty")
    if (schema.description !== "") must("description", "empty")
    if (schema.nullable) must("nullable", "false")
    if (schema.preserveUnknownFields === true) must(`${this.prefix}preserve-unknown-fields`, "false")
    if (schema.embeddedResource) must(`${this.prefix}embedded-resource`, "false")
    if (schema.intOrString) must(`${this.prefix}int-or-string`, "false")
    if ((schema.listMapKeys?.length ?? 0) > 0) must(`${this.prefix}list-map-keys`, "empty")
    if (schema.listType !== undefined) must(`${this.prefix}list-type`, "undefined")
    if (schema.mapType !== undefined) must(`${this.prefix}map-type`, "undefined")
    if ((schema.validations?.length ?? 0) > 0) must(`${this.prefix}validations`, "empty")
    if (schema.properties?.has("metadata")) {
      this.forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context")
    }
  }

  /** Checks that fields specified in the junctors of `junctor` are also specified in `schema`. */
  complete(junctor: SchemaProps, schema: SchemaProps, path: string, junctorPath: string): void {
    const { not, allOf = [], anyOf = [], oneOf = [] } = junctor
    if (not !== undefined) this.completeNested(not, schema, path, `${junctorPath}.not`)
    for (const [index, one] of allOf.entries()) this.completeNested(one, schema, path, `${junctorPath}.allOf[${index}]`)
    for (const [index, one] of anyOf.entries()) this.completeNested(one, schema, path, `${junctorPath}.anyOf[${index}]`)
    for (const [index, one] of oneOf.entries()) this.completeNested(one, schema, path, `${junctorPath}.oneOf[${index}]`)
  }

  private completeNested(junctor: SchemaProps, schema: SchemaProps | undefined, path: string, junctorPath: string): void {
    if (this.failures.full) return
    if (schema === undefined) return this.required(path, `because it is defined in ${junctorPath}`)
    this.complete(junctor, schema, path, junctorPath)
    const items = junctor.items?.schema
    if (items !== undefined) this.completeNested(items, schema.items?.schema, `${path}.items`, `${junctorPath}.items`)
    for (const [name, property] of junctor.properties ?? []) {
      const step = `.properties[${name}]`
      this.completeNested(property, schema.properties?.get(name), path + step, junctorPath + step)
    }
  }

  private required(field: string, detail: string): void {
    this.failures.add({ type: "Required", field, detail })
  }

  private forbidden(field: string, detail: string): void {
    this.failures.add({ type: "Forbidden", field, detail })
  }

  private invalid(field: string, value: string | boolean, detail: string): void {
    this.failures.add({ type: "Invalid", field, value, detail })
  }
}

/** Whether the alternatives are `type: integer` and `type: string`, the only types allowed in a junctor. */
function isIntOrString(anyOf: readonly SchemaProps[] | undefined): boolean {
  const [integer, string] = anyOf ?? []
  if (anyOf?.length !== 2 || integer?.type !== "integer" || string?.type !== "string") return false
  return isBlank(integer, typeAlone) && isBlank(string, typeAlone)
}

function restrictsNamesOnly(metadata: SchemaProps): boolean {
  const names = [...(metadata.properties?.keys() ?? [])]
  return names.every((name) => name === "name" || name === "generateName") && isBlank(metadata, metadataKeywords)
}

/** Why a text is not a valid RE2 pattern, or is too large; undefined for a valid one. */
export function patternFault(pattern: string): string | undefined {
  const compiled = patternOf(pattern)
  return compiled instanceof PatternFault ? compiled.message : undefined
}
