/** PATCH: the content type determines the kind of patch; specification section 4.8. */
import { type DocumentPatchType, type PatchDocument, readingDocumentPatch } from "../apply/read-patch.ts"
import { withManagers } from "../apply/managed-fields/with-managers.ts"
import { assert } from "../base/assert.ts"
import { ApiError, badRequest, invalid, unsupportedMediaType } from "../base/errors.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { shortJson } from "../base/bounded-text.ts"
import { documentValuesMax, shownValueCharactersMax } from "../base/limits.ts"
import { cut } from "../base/quote.ts"
import { goPlain } from "../base/go-text.ts"
import { normalize } from "../encoding/normalize.ts"
import type { KindHandle } from "../registry/registry.ts"
import { deepEqual, ownField } from "../encoding/field-path.ts"
import { unknownFieldText } from "../encoding/json/typed.ts"
import { JsonSyntaxError, type ParsedJson, stringify } from "../encoding/json/text.ts"
import { decodeUtf8 } from "../base/utf8.ts"
import { typed } from "../schema/typed.ts"
import { versionsOf } from "../registry/managed-fields.ts"
import type { WriteResult } from "../registry/commit.ts"
import { updateObject } from "../registry/update.ts"
import type { Stages } from "../base/turns.ts"
import type { FieldValidation } from "../wire/decode-object.ts"
import type { DeadlineSignal } from "../base/deadline-signal.ts"
import { readJson, workOn } from "../wire/long-documents.ts"
import { answerWrite } from "./answer.ts"
import { attributesOf } from "./attributes.ts"
import { creationRight } from "./creation-right.ts"
import { bodyOf, applyFieldValidation, renormalizing } from "./request-body.ts"
import { readApplyPatch } from "./apply.ts"
import { negotiateResponse, type ObjectRequest, type ResourceRequest } from "./call.ts"
import { matchPath, type WriteScope } from "./update.ts"
import { readWriteOptions, type WriteOptions } from "./write-options.ts"
import type { Patch } from "./patch-document.ts"

const patchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
] as const
type PatchType = (typeof patchTypes)[number]
const customPatchTypes = patchTypes.filter((type) => type !== "application/strategic-merge-patch+json")

/** PATCH of an object, or of a sub-resource with the same kind of body. */
export async function patchVerb(call: ResourceRequest, scope: WriteScope = {}): Promise<void> {
  const type = patchTypeOf(call)
  const applying = type === "application/apply-patch+yaml"
  const format = negotiateResponse(call, { list: false })
  const options = readWriteOptions(call.request.query, applying ? "apply" : "PatchOptions")
  const body = await bodyOf(call)
  const subresource = scope.subresource?.name ?? ""
  const patch = applying
    ? await readApplyPatch(call, body, { subresource, versions: await versionsOf(call.registry, call.handle, subresource), ...options })
    : await readPatch(call, type, body)
  const result = await patchOperation(call, patch, { options, scope, applying })
  await answerWrite(call, { format, result })
}

/**
 * Changes an object by a parsed patch. Throws as `updateObject`, and 400 or 422 for a result that is not an object of
 * the kind.
 */
export async function patchOperation(
  call: ObjectRequest,
  patch: Patch,
  { options, scope, applying }: { options: WriteOptions; scope: WriteScope; applying: boolean },
): Promise<WriteResult> {
  const { expiry, pace } = call.request
  const bodyBytes = pace.bytes
  const sentWarnings = new Set<string>()
  const others = await otherVersions(call)
  return updateObject(call.registry, call.handle, {
    attributes: attributesOf(call, "UPDATE", options),
    ...(scope.subresource !== undefined && { subresource: scope.subresource }),
    put: false,
    ...(applying && { creation: { by: "apply", authorize: creationRight(call) } }),
    managedFields: applying ? "provided" : call.request.untracked ? undefined : "tracked",
    fresh: scope.next === undefined,
    transform: (old, { bytes, isSlow: isLarge }, written) =>
      workOn(
        bytes,
        patching(
          call,
          { patch, bodyBytes, fieldValidation: options.fieldValidation, sentWarnings, others },
          { scope, old, written, isLarge },
        ),
        expiry,
      ),
  })
}

