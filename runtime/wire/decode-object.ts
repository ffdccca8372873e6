/**
 * Decodes a request's body as an object of the expected kind: parses and normalizes it, and treats unknown and repeated
 * fields as `fieldValidation` says (specification section 4.10). Messages are the reference's.
 */
import { ApiError, badRequest, invalid } from "../base/errors.ts"
import { documentValuesMax, shownBodyCharactersMax } from "../base/limits.ts"
import { type ProtobufCodec, unwrapUnknown } from "../encoding/protobuf/codec.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { foundText, typeFault } from "../encoding/json/decode-fault.ts"
import { JsonSyntaxError, parsingJson } from "../encoding/json/text.ts"
import { normalize, normalizing } from "../encoding/normalize.ts"
import { knownBodyBytesMax, type SettledTexts } from "../encoding/settled-texts.ts"
import { keepManagedFieldsReset } from "../encoding/managed-fields-reset.ts"
import { cut } from "../base/quote.ts"
import type { TypeShape } from "../schema/shape.ts"
import { duplicateFieldText, parsingTypedJson, unknownFieldText } from "../encoding/json/typed.ts"
import { keepSentForms, sentForms } from "../encoding/sent-forms.ts"
import { sortedPaths } from "../encoding/unknown-fields.ts"
import { decodeUtf8 } from "../base/utf8.ts"
import { atOnce, type Stages } from "../base/turns.ts"
import { knownParts } from "./known-parts.ts"
import type { Media } from "./negotiate.ts"
import { type ParsedYaml, parseYaml, repeatedKeysText, yamlText } from "./yaml.ts"

export type FieldValidation = "Ignore" | "Warn" | "Strict"

export interface ExpectedKind {
  readonly kind: string
  /** As on the wire. A body without apiVersion gets the first; any version not listed is refused. */
  readonly apiVersions: readonly string[]
  /** Accepts any other version too: DeleteOptions are the same in every group. */
  readonly anyVersion?: boolean
  /**
   * Whether some release of the reference has had such a kind; the error for other kinds has another text. Absent:
   * every kind counts as known.
   */
  readonly isKnown?: (apiVersion: string, kind: string) => boolean
}

export interface DecodeOptions {
  readonly shape: TypeShape
  /** Absent: the kind has no protobuf encoding. */
  readonly codec?: ProtobufCodec
  readonly expect: ExpectedKind
  /** Default Warn. */
  readonly fieldValidation?: FieldValidation
  /** The values of a field that were decoded before. Absent: the kind has no such field. */
  readonly settled?: SettledTexts | undefined
  /** The object that the body replaces, if this process has written it last. */
  readonly stored?: ApiObject | undefined
}

export interface DecodedObject {
  /** Normalized; `kind` and `apiVersion` are always present, first, and the expected ones. */
  readonly object: ApiObject
  /**
   * Texts for `Warning: 299` headers: `unknown field "spec.foo"`, `duplicate field "metadata.name"`. Empty unless Warn.
   */
  readonly warnings: string[]
  /** Fields that are settled values, with their defaults. Absent: none. */
  readonly settled?: ReadonlySet<string> | undefined
  /** The body was JSON without unknown or repeated fields. */
  readonly isPlain: boolean
}

/** Called with the whole of a short body. Throws ApiError 400, or 413 for too many values. */
export function decodeObject(body: Uint8Array, media: Media, options: DecodeOptions): DecodedObject {
  return atOnce(decodingObject(body, media, options))
}

/** `decodeObject` in steps. `yaml`: parses a YAML body where another thread has done most of the work. */
export function* decodingObject(body: Uint8Array, media: Media, options: DecodeOptions, yaml?: Stages<ParsedYaml>): Stages<DecodedObject> {
  const known = media === "json" ? withKnownParts(body, options) : undefined
  if (known !== undefined) return known
  const parsed = yield* parsingBody(body, media, options, yaml)
  yield
  return yield* decodingParsed(parsed, body, media, options)
}

