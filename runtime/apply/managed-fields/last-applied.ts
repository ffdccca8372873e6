/**
 * Migration from client-side to server-side apply. Client-side apply keeps its configuration in an annotation. The
 * manager `kubectl` may change the fields of that configuration without conflict, and keeps the annotation current for
 * clients that still read it.
 */
import { sortByBytes } from "../../base/byte-order.ts"
import { ownField } from "../../encoding/field-path.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { parseJson, setField, stringify } from "../../encoding/json/text.ts"
import { annotationsBytesMax } from "../../base/limits.ts"
import { compareObjects } from "../ownership/compare.ts"
import { difference, type FieldSet, union } from "../ownership/field-set.ts"
import { typedFaults } from "../ownership/typed-check.ts"
import { fieldSetOf } from "../ownership/typed-set.ts"
import type { TypedVersion } from "./versions.ts"

/** The only manager that uses the annotation. */
export const kubectlManager = "kubectl"

/**
 * Returns the fields that still have the value in the annotation; empty when the annotation is missing, invalid or of
 * another version.
 */
export function allowedByLastApplied(version: TypedVersion, live: ApiObject, annotation: string): FieldSet {
  const lastApplied = parsed(live.metadata?.annotations?.[annotation])
  if (lastApplied === undefined || lastApplied.apiVersion !== version.apiVersion) return {}
  if (typedFaults(version.shape, lastApplied, { duplicates: "refuse" }).length > 0) return {}
  const { added, modified, removed } = compareObjects(version.shape, lastApplied, live)
  return difference(fieldSetOf(version.shape, lastApplied), union(union(added, modified), removed))
}

function parsed(text: string | undefined): JsonObject | undefined {
  if (text === undefined || text === "") return undefined
  try {
    const { value } = parseJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Writes the configuration into the annotation of `object`, if it has one. Removes the annotation when all annotations
 * together would then be too large. Pure.
 */
export function withLastApplied(object: ApiObject, config: JsonObject, annotation: string): ApiObject {
  const { [annotation]: before = "", ...others } = object.metadata?.annotations ?? {}
  if (before === "") return object
  const text = `${stringify(inNameOrder(withoutAnnotation(config, annotation)))}\n`
  const annotations = sizeOf(others) + sizeOf({ [annotation]: text }) > annotationsBytesMax ? others : { ...others, [annotation]: text }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

function sizeOf(annotations: Readonly<Record<string, string>>): number {
  let bytes = 0
  for (const [name, value] of Object.entries(annotations)) bytes += Buffer.byteLength(name) + Buffer.byteLength(value)
  return bytes
}

/** Keeps the annotations even when none is left, as client-side apply does. */
function withoutAnnotation(config: JsonObject, annotation: string): JsonObject {
  const metadata = config.metadata
  if (!isObject(metadata) || !isObject(metadata.annotations) || ownField(metadata.annotations, annotation) === undefined) return config
  const { [annotation]: _text, ...annotations } = metadata.annotations
  return { ...config, metadata: { ...metadata, annotations } }
}

function inNameOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inNameOrder)
  if (!isObject(value)) return value
  const sorted: JsonObject = {}
  for (const name of sortByBytes(Object.keys(value))) {
    const field = value[name]
    if (field !== undefined) setField(sorted, name, inNameOrder(field))
  }
  return sorted
}
