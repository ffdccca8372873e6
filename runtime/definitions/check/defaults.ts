/**
 * Defaults of a schema: each must be valid by the schema of its field, and must have no fields that the schema does not
 * specify. What is wrong with `apiVersion`, `kind` and `metadata` is found in the whole resource around them.
 */
import { Failures } from "../../base/failure.ts"
import { failureText } from "../../base/errors.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { deepClone, deepEqual } from "../../encoding/field-path.ts"
import { type Structural, structuralOf } from "../structural.ts"

/** What is known of values by a schema. Fields of failures are relative to the value; "" is the value itself. */
export interface ValueChecks {
  /** Drops unknown fields in place. `resource`: apiVersion, kind and metadata at the top are known. */
  prune(value: JsonValue, schema: Structural, options: { readonly resource: boolean }): void
  /** Checks type and metadata of the resources in a value. */
  metadata(value: JsonValue, schema: Structural, options: { readonly resource: boolean }, failures: Failures): void
  /** Checks types, limits and formats. */
  value(value: JsonValue, schema: Structural, failures: Failures): void
  /** Evaluates the rules of the schema and of those below it. */
  rules(value: JsonValue, schema: Structural, options: { readonly resource: boolean }, failures: Failures): void
}

export interface DefaultRules {
  readonly prefix: string
  /** Defaults must have no unknown fields. */
  readonly prunedDefaults: boolean
  readonly values: ValueChecks
}

/** The resource around a default inside `apiVersion`, `kind` or `metadata`: the resource with this value. */
type Surround = (value: JsonValue) => JsonValue

/** Adds what is wrong with the defaults of a structural schema, and returns whether nothing is. */
export function checkDefaults(source: JsonObject, path: string, rules: DefaultRules, failures: Failures): boolean {
  const before = failures.list.length
  const schema = structuralOf(source, rules.prefix)
  const check = new DefaultCheck(rules, failures)
  check.node({ ...schema, embedded: true }, path, undefined, resourceOf, true)
  return failures.list.length === before
}

/** A resource with the given value as its whole, and with a type. */
function resourceOf(value: JsonValue): JsonValue {
  const fields = typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}
  return { kind: "Validation", apiVersion: "validation/v1", ...fields }
}

class DefaultCheck {
  constructor(
    private readonly rules: DefaultRules,
    private readonly failures: Failures,
  ) {}

  /** `meta`: the resource whose type or metadata this node is part of; undefined elsewhere. */
  node(schema: Structural, path: string, meta: Structural | undefined, surround: Surround, isRoot: boolean): void {
    if (this.failures.full) return
    const around = schema.embedded ? resourceOf : surround
    const within = schema.embedded ? undefined : meta
    if (schema.default !== undefined && schema.default !== null) {
      if (within !== undefined) this.insideMeta(schema.default, schema, `${path}.default`, within, around)
      else this.plain(schema.default, schema, `${path}.default`, isRoot || schema.embedded)
    }
    if (schema.items !== undefined) {
      this.node(schema.items, `${path}.items`, within, (value) => around([value]), false)
    }
    for (const [name, property] of schema.properties) {
      const isMeta = schema.embedded && (name === "metadata" || name === "apiVersion" || name === "kind")
      this.node(property, `${path}.properties[${name}]`, isMeta ? schema : within, (value) => around({ [name]: value }), false)
    }
  }

  private insideMeta(value: JsonValue, schema: Structural, path: string, resource: Structural, around: Surround): void {
    const found = new Failures()
    this.rules.values.metadata(around(deepClone(value)), resource, { resource: true }, found)
    if (found.empty) return this.validate(value, schema, path, false)
    const texts = [...new Set(found.list.map((failure) => `${failure.field}: ${failureText(failure)}`))]
    const said = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`
    this.failures.add({ type: "Invalid", field: path, value, detail: `must result in valid metadata: ${said}` })
  }

  private plain(value: JsonValue, schema: Structural, path: string, isRoot: boolean): void {
    const { values, prunedDefaults } = this.rules
    const resource = schema.embedded
    if (prunedDefaults) {
      const pruned = deepClone(value)
      values.prune(pruned, schema, { resource })
      if (!deepEqual(pruned, value)) {
        this.failures.add({ type: "Invalid", field: path, value, detail: "must not have unknown fields" })
      }
    }
    const found = new Failures()
    values.metadata(deepClone(value), schema, { resource }, found)
    if (found.empty) this.validate(value, schema, path, isRoot)
    else this.addBelow(path, found)
  }

  private validate(value: JsonValue, schema: Structural, path: string, isRoot: boolean): void {
    const found = new Failures()
    this.rules.values.value(value, schema, found)
    if (found.empty) this.rules.values.rules(value, schema, { resource: isRoot }, found)
    this.addBelow(path, found)
  }

  private addBelow(path: string, found: Failures): void {
    // The reference separates an index by a dot too.
    for (const failure of found.list) {
      const { field } = failure
      this.failures.add({ ...failure, field: field === "" ? path : `${path}.${field}` })
    }
  }
}

/** Whether a default in a structural schema has fields that the schema does not specify. */
export function hasUnprunedDefaults(source: JsonObject, { prefix, values }: Pick<DefaultRules, "prefix" | "values">): boolean {
  const isUnpruned = (schema: Structural, resource: boolean): boolean => {
    const { default: value, items, properties, additionalProperties } = schema
    if (value !== undefined && value !== null) {
      const pruned = deepClone(value)
      values.prune(pruned, schema, { resource })
      if (!deepEqual(pruned, value)) return true
    }
    if (items !== undefined && isUnpruned(items, items.embedded)) return true
    if (typeof additionalProperties === "object" && isUnpruned(additionalProperties, additionalProperties.embedded)) return true
    return [...properties.values()].some((property) => isUnpruned(property, property.embedded))
  }
  return isUnpruned(structuralOf(source, prefix), true)
}