interface PatchedState {
  readonly scope: WriteScope
  readonly old: ApiObject | undefined
  /** `old`, if this process has written it last. */
  readonly written: ApiObject | undefined
  readonly isLarge: boolean
}

/** Makes the next object: applies the patch, then normalizes, defaults and checks the result. */
function* patching(call: ObjectRequest, options: PatchedOptions, { scope, old, written, isLarge }: PatchedState): Stages<ApiObject> {
  // Forgets characters that defaults of an earlier attempt added.
  call.request.pace.bytes = options.bodyBytes
  const changed = ofSameKind(call, yield* options.patch.apply(old, isLarge), options)
  const { strictErrors, ordered, isApplied = false, isStrategic = false } = options.patch
  let patched: ApiObject
  try {
    const isNothing = isApplied && old !== undefined && isOtherVersion(call) && sameContent(changed, old)
    const { object, unknown } = yield* renormalizing(call, isNothing ? undefaulted(call) : call.handle.parts, changed, {
      keepNulls: isApplied,
      written,
    })
    // An apply reports undeclared fields itself, and silently drops fields below a type that declares none.
    const reported = isApplied ? [] : unknown
    applyFieldValidation(call, [...strictErrors, ...(ordered === undefined ? reported : ordered(reported))], options)
    patched = object
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 400) throw error
    throw decodeFault(error.message, changed, isStrategic)
  }
  // A missing object with a uid in the patch is refused for its uid, not for its name.
  if (old !== undefined || (patched.metadata?.uid ?? "") === "") matchPath(call, patched)
  return scope.next === undefined || old === undefined ? patched : withManagers(scope.next(patched, old), patched.metadata?.managedFields)
}

/** Whether objects are stored in another version of the kind than the request's. The definition may be gone by now. */
function isOtherVersion({ handle }: ObjectRequest): boolean {
  return handle.kind.custom !== undefined && handle.stored !== handle.kind
}

/**
 * An apply that changes nothing sets no defaults, as in the reference: defaults of another version than the stored one
 * are dropped again, and each apply would count as a change.
 */
function undefaulted({ handle }: ObjectRequest): Parameters<typeof renormalizing>[1] {
  return { shape: handle.parts.shape, applyDefaults: () => {} }
}

function sameContent(next: JsonObject, old: ApiObject): boolean {
  const content = ({ metadata, ...rest }: JsonObject): JsonObject => {
    const { managedFields: _managers, ...own } = isObject(metadata) ? metadata : {}
    return { ...rest, metadata: own }
  }
  return deepEqual(content(next), content(typed<JsonObject>(old)))
}

/** The kind of patch. Throws 415 with the supported content types. */
export function patchTypeOf(call: ResourceRequest): PatchType {
  // Compared literally, as in the reference: with case and spaces.
  const header = call.request.headers["content-type"] ?? ""
  const end = header.indexOf(";")
  const type = end < 0 ? header : header.slice(0, end)
  // A definition's schema has no rules for strategic merge patches.
  const isCustom = call.handle.kind.custom !== undefined
  const served = isCustom ? customPatchTypes : patchTypes
  const known = served.find((candidate) => candidate === type)
  if (known !== undefined) return known
  if (isCustom) throw unsupportedMediaType(served)
  // The reference sends no deprecation warning with this refusal either.
  call.request.warnings.length = 0
  throw unsupportedPatchType()
}

/** The reference's router refuses these before it reads the body, with its own message. */
function unsupportedPatchType(): ApiError {
  const { code, reason, message } = unsupportedMediaType(patchTypes)
  return new ApiError(code, reason, `415: Unsupported Media Type: ${message}`, {})
}

/** Parses and checks the body. Throws 400 or 413. */
export async function readPatch(call: ObjectRequest, type: DocumentPatchType, body: Buffer): Promise<Patch> {
  const text = decodeUtf8(body)
  const parsed = await parsedPatch(text, { bytes: body.length, expiry: call.request.expiry })
  call.request.audit?.sentJson(text)
  return documentPatch(call, type, { text, parsed })
}

