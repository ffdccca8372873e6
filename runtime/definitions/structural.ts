/**
 * A schema of a custom resource definition in the form that work on objects needs: what an object may hold, and how
 * lists and maps merge. Everything that works on custom objects (pruning, defaults, validation, apply, columns, rules)
 * reads this record; checks of the definition itself read the schema as its author wrote it.
 */
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"

export type StructuralType = "object" | "array" | "string" | "integer" | "number" | "boolean"

export interface Structural {
  /** Absent for int-or-string, and where unknown fields are preserved without a type. */
  readonly type?: StructuralType
  readonly properties: ReadonlyMap<string, Structural>
  /** Of values under names that `properties` lacks. `true`: any value. */
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
  /** The schema as it is stored: limits, formats, enumerations and junctors are read from it. */
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
 * Reads a schema of an established definition, which `check-definition.ts` has accepted: values of a wrong type are
 * ignored. `prefix`: the vendor's `extensionPrefix`, as in `x-kubernetes-list-type`. The work is proportional to the
 * schema.
 */
export function structuralOf(source: JsonObject, prefix: string): Structural {
  const extension = (name: string): JsonValue | undefined => source[prefix + name]
  const { type, properties, additionalProperties, items, default: byDefault } = source
  const listType = extension("list-type")
  const mapType = extension("map-type")
  const keys = extension("list-map-keys")
  const rules = extension("validations")
  return {
    ...(isType(type) && { type }),
    properties: new Map(
      Object.entries(isObject(properties) ? properties : {}).flatMap(([name, one]) =>
        isObject(one) ? [[name, structuralOf(one, prefix)] as const] : [],
      ),
    ),
    ...(additionalProperties === true && { additionalProperties }),
    ...(isObject(additionalProperties) && { additionalProperties: structuralOf(additionalProperties, prefix) }),
    ...(isObject(items) && { items: structuralOf(items, prefix) }),
    nullable: source.nullable === true,
    ...(byDefault !== undefined && (byDefault !== null || source.nullable === true) && { default: byDefault }),
    preserveUnknown: extension("preserve-unknown-fields") === true,
    embedded: extension("embedded-resource") === true,
    intOrString: extension("int-or-string") === true,
    ...((listType === "atomic" || listType === "set" || listType === "map") && { listType }),
    listMapKeys: Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [],
    ...((mapType === "atomic" || mapType === "granular") && { mapType }),
    rules: Array.isArray(rules) ? rules.flatMap((rule) => (isObject(rule) ? [ruleOf(rule)] : [])) : [],
    source,
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