/** Decodes a document that was never text: the input of a program in this process. The caller gives `value` away. */
export function decodingValue(value: JsonValue, options: DecodeOptions): Stages<DecodedObject> {
  return decodingParsed({ value, duplicates: [] }, noBytes, "json", options)
}

const noBytes = new Uint8Array(0)
const decoded = { maxValues: documentValuesMax, keepsSentForms: true }

function* decodingParsed(parsed: ParsedBody, body: Uint8Array, media: Media, options: DecodeOptions): Stages<DecodedObject> {
  const level = options.fieldValidation ?? "Warn"
  const found = typeMetaOf(parsed.value, body, options)
  if (options.shape.structural === undefined) checkKind(found, options.expect)
  else checkCustomKind(found, options.expect, parsed.value)
  const { object, strict, isPlain } = yield* withKindInErrors(found, options.expect, typing(parsed, options))
  if (level === "Strict" && strict.length > 0) throw describe(found, options.expect, strictText(strict, parsed, media))
  // Protobuf does not distinguish an empty list from an absent one.
  if (media !== "compact") keepManagedFieldsReset(parsed.value, object)
  return { object: withTypeMeta(object, options.expect.kind, found.apiVersion), warnings: level === "Warn" ? strict : [], isPlain }
}

function strictText(strict: readonly string[], { duplicates }: ParsedBody, media: Media): string {
  const count = media === "yaml" ? duplicates.length : 0
  const texts = count === 0 ? strict : [repeatedKeysText(duplicates), ...strict.slice(count)]
  return `strict decoding error: ${texts.join(", ")}`
}

/** Puts kind and version first; most bodies have both. May change `object`. */
function withTypeMeta(object: ApiObject, kind: string, apiVersion: string): ApiObject {
  if (object.kind === undefined || object.apiVersion === undefined) {
    const { kind: _kind, apiVersion: _apiVersion, ...fields } = object
    const named: ApiObject = { kind, apiVersion, ...fields }
    keepSentForms(named, sentForms(object) ?? [])
    return named
  }
  object.kind = kind
  object.apiVersion = apiVersion
  return object
}

/** Decodes a short body of which parts are known. Undefined: it has none, or a fault, which a full decode reports. */
function withKnownParts(body: Uint8Array, options: DecodeOptions): DecodedObject | undefined {
  const { shape, expect, settled } = options
  if (body.length > knownBodyBytesMax) return undefined
  const parts = knownParts(Buffer.from(body.buffer, body.byteOffset, body.byteLength), options)
  if (parts === undefined) return undefined
  try {
    const { value, duplicates, fractions } = atOnce(parsingJson(parts.rest, { maxValues: documentValuesMax }))
    if (duplicates.length + fractions.length > 0 || !isObject(value) || !parts.putBack(value)) return undefined
    const type = typeMetaOf(value, body, options)
    checkKind(type, expect)
    const unchanged = parts.isSettled ? settled?.names : undefined
    const { object, hasUnknown } = normalize(shape, value, { reportUnknown: false, unchanged, ...decoded })
    if (hasUnknown) return undefined
    keepManagedFieldsReset(value, object)
    parts.putManagers(object)
    return { object: withTypeMeta(object, expect.kind, type.apiVersion), warnings: [], settled: unchanged, isPlain: true }
  } catch (error) {
    if (error instanceof ApiError || error instanceof JsonSyntaxError) return undefined
    throw error
  }
}

interface ParsedBody {
  readonly value: JsonValue
  /** Messages about repeated keys, if unknown fields are not yet known. */
  readonly duplicates: string[]
  /** JSON text to parse again with its type when it has reportable fields. */
  readonly text?: string
  /** It has repeated fields, or integers with a fraction, which only the type can judge. */
  readonly needsTypedParse?: boolean
}