/** The patch of a parsed document. Throws 400 or 413. */
export async function documentPatch(call: ObjectRequest, type: DocumentPatchType, document: PatchDocument): Promise<Patch> {
  const { expiry, pace } = call.request
  const patch = await workOn(pace.bytes, readingDocumentPatch(type, document, call.handle.parts.shape), expiry)
  return {
    apply: (object) => {
      assert(object !== undefined, "only an applied configuration makes an object")
      return patch.apply(object)
    },
    strictErrors: patch.strictErrors,
    ordered: patch.ordered,
    isStrategic: type === "application/strategic-merge-patch+json",
  }
}

async function parsedPatch(text: string, { bytes, expiry }: { bytes: number; expiry: DeadlineSignal }): Promise<ParsedJson> {
  try {
    return await readJson(bytes, text, expiry)
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw badRequest(`error decoding patch: ${error.message}`)
    throw error
  }
}

interface PatchedOptions {
  readonly patch: Patch
  /** The size of the request's body. */
  readonly bodyBytes: number
  readonly fieldValidation: FieldValidation
  readonly sentWarnings: Set<string>
  /** The other served versions of a built-in kind, by their apiVersion. */
  readonly others: ReadonlyMap<string, KindHandle>
}

/** Opens the other versions of a built-in kind: a patch may turn an object into one of them. Most kinds have none. */
async function otherVersions({ registry, handle, parts }: ObjectRequest): Promise<ReadonlyMap<string, KindHandle>> {
  const others = new Map<string, KindHandle>()
  if (handle.kind.custom !== undefined) return others
  // Bounded: a kind has few versions.
  for (const kind of parts.kinds.sharing(handle.kind.storage.path)) {
    if (kind === handle.kind || kind.kind !== handle.kind.kind) continue
    const other = registry.opened(kind) ?? (await registry.handle(kind))
    others.set(other.apiVersion, other)
  }
  return others
}

/** Converts a document of another version into the version of the path, and drops fields that the latter lacks. */
function converted({ handle, parts }: ObjectRequest, other: KindHandle, document: JsonObject): JsonObject {
  const { object } = normalize(other.parts.shape, document, { maxValues: documentValuesMax })
  other.parts.applyDefaults(object, { vendor: parts.vendor })
  return typed<JsonObject>(handle.fromStored(other.toStored(object)))
}

/**
 * Adds the kind and apiVersion of the path if the patched document has none. A document in another version of the kind
 * becomes one of this version. Throws if it is of another kind.
 */
function ofSameKind(call: ObjectRequest, object: JsonObject, options: PatchedOptions): JsonObject {
  const { handle } = call
  const { others, patch } = options
  const { isApplied = false, isStrategic = false } = patch
  if (!isApplied && !isStrategic && handle.kind.custom === undefined && (object.apiVersion ?? "") === "")
    throw namelessResult(call, object, options)
  const shownKind = object.kind === "" ? handle.kind.kind : (object.kind ?? handle.kind.kind)
  const shownVersion = object.apiVersion === "" ? handle.apiVersion : (object.apiVersion ?? handle.apiVersion)
  const other = shownKind === handle.kind.kind && typeof shownVersion === "string" ? others.get(shownVersion) : undefined
  if (other !== undefined) return converted(call, other, object)
  if (shownKind !== handle.kind.kind || shownVersion !== handle.apiVersion) {
    const unknown = `no kind ${stringify(shownKind)} is registered for version ${stringify(shownVersion)} in scheme "pkg/runtime/scheme.go:100"`
    const shown = shortJson({ apiVersion: shownVersion, kind: shownKind }, shownValueCharactersMax)
    throw resultFault(`${cut(unknown)}: a patch may not change apiVersion or kind`, shown)
  }
  const whole = object.kind === shownKind && object.apiVersion === shownVersion
  return whole ? object : { ...object, kind: shownKind, apiVersion: shownVersion }
}

