/**
 * Defaults of a schema, pruned by that schema: a definition is served with defaults that hold nothing an object would
 * lose. Rules are those of apiextensions-apiserver (pkg/apiserver/schema/defaulting/prune.go).
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { deepClone, deepEqual, ownField } from "../../encoding/field-path.ts"
import { setField } from "../../encoding/json/text.ts"
import type { TypeShape } from "../../schema/shape.ts"
import type { Structural } from "../structural.ts"
import { normalizeEmbedded } from "./embedded.ts"
import { pruneObject } from "./prune.ts"

/** A step from an object to a part of it. Items are reached through a list of one. */
type PartStep = { readonly name: string } | "item"

interface Pruning {
  readonly root: Structural
  /** The shape of ObjectMeta. */
  readonly metadata: TypeShape
}

/**
 * The schema with each default pruned as a part of an object of the root. Called once when a version of a definition
 * begins to be served; parts without defaults are shared with `schema`.
 */
export function withPrunedDefaults(schema: Structural, metadata: TypeShape): Structural {
  return prunedSchema(schema, [], { root: schema, metadata })
}

function prunedSchema(schema: Structural, path: readonly PartStep[], pruning: Pruning): Structural {
  const { additionalProperties, items, default: byDefault } = schema
  const properties = prunedProperties(schema.properties, path, pruning)
  const values =
    additionalProperties === undefined || additionalProperties === true
      ? additionalProperties
      : prunedSchema(additionalProperties, [...path, { name: "*" }], pruning)
  const item = items === undefined ? undefined : prunedSchema(items, [...path, "item"], pruning)
  const value = byDefault === undefined || byDefault === null ? byDefault : prunedPart(byDefault, path, pruning)
  if (properties === schema.properties && values === additionalProperties && item === items && value === byDefault) return schema
  return {
    ...schema,
    properties,
    ...(values !== undefined && { additionalProperties: values }),
    ...(item !== undefined && { items: item }),
    ...(value !== undefined && { default: value }),
  }
}

function prunedProperties(properties: Structural["properties"], path: readonly PartStep[], pruning: Pruning): Structural["properties"] {
  let isChanged = false
  const pruned = new Map<string, Structural>()
  for (const [name, field] of properties) {
    const after = prunedSchema(field, [...path, { name }], pruning)
    isChanged ||= after !== field
    pruned.set(name, after)
  }
  return isChanged ? pruned : properties
}

/** Prunes a value at its place in an otherwise empty object. A scalar has nothing to prune. */
function prunedPart(value: JsonValue, path: readonly PartStep[], { root, metadata }: Pruning): JsonValue {
  if (typeof value !== "object" || value === null) return value
  const around = path.reduceRight<JsonValue>((part, step) => (step === "item" ? [part] : fieldAlone(step.name, part)), deepClone(value))
  if (!isObject(around)) return value
  normalizeEmbedded(around, root, { metadata, malformed: "drop" })
  pruneObject(around, root)
  const part = partAt(around, path)
  return part === undefined || deepEqual(part, value) ? value : part
}

function fieldAlone(name: string, value: JsonValue): JsonObject {
  const object: JsonObject = {}
  setField(object, name, value)
  return object
}

function partAt(object: JsonObject, path: readonly PartStep[]): JsonValue | undefined {
  let part: JsonValue | undefined = object
  for (const step of path) {
    if (step === "item") part = Array.isArray(part) ? part[0] : undefined
    else part = isObject(part) ? ownField(part, step.name) : undefined
  }
  return part
}
