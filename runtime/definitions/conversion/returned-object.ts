/**
 * Checks that a hook changes only allowed parts of an object: its content, labels and annotations, but not its identity
 * or other metadata. Rules and texts are as in the reference's `webhook_converter.go`.
 */
import { failureText } from "../../base/errors.ts"
import type { Failure } from "../../base/failure.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { annotationsBytesMax } from "../../base/limits.ts"
import { cut } from "../../base/quote.ts"
import { stringify } from "../../encoding/json/text.ts"
import { labelValueFaults, qualifiedNameFaults } from "../../schema/names.ts"

/** Texts of messages about one object; a call for several objects has others. */
export interface ReturnedWords {
  /** Prefix for the fault of an object of another type. */
  readonly wrongType: string
  /** Prefix for the fault of an object that is not the one that was sent. */
  readonly wrongObject: string
  readonly wrongMetadata: string
}

/**
 * Returns the object that came back for `sent`, with the metadata of `sent` but for labels and annotations. Throws an
 * Error whose message begins with one of `words`.
 */
export function returnedObject(
  sent: ApiObject,
  returned: JsonValue | undefined,
  { apiVersion, words }: { readonly apiVersion: string; readonly words: ReturnedWords },
): ApiObject {
  const object = objectOf(returned, words)
  const { apiVersion: version = "", kind } = object
  if (version !== apiVersion)
    throw new Error(`${words.wrongType}: invalid groupVersion (expected ${apiVersion}, received ${cut(String(version))})`)
  if (kind !== sent.kind) throw new Error(`${words.wrongType}: invalid kind (expected ${sent.kind}, received ${cut(String(kind))})`)
  checkIdentity(sent, object, words)
  const { metadata, ...content } = object
  return { ...content, apiVersion, kind: sent.kind ?? "", metadata: metadataOf(sent, metadata, words) }
}

function objectOf(returned: JsonValue | undefined, words: ReturnedWords): JsonObject {
  if (!isObject(returned)) throw new Error(`${words.wrongType}: it is ${typeName(returned)} and no object`)
  if ((returned["kind"] ?? "") === "") throw new Error(`${words.wrongType}: Object 'Kind' is missing in '${cut(stringify(returned))}'`)
  return returned
}

const identity = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["uid", "UID"],
] as const

function checkIdentity(sent: ApiObject, object: JsonObject, { wrongObject }: ReturnedWords): void {
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {}
  for (const [field, word] of identity) {
    const before = sent.metadata?.[field] ?? ""
    const after = metadata[field]
    const shown = typeof after === "string" ? after : ""
    if (before !== shown) throw new Error(`${wrongObject}: must have the same ${word}: ${before} != ${cut(shown)}`)
  }
}

function metadataOf(sent: ApiObject, returned: JsonValue | undefined, { wrongMetadata }: ReturnedWords): JsonObject {
  if (returned === undefined) throw new Error(`${wrongMetadata}: missing metadata in converted object`)
  if (!isObject(returned)) throw new Error(`${wrongMetadata}: invalid metadata of type ${typeName(returned)} in converted object`)
  const metadata: JsonObject = { ...sent.metadata }
  for (const field of ["labels", "annotations"] as const) {
    const next = returned[field]
    if (next === undefined || next === null) delete metadata[field]
    else metadata[field] = textsOf(field, next, { sent: sent.metadata?.[field] ?? {}, wrongMetadata })
  }
  return metadata
}

/** Unchanged texts are not checked: they may be older than the rules. */
function textsOf(
  field: "labels" | "annotations",
  next: JsonValue,
  { sent, wrongMetadata }: { readonly sent: Readonly<Record<string, string>>; readonly wrongMetadata: string },
): JsonObject {
  if (!isObject(next)) throw new Error(`${wrongMetadata}: invalid metadata.${field} of type ${typeName(next)} in converted object`)
  let isChanged = Object.keys(sent).length !== Object.keys(next).length
  for (const key in next) {
    const value = next[key]
    if (typeof value !== "string")
      throw new Error(`${wrongMetadata}: metadata.${field}[${cut(key)}] must be a string, but is ${typeName(value)} in converted object`)
    if (sent[key] !== value) isChanged = true
  }
  if (!isChanged) return next
  const failures = field === "labels" ? labelFailures(next) : annotationFailures(next)
  if (failures.length === 0) return next
  const texts = failures.map((failure) => `${failure.field}: ${failureText(failure)}`)
  throw new Error(`${wrongMetadata}: ${texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`}`)
}

/** Failures that one message names. */
const failuresShown = 10

function labelFailures(labels: JsonObject): Failure[] {
  const failures: Failure[] = []
  const add = (value: string, faults: readonly string[]): void => {
    for (const detail of faults) failures.push({ type: "Invalid", field: "metadata.labels", value, detail })
  }
  for (const [key, value] of Object.entries(labels)) {
    if (failures.length >= failuresShown) break
    add(key, qualifiedNameFaults(key))
    if (typeof value === "string") add(value, labelValueFaults(value))
  }
  return failures
}

/** The reference's path. */
const annotationPath = "metadata.annotation"

function annotationFailures(annotations: JsonObject): Failure[] {
  const failures: Failure[] = []
  let bytes = 0
  for (const [key, value] of Object.entries(annotations)) {
    if (failures.length >= failuresShown) break
    for (const detail of qualifiedNameFaults(key.toLowerCase()))
      failures.push({ type: "Invalid", field: annotationPath, value: key, detail })
    bytes += Buffer.byteLength(key) + (typeof value === "string" ? Buffer.byteLength(value) : 0)
  }
  if (bytes > annotationsBytesMax)
    failures.push({ type: "TooLong", field: annotationPath, detail: `must have at most ${annotationsBytesMax} bytes` })
  return failures
}

/** The name of a value's Go type. */
function typeName(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return "nil"
  if (Array.isArray(value)) return "[]interface {}"
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64"
  if (typeof value === "boolean") return "bool"
  return typeof value === "string" ? "string" : "map[string]interface {}"
}