function* parsingBody(body: Uint8Array, media: Media, options: DecodeOptions, yaml: Stages<ParsedYaml> | undefined): Stages<ParsedBody> {
  const { expect } = options
  try {
    if (media === "compact") return { value: yield* readingProtobuf(body, options), duplicates: [] }
    if (media === "yaml") return yaml === undefined ? parseYaml(yamlText(body)) : yield* yaml
    const text = decodeUtf8(body)
    const { value, duplicates, fractions } = yield* parsingJson(text, { maxValues: documentValuesMax })
    if (options.shape.structural !== undefined) return { value, duplicates: duplicates.map(duplicateFieldText) }
    return { value, duplicates: [], text, needsTypedParse: duplicates.length + fractions.length > 0 }
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw unrecognized(`couldn't get version/kind; json parse error: ${error.message}`, body, expect)
    if (error instanceof ApiError && error.code === 400) throw unrecognized(error.message, body, expect)
    throw error
  }
}

/**
 * Returns the object and the messages about fields of the body: in the order of the text for JSON, sorted by path for
 * YAML, as the reference does.
 */
function* typing(parsed: ParsedBody, options: DecodeOptions): Stages<{ object: ApiObject; strict: string[]; isPlain: boolean }> {
  const { shape } = options
  const { text } = parsed
  const wanted = (options.fieldValidation ?? "Warn") !== "Ignore"
  const typed = text !== undefined && parsed.needsTypedParse === true ? yield* parsingTypedJson(text, shape) : undefined
  yield
  const rules = { reportUnknown: wanted && text === undefined, ...decoded }
  const { object, unknown, hasUnknown } = yield* normalizing(shape, typed?.value ?? parsed.value, rules)
  const isPlain = text !== undefined && typed === undefined && !hasUnknown
  if (!wanted) return { object, strict: [], isPlain }
  if (typed !== undefined) return { object, strict: typed.strictErrors, isPlain }
  if (text !== undefined && hasUnknown) return { object, strict: (yield* parsingTypedJson(text, shape)).strictErrors, isPlain }
  const ordered = shape.structural === undefined ? sortedPaths(unknown) : unknown
  return { object, strict: [...parsed.duplicates, ...ordered.map(unknownFieldText)], isPlain }
}

function* readingProtobuf(body: Uint8Array, options: DecodeOptions): Stages<JsonValue> {
  const { apiVersion, kind, raw, contentType } = unwrapUnknown(body)
  if (contentType === "application/json") return (yield* parsingJson(decodeUtf8(raw), { maxValues: documentValuesMax })).value
  if (options.codec === undefined) throw badRequest("the kind has no compact form")
  const typeMeta = { ...(kind !== "" && { kind }), ...(apiVersion !== "" && { apiVersion }) }
  if (kind !== "" && kind !== options.expect.kind) return typeMeta
  return { ...typeMeta, ...(yield* options.codec.decodingBody(raw)) }
}

interface FoundKind {
  readonly kind: string
  readonly apiVersion: string
}

function typeMetaOf(value: JsonValue, body: Uint8Array, { expect, shape }: DecodeOptions): FoundKind {
  const document = value ?? {}
  if (!isObject(document))
    throw unrecognized(
      `couldn't get version/kind; json parse error: expected an object, found ${Array.isArray(document) ? "array" : typeof document}`,
      body,
      expect,
    )
  const { kind = "", apiVersion = "" } = namedFields(document)
  const wrong = (field: string, value: JsonValue): ApiError => {
    const { message } = typeFault({ found: foundText(value), field, type: "string", expected: undefined })
    return unrecognized(`couldn't get version/kind; json parse error: ${message}`, body, expect)
  }
  if (typeof kind !== "string") throw wrong("kind", kind)
  if (typeof apiVersion !== "string") throw wrong("apiVersion", apiVersion)
  if (kind === "" && shape.structural !== undefined) throw badRequest(`Object 'Kind' is missing in '${shownBody(body)}'`)
  if (apiVersion.indexOf("/") !== apiVersion.lastIndexOf("/"))
    throw unrecognized(`unexpected GroupVersion string: ${cut(apiVersion)}`, body, expect)
  return { kind: kind === "" ? expect.kind : kind, apiVersion: apiVersion === "" ? (expect.apiVersions[0] ?? "") : apiVersion }
}

