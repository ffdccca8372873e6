/**
 * Defaults of a schema, pruned by the same schema: a served definition has only defaults that objects would keep. Rules
 * are as in apiextensions-apiserver (pkg/apiserver/schema/defaulting/prune.go).
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { deepClone, deepEqual, ownField } from "../../encoding/field-path.ts"
import { setField } from "../../encoding/json/text.ts"
import type { TypeShape } from "../../schema/shape.ts"
import type { Structural } from "../structural.ts"
import { normalizeEmbedded } from "./embedded.ts"
import { pruneObject } from "./prune.ts"

/** A step from an object to a part of it. For items, the containing list has one. */
type PartStep = { readonly name: string } | "item"

/** The path to a part, its last step first; undefined for the object itself. Parts share the path of their parent. */
type PartPath = { readonly step: PartStep; readonly above: PartPath } | undefined

interface Pruning {
  readonly root: Structural
  /** The shape of ObjectMeta. */
  readonly metadata: TypeShape
}

/**
 * The schema with each default pruned as a part of a root object. Called once when a version is first served; parts
 * without defaults are shared with `schema`.
 */
export function withPrunedDefaults(schema: Structural, metadata: TypeShape): Structural {
  return prunedSchema(schema, undefined, { root: schema, metadata })
}

function prunedSchema(schema: Structural, path: PartPath, pruning: Pruning): Structural {
  const { additionalProperties, items, default: byDefault } = schema
  const properties = prunedProperties(schema.properties, path, pruning)
  const values =
    additionalProperties === undefined || additionalProperties === true
      ? additionalProperties
      : prunedSchema(additionalProperties, { step: { name: "*" }, above: path }, pruning)
  const item = items === undefined ? undefined : prunedSchema(items, { step: "item", above: path }, pruning)
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

function prunedProperties(properties: Structural["properties"], path: PartPath, pruning: Pruning): Structural["properties"] {
  let isChanged = false
  const pruned = new Map<string, Structural>()
  for (const [name, field] of properties) {
    const after = prunedSchema(field, { step: { name }, above: path }, pruning)
    isChanged ||= after !== field
    pruned.set(name, after)
  }
  return isChanged ? pruned : properties
}

/** Prunes a value at its place in an otherwise empty object. Scalars and empty values need no pruning. */
function prunedPart(value: JsonValue, path: PartPath, { root, metadata }: Pruning): JsonValue {
  if (typeof value !== "object" || value === null || isEmpty(value)) return value
  const steps: PartStep[] = []
  let around: JsonValue = deepClone(value)
  for (let at = path; at !== undefined; at = at.above) {
    around = at.step === "item" ? [around] : fieldAlone(at.step.name, around)
    steps.push(at.step)
  }
  if (!isObject(around)) return value
  normalizeEmbedded(around, root, { metadata, malformed: "drop" })
  pruneObject(around, root)
  const part = partAt(around, steps.reverse())
  return part === undefined || deepEqual(part, value) ? value : part
}

function isEmpty(value: JsonObject | JsonValue[]): boolean {
  for (const _name in value) return false
  return true
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