/** Without an apiVersion, the reference recognizes no field of a document, and misses its name. */
function namelessResult(call: ObjectRequest, object: JsonObject, options: PatchedOptions): ApiError {
  const { info } = call.request
  const unknown = Object.keys(object).filter((name) => name !== "apiVersion" && name !== "kind")
  try {
    applyFieldValidation(call, unknown.sort().map(unknownFieldText), options)
  } catch (error) {
    return error instanceof ApiError ? resultFault(error.message, "") : badRequest("error decoding patch")
  }
  const removed = "the patch removes apiVersion, without which nothing of the object can be read"
  return badRequest(`the name of the object (${info.name} based on URL) was undeterminable: name must be provided: ${removed}`)
}

/** A 422 for a patch whose result is not a valid object of the kind, as in the reference. */
function resultFault(detail: string, value: string): ApiError {
  return invalid({ group: "", resource: "" }, [{ type: "Invalid", field: "patch", value, detail }])
}

/**
 * The fault of decoding a patched document. Shows the field at fault alone, where the reference shows all, secrets
 * included. A text in place of a map of the object itself, such as `data`, may be a secret, and is not shown either.
 */
function decodeFault(message: string, document: JsonObject, isStrategic: boolean): ApiError {
  const path = /^json: cannot unmarshal .* into field (\S+) of type /.exec(message)?.[1]
  const part = path === undefined ? undefined : partAt(document, path)
  const text = isStrategic ? (restoreText(message) ?? message) : message
  if (part === undefined || textForMap.test(message)) return resultFault(text, "")
  return resultFault(text, isStrategic ? goPlain(part) : shortJson(part, shownValueCharactersMax))
}

const textForMap = /^json: cannot unmarshal string into field \w+ of type map\[/

/** The document with only the field at a path such as `spec.containers[0].image`; undefined if it is not found. */
function partAt(value: JsonValue, path: string): JsonValue | undefined {
  if (path === "") return value
  const index = /^\[(\d+)\]\.?/.exec(path)
  if (index !== null) {
    const part = Array.isArray(value) ? partAt(value[Number(index[1])] ?? null, path.slice(index[0].length)) : undefined
    return part === undefined ? undefined : [part]
  }
  if (!isObject(value)) return undefined
  // A key may contain dots; the longest existing key counts.
  for (let end = path.length; end > 0; end = Math.max(path.lastIndexOf(".", end - 1), path.lastIndexOf("[", end - 1))) {
    const name = path.slice(0, end)
    const field = ownField(value, name)
    if (field === undefined) continue
    const part = partAt(field, path.slice(path.charAt(end) === "." ? end + 1 : end))
    return part === undefined ? undefined : { [name]: part }
  }
  return undefined
}

/** The reference's names for JSON types, in errors about a value of another type than its field. */
const goKinds: Readonly<Record<string, string>> = { string: "string", object: "map", array: "slice", bool: "bool" }
const numericType = /^(u?int(8|16|32|64)?|float(32|64))$/

/** Words the fault of a value with the wrong type as the reference's decoder of unstructured objects does. */
function restoreText(message: string): string | undefined {
  const [, found = "", path = "", type = ""] =
    /^json: cannot unmarshal (\S+(?: \S+)?) into field (\S+) of type (\S+?)(?::|$)/.exec(message) ?? []
  if (type === "") return undefined
  const [word = "", number = ""] = found.split(" ")
  const kind = word === "number" ? (/^-?\d+$/.test(number) ? "int64" : "float64") : (goKinds[word] ?? word)
  const text = type.startsWith("map[")
    ? `cannot restore map from ${kind}`
    : type.startsWith("[]")
      ? `cannot restore slice from ${kind}`
      : type.includes(".")
        ? `cannot restore struct from: ${kind}`
        : word === "number" && (kind === "int64" ? type === "string" : numericType.test(type))
          ? `cannot convert ${kind} to ${type}`
          : `unrecognized type: ${type}`
  return `${text}: ${path}`
}