/**
 * Reads `kind` and `apiVersion` in any letter case, as the reference does. The last one counts, except that a value
 * that is not a string stays.
 */
function namedFields(document: JsonObject): { kind?: JsonValue; apiVersion?: JsonValue } {
  const found: { kind?: JsonValue; apiVersion?: JsonValue } = {}
  for (const key in document) {
    const name = spelledName(key)
    const value = name === undefined ? undefined : (document[key] ?? undefined)
    if (name === undefined || value === undefined) continue
    if (found[name] === undefined || typeof found[name] === "string") found[name] = value
  }
  return found
}

function spelledName(key: string): "kind" | "apiVersion" | undefined {
  if (key === "kind" || key === "apiVersion") return key
  if (key.length === "kind".length) return key.toLowerCase() === "kind" ? "kind" : undefined
  return key.length === "apiVersion".length && key.toLowerCase() === "apiversion" ? "apiVersion" : undefined
}

function checkKind(found: FoundKind, expect: ExpectedKind): void {
  if (found.kind === expect.kind && (expect.anyVersion === true || expect.apiVersions.includes(found.apiVersion))) return
  if (expect.isKnown?.(found.apiVersion, found.kind) === false) {
    const [kind, version] = [JSON.stringify(cut(found.kind)), JSON.stringify(cut(found.apiVersion))]
    throw describe(found, expect, `no kind ${kind} is registered for version ${version} in scheme "pkg/runtime/scheme.go:100"`)
  }
  if (found.kind !== expect.kind)
    throw describe(found, expect, `the request is about kind ${expect.kind} of apiVersion ${expect.apiVersions.join(" or ")}`)
  throw wrongVersion(found, expect)
}

function wrongVersion({ apiVersion }: FoundKind, { apiVersions }: ExpectedKind): ApiError {
  return badRequest(
    `the API version in the data (${cut(apiVersion)}) does not match the expected API version (${apiVersions.join(" or ")})`,
  )
}

/** Objects of a definition's kind are decoded before their kind is compared: another one is a fault of the object. */
function checkCustomKind(found: FoundKind, expect: ExpectedKind, value: JsonValue): void {
  if (!expect.apiVersions.includes(found.apiVersion)) throw wrongVersion(found, expect)
  if (found.kind === expect.kind) return
  const { name } = isObject(value) && isObject(value.metadata) ? value.metadata : {}
  const [group = ""] = found.apiVersion.split("/")
  throw invalid({ group, resource: found.kind, ...(typeof name === "string" && { name }) }, [
    { type: "Invalid", field: "kind", value: found.kind, detail: `must be ${expect.kind}` },
  ])
}

/** Runs a decoder and adds the kind to its errors. */
function* withKindInErrors<T>(found: FoundKind, expect: ExpectedKind, decoding: Stages<T>): Stages<T> {
  try {
    return yield* decoding
  } catch (error) {
    if (error instanceof ApiError && error.code === 400) throw describe(found, expect, error.message)
    throw error
  }
}

function describe(found: FoundKind, expect: ExpectedKind, message: string): ApiError {
  const version = found.apiVersion.slice(found.apiVersion.indexOf("/") + 1)
  return badRequest(`${cut(found.kind)} in version ${JSON.stringify(cut(version))} cannot be handled as a ${expect.kind}: ${message}`)
}

function unrecognized(message: string, body: Uint8Array, expect: ExpectedKind): ApiError {
  return badRequest(`the object provided is unrecognized (must be of type ${expect.kind}): ${message} (${shownBody(body)})`)
}

/** The start of a body for an error: text when it looks like JSON, else hexadecimal, as the reference shows it. */
function shownBody(body: Uint8Array): string {
  if (body.length === 0) return "<empty>"
  const start = Buffer.from(body.subarray(0, shownBodyCharactersMax))
  const more = body.length > shownBodyCharactersMax ? " ..." : ""
  return `${start.toString(body[0] === 0x7b ? "utf8" : "hex")}${more}`
}
