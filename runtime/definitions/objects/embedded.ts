/**
 * Metadata of embedded resources, decoded as a typed server would: unknown fields are dropped, and values of a wrong
 * type are refused. Rules are as in apiextensions-apiserver (pkg/apiserver/schema/objectmeta).
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { DecodeFault } from "../../encoding/json/decode-fault.ts"
import { setField } from "../../encoding/json/text.ts"
import { normalize } from "../../encoding/normalize.ts"
import type { TypeShape } from "../../schema/shape.ts"
import type { Structural } from "../structural.ts"
import { invalidText } from "../../base/go-text.ts"
import { schemaOfField } from "./prune.ts"
import type { UnknownNames } from "./unknown-names.ts"

export interface EmbeddedOptions {
  /** The shape of ObjectMeta. */
  readonly metadata: TypeShape
  /**
   * Handling of values that do not fit their type. `refuse`: throws a DecodeFault, for requests. `drop`: drops only
   * these fields, for stored objects, which may be older than the check.
   */
  readonly malformed: "refuse" | "drop"
  readonly unknown?: UnknownNames
}

/**
 * Brings `apiVersion`, `kind` and `metadata` of all embedded resources into the form of typed objects, in place. Called
 * after `pruneObject`; the root's own metadata stays unchanged. Throws DecodeFault with `refuse`.
 */
export function normalizeEmbedded(object: JsonObject, schema: Structural, options: EmbeddedOptions): void {
  if (!hasEmbedded(schema)) return
  readFields(object, schema, { options, path: "" })
  options.unknown?.endGroup()
}

const embedding = new WeakMap<Structural, boolean>()

/** Whether a value of this schema may hold an embedded resource, itself included. */
export function hasEmbedded(schema: Structural): boolean {
  const known = embedding.get(schema)
  if (known !== undefined) return known
  const { additionalProperties, items } = schema
  const found =
    schema.embedded ||
    (items !== undefined && hasEmbedded(items)) ||
    (additionalProperties !== undefined && additionalProperties !== true && hasEmbedded(additionalProperties)) ||
    [...schema.properties.values()].some(hasEmbedded)
  embedding.set(schema, found)
  return found
}

interface Position {
  readonly options: EmbeddedOptions
  /** `spec.templates[0]`, `spec.byName[a]`; "" at the root. */
  readonly path: string
}

function readValue(value: JsonValue, schema: Structural, at: Position): void {
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined || !hasEmbedded(items)) return
    for (const [index, item] of value.entries()) readValue(item, items, { ...at, path: `${at.path}[${index}]` })
  } else if (isObject(value)) {
    if (schema.embedded) readTypeAndMetadata(value, at)
    readFields(value, schema, at)
  }
}

function readFields(object: JsonObject, schema: Structural, at: Position): void {
  for (const name in object) {
    const field = object[name]
    const inside = schemaOfField(schema, name)
    if (typeof field !== "object" || inside === undefined || !hasEmbedded(inside)) continue
    const path = schema.properties.has(name) ? childPath(at.path, name) : `${at.path}[${name}]`
    readValue(field, inside, { ...at, path })
  }
}

function childPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`
}

function readTypeAndMetadata(object: JsonObject, { options, path }: Position): void {
  for (const name of ["apiVersion", "kind"]) {
    const value = object[name]
    if (value === undefined || typeof value === "string") continue
    if (options.malformed === "drop") delete object[name]
    else throw fault(childPath(path, name), value, "must be a string")
  }
  const { metadata } = object
  if (metadata === undefined) return
  const read = readMetadata(metadata, childPath(path, "metadata"), options)
  if (read === undefined) return
  if (read.creationTimestamp === null) delete read.creationTimestamp
  object.metadata = read
}

/** Undefined: the metadata stays unchanged. */
function readMetadata(metadata: JsonValue, path: string, options: EmbeddedOptions): JsonObject | undefined {
  try {
    return readFitting(metadata ?? {}, path, options)
  } catch (error) {
    if (!(error instanceof DecodeFault)) throw error
    if (options.malformed === "refuse") throw fault(path, metadata, error.message)
    return isObject(metadata) ? readFieldByField(metadata, path, options) : undefined
  }
}

function readFitting(metadata: JsonValue, path: string, { metadata: shape, unknown }: EmbeddedOptions): JsonObject {
  const { object, unknown: names } = normalize(shape, metadata, { typeMeta: false, reportUnknown: unknown !== undefined })
  for (const name of names) unknown?.add(`${path}.${name}`)
  return object
}

/** Keeps valid fields. */
function readFieldByField(metadata: JsonObject, path: string, options: EmbeddedOptions): JsonObject {
  const kept: JsonObject = {}
  for (const name in metadata) {
    const value = metadata[name]
    if (value === undefined) continue
    const alone: JsonObject = {}
    setField(alone, name, value)
    try {
      readFitting(alone, path, { ...options, malformed: "refuse" })
      setField(kept, name, value)
    } catch (error) {
      if (!(error instanceof DecodeFault)) throw error
    }
  }
  return readFitting(kept, path, { metadata: options.metadata, malformed: "refuse" })
}

function fault(path: string, value: JsonValue, detail: string): DecodeFault {
  return new DecodeFault(`${path}: ${invalidText(value)}: ${detail}`, path)
}
