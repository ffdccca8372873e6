/**
 * A structural schema of a custom resource definition, in the form that work on objects needs: the allowed content, and
 * how lists and maps merge. Everything that works on custom objects (pruning, defaults, validation, apply, columns,
 * rules) reads this record; checks of the definition itself read the schema as its author wrote it.
 */
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { type Extensions, extensionsOf } from "./extensions.ts"

export type StructuralType = "object" | "array" | "string" | "integer" | "number" | "boolean"

export interface Structural {
  /** Absent for int-or-string, and where unknown fields are preserved without a type. */
  readonly type?: StructuralType
  readonly properties: ReadonlyMap<string, Structural>
  /** Schema of values whose names are not in `properties`. `true`: any value. */
  readonly additionalProperties?: Structural | true
  readonly items?: Structural
  readonly nullable: boolean
  /** Absent: no default. Null is a default only with `nullable`. */
  readonly default?: JsonValue
  readonly preserveUnknown: boolean
  /** The value is an object with apiVersion, kind and metadata. */
  readonly embedded: boolean
  readonly intOrString: boolean
  readonly listType?: "atomic" | "set" | "map"
  readonly listMapKeys: readonly string[]
  readonly mapType?: "atomic" | "granular"
  readonly rules: readonly ValidationRule[]
  /** The stored schema, which has the limits, formats, enumerations and junctors. */
  readonly source: JsonObject
}

/** An entry of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

const types: ReadonlySet<unknown> = new Set<StructuralType>(["object", "array", "string", "integer", "number", "boolean"])

/**
 * Reads a schema of an established definition, which `check-definition.ts` has accepted. Ignores values of a wrong
 * type. `prefix`: the vendor's `extensionPrefix`, as in `x-kubernetes-list-type`. The work is proportional to the
 * schema.
 */
export function structuralOf(source: JsonObject, prefix: string): Structural {
  return new StructuralReader(extensionsOf(prefix)).read(source)
}

class StructuralReader {
  constructor(private readonly extensions: Extensions) {}

  /** Adds optional fields one by one: joining several objects into a record costs much more. */
  read(source: JsonObject): Structural {
    const { extensions } = this
    const { type, additionalProperties, items, default: byDefault } = source
    const listType = source[extensions.listType]
    const mapType = source[extensions.mapType]
    const keys = source[extensions.listMapKeys]
    const rules = source[extensions.validations]
    const isNullable = source.nullable === true
    const schema: { -readonly [Field in keyof Structural]: Structural[Field] } = {
      properties: this.map(source.properties),
      nullable: isNullable,
      preserveUnknown: source[extensions.preserveUnknownFields] === true,
      embedded: source[extensions.embeddedResource] === true,
      intOrString: source[extensions.intOrString] === true,
      listMapKeys: Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [],
      rules: Array.isArray(rules) ? rules.flatMap((rule) => (isObject(rule) ? [ruleOf(rule)] : [])) : [],
      source,
    }
    if (isType(type)) schema.type = type
    if (additionalProperties === true) schema.additionalProperties = true
    else if (isObject(additionalProperties)) schema.additionalProperties = this.read(additionalProperties)
    if (isObject(items)) schema.items = this.read(items)
    if (byDefault !== undefined && (byDefault !== null || isNullable)) schema.default = byDefault
    if (listType === "atomic" || listType === "set" || listType === "map") schema.listType = listType
    if (mapType === "atomic" || mapType === "granular") schema.mapType = mapType
    return schema
  }

  private map(value: JsonValue | undefined): ReadonlyMap<string, Structural> {
    const schemas = new Map<string, Structural>()
    if (!isObject(value)) return schemas
    for (const [name, one] of Object.entries(value)) if (isObject(one)) schemas.set(name, this.read(one))
    return schemas
  }
}

function isType(value: unknown): value is StructuralType {
  return types.has(value)
}

function ruleOf({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: JsonObject): ValidationRule {
  return {
    rule: typeof rule === "string" ? rule : "",
    ...(typeof message === "string" && { message }),
    ...(typeof messageExpression === "string" && { messageExpression }),
    ...(typeof reason === "string" && { reason }),
    ...(typeof fieldPath === "string" && { fieldPath }),
    ...(typeof optionalOldSelf === "boolean" && { optionalOldSelf }),
  }
}
