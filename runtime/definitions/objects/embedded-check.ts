/**
 * Checks of embedded resources: each has a version, a kind and valid metadata. Rules are as in apiextensions-apiserver
 * (pkg/apiserver/schema/objectmeta/validation.go).
 */
import type { Failures } from "../../base/failure.ts"
import { isObject, type JsonObject, type JsonValue, type ObjectMeta } from "../../base/json.ts"
import { cut } from "../../base/quote.ts"
import { FieldPath } from "../../encoding/field-path.ts"
import { dns1035LabelFaults } from "../../schema/names.ts"
import type { Structural } from "../structural.ts"
import { hasEmbedded } from "./embedded.ts"
import { shownText } from "../../base/go-text.ts"
import { schemaOfField } from "./prune.ts"

/**
 * Adds the failures of an embedded resource's metadata at `path`, as `spec.template.metadata`. The metadata gets an
 * invented name if it has none, since the reference does not require a name here.
 */
export type MetadataCheck = (metadata: ObjectMeta, path: string, failures: Failures) => void

/** Called after the values have been validated; does not check the root itself. */
export function checkEmbedded(object: JsonObject, schema: Structural, failures: Failures, checkMetadata?: MetadataCheck): void {
  if (hasEmbedded(schema)) checkFields(object, schema, FieldPath.root, { failures, checkMetadata })
}

interface Checking {
  readonly failures: Failures
  readonly checkMetadata: MetadataCheck | undefined
}

function checkValue(value: JsonValue, schema: Structural, path: FieldPath, checking: Checking): void {
  if (checking.failures.full || !hasEmbedded(schema)) return
  if (Array.isArray(value)) {
    const { items } = schema
    if (items !== undefined) for (const [index, item] of value.entries()) checkValue(item, items, path.index(index), checking)
  } else if (isObject(value)) {
    if (schema.embedded) checkResource(value, path, checking)
    checkFields(value, schema, path, checking)
  }
}

function checkFields(object: JsonObject, schema: Structural, path: FieldPath, checking: Checking): void {
  for (const name in object) {
    const field = object[name]
    const known = schemaOfField(schema, name)
    if (typeof field !== "object" || field === null || known === undefined) continue
    checkValue(field, known, schema.properties.has(name) ? path.child(name) : path.key(name), checking)
  }
}

function checkResource(object: JsonObject, path: FieldPath, { failures, checkMetadata }: Checking): void {
  const { apiVersion, kind, metadata } = object
  checkTypeField(apiVersion, path.child("apiVersion"), failures, versionFaults)
  checkTypeField(kind, path.child("kind"), failures, kindFaults)
  if (isObject(metadata)) {
    const named: ObjectMeta = { ...metadata, name: nameOf(metadata) }
    checkMetadata?.(named, path.child("metadata").toString(), failures)
  }
}

function nameOf({ name }: JsonObject): string {
  return typeof name === "string" && name !== "" ? name : "fakename"
}

function checkTypeField(
  value: JsonValue | undefined,
  path: FieldPath,
  failures: Failures,
  faultsOf: (text: string) => readonly string[],
): void {
  const field = path.toString()
  if (value === undefined) failures.add({ type: "Required", field, detail: "must not be empty" })
  else if (typeof value !== "string") {
    const shown = value === null ? '"null"' : shownText(value)
    failures.add({ type: "Invalid", field, value, detail: "must be a string", ...(shown !== undefined && { shown }) })
  } else if (value === "") failures.add({ type: "Invalid", field, value, detail: "must not be empty" })
  else for (const detail of faultsOf(value)) failures.add({ type: "Invalid", field, value, detail })
}

function versionFaults(apiVersion: string): string[] {
  return apiVersion.split("/").length > 2 ? [`unexpected GroupVersion string: ${cut(apiVersion)}`] : []
}

function kindFaults(kind: string): string[] {
  const faults = dns1035LabelFaults(kind.toLowerCase())
  return faults.length === 0 ? [] : [`may have mixed case, but should otherwise match: ${faults.join(",")}`]
}
