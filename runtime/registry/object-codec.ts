/**
 * Converts between decoded objects, their JSON bytes and the stored value, for one storage path. The stored value has
 * no resourceVersion. The JSON bytes have one: it is inserted when the revision is known, without a second stringify.
 */
import { randomBytes } from "node:crypto"
import { assert } from "../base/assert.ts"
import { tooLarge } from "../base/errors.ts"
import type { ProtobufCodec } from "../encoding/protobuf/codec.ts"
import { unwrapUnknown } from "../encoding/protobuf/codec.ts"
import { envelopeHead, isEnvelope } from "../encoding/protobuf/envelope.ts"
import type { ApiObject, JsonObject, ObjectMeta } from "../base/json.ts"
import { isObject } from "../base/json.ts"
import { managedFieldsPieces } from "../encoding/json/field-set-text.ts"
import { parseJson, stringify } from "../encoding/json/text.ts"
import { settle, settledJson, type SettledJson } from "../encoding/settled.ts"
import type { SelectableField } from "../schema/kind.ts"
import { hasAnyField, textMap, withText } from "../encoding/protobuf/scan.ts"
import type { TypeShape } from "../schema/shape.ts"
import { objectBytesMax } from "../base/limits.ts"
import type { MetadataMark, ResourceCodec } from "../storage/cache.ts"
import type { StoredValue } from "../storage/store.ts"
import type { Stages } from "../base/turns.ts"

/** `--storage-media-type`. `yaml` stores JSON text, which is valid YAML and much cheaper to parse. */
export type StorageFormat = "compact" | "json" | "yaml"

/** The two encodings of an object to be written. */
export interface EncodedObject {
  readonly value: Uint8Array
  /** The JSON bytes with this revision as resourceVersion. */
  readonly json: (revision: number) => Buffer
}

export interface ObjectCodec extends ResourceCodec {
  /** Values of other versions may be stored, and are converted when they are read. */
  readonly readsEarlier: boolean
  /** Encodes `object` and takes ownership: its metadata is reordered and its resourceVersion emptied. */
  encode(object: ApiObject): EncodedObject
  /** As `encode`, in stages, for large objects. The caller must not change the object meanwhile. */
  encoding(object: ApiObject): Stages<EncodedObject>
  /**
   * The JSON of an object that has its version and is not going to be written. Its metadata is the caller's. `stored`:
   * the JSON of a stored object that differs in its metadata only, if there is one.
   */
  text(object: ApiObject, stored?: Buffer): Buffer
}

/**
 * A placeholder for the resourceVersion. It is random for each process, so no client can have put it into an object.
 */
const marker = `rv-${randomBytes(12).toString("hex")}`

/** Brings the metadata of an object to be written into published order, without a version. */
function placedMetadata(object: ApiObject): ObjectMeta {
  const metadata = isPlaced(object.metadata) ? object.metadata : versioned(object.metadata, "")
  metadata.creationTimestamp ??= null
  metadata.resourceVersion = ""
  object.metadata = metadata
  return metadata
}

/** A placeholder for the managed fields, whose texts are known. */
const managersMarker = `mf-${randomBytes(12).toString("hex")}`

/** A placeholder for a settled value, whose JSON is made once. */
const settledMarker = `sv-${randomBytes(12).toString("hex")}`

/**
 * The JSON of an object: `head`, its resourceVersion, `middle`, the settled value and `end`, or without the last two.
 * The texts of managed fields are long: `middle` is in pieces, so that none is copied.
 */
interface TextParts {
  readonly head: string
  readonly middle: readonly string[]
  readonly settled: SettledJson | undefined
  readonly end: string
}

/** `name`: the field of the kind whose values are settled, if it has one. */
function partsOfText(object: ApiObject, metadata: ObjectMeta, name: string | undefined): TextParts {
  const fields: JsonObject = metadata
  const { managedFields } = metadata
  const value = name === undefined ? undefined : object[name]
  const settled = isObject(value) ? settledJson(value) : undefined
  metadata.resourceVersion = marker
  if (managedFields !== undefined) fields.managedFields = managersMarker
  if (name !== undefined && settled !== undefined) object[name] = settledMarker
  const text = stringify(object)
  metadata.resourceVersion = ""
  if (managedFields !== undefined) metadata.managedFields = managedFields
  if (name !== undefined && settled !== undefined) object[name] = value
  const at = text.indexOf(marker)
  const head = text.slice(0, at)
  const rest = text.slice(at + marker.length)
  if (settled === undefined) return { head, middle: withManagersText(rest, managedFields), settled, end: "" }
  const [middle, end] = around(rest, settledMarker)
  return { head, middle: withManagersText(middle, managedFields), settled, end }
}

function withManagersText(text: string, managedFields: ObjectMeta["managedFields"]): readonly string[] {
  if (managedFields === undefined) return [text]
  const [before, after] = around(text, managersMarker)
  return [before, ...managedFieldsPieces(managedFields), after]
}

/** The text before and after a placeholder. The quotes around it go as well. */
function around(text: string, placeholder: string): readonly [before: string, after: string] {
  const at = text.indexOf(placeholder)
  assert(at > 0, "fields of an object follow its version in their order")
  return [text.slice(0, at - 1), text.slice(at + placeholder.length + 1)]
}

/** `before`: the pieces of text before the settled value, or of the whole text without such a value. */
function wholeText({ settled, end }: TextParts, before: readonly string[]): Buffer {
  // Objects without settled values are mostly short, and one piece is faster than many.
  if (settled === undefined) return Buffer.from(before.join(""))
  const { bytes } = settled
  let length = bytes.length + Buffer.byteLength(end)
  for (const piece of before) length += Buffer.byteLength(piece)
  const whole = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const piece of before) at += whole.write(piece, at)
  whole.set(bytes, at)
  whole.write(end, at + bytes.length)
  return whole
}

/** `message`: the stored value, if it is not JSON. `name`: as for `partsOfText`. */
function textsOf(object: ApiObject, metadata: ObjectMeta, name: string | undefined, message: Uint8Array | undefined): EncodedObject {
  const parts = partsOfText(object, metadata, name)
  const { head, middle, settled, end } = parts
  let length = head.length + marker.length + (settled?.characters ?? 0) + end.length
  for (const piece of middle) length += piece.length
  if (length > objectBytesMax)
    throw tooLarge(`Request entity too large: the JSON of the object has ${length} characters, more than the limit of ${objectBytesMax}`)
  // The cache and the response show the same revision, and share its bytes.
  let made: { revision: number; json: Buffer } | undefined
  return {
    value: message ?? wholeText(parts, [unversioned(head, middle.join(""))]),
    json: (revision) => {
      if (made?.revision !== revision) made = { revision, json: wholeText(parts, [head, String(revision), ...middle]) }
      return made.json
    },
  }
}

/** The JSON of an object as it is. `name`: as for `partsOfText`. */
function versionedText(object: ApiObject, name: string | undefined): Buffer {
  const { metadata = {} } = object
  const { resourceVersion = "" } = metadata
  const parts = partsOfText(object, metadata, name)
  metadata.resourceVersion = resourceVersion
  return wholeText(parts, [parts.head, resourceVersion, ...parts.middle])
}

/**
 * The same for an object whose fields behind the metadata equal the fields of the stored object with this JSON. `name`:
 * the first of them, an object. Returns undefined if the stored object has another field there.
 */
function textBefore({ kind = "", apiVersion = "", metadata = {} }: ApiObject, stored: Buffer, name: string): Buffer | undefined {
  // In the metadata itself only texts have names that a client chose, and managed fields have prefixes.
  const behind = stored.indexOf(`},"${name}":{`) + 1
  if (behind === 0) return undefined
  const { resourceVersion = "" } = metadata
  const { head, middle } = partsOfText({ kind, apiVersion, metadata }, metadata, undefined)
  metadata.resourceVersion = resourceVersion
  const before = [head, resourceVersion, ...middle].join("")
  // The last character ends the object.
  const to = Buffer.byteLength(before) - 1
  const whole = Buffer.allocUnsafeSlow(to + stored.length - behind)
  whole.write(before)
  stored.copy(whole, to, behind)
  return whole
}

function* encodingInStages(
  object: ApiObject,
  name: string | undefined,
  messageOf: (object: ApiObject) => Uint8Array | undefined,
): Stages<EncodedObject> {
  const metadata = placedMetadata(object)
  const message = messageOf(object)
  yield
  const encoded = textsOf(object, metadata, name, message)
  yield
  return encoded
}

/** Both return undefined for a version that is not an earlier one: the value is then read as the stored version. */
export interface EarlierVersions {
  /** Converts an object of an earlier version to the stored one. */
  convert(object: ApiObject): ApiObject | undefined
  /** Decodes a compact message of an earlier version, and converts it. */
  decode(apiVersion: string, raw: Uint8Array): ApiObject | undefined
}

/** Called once per storage path. `selectable`: fields of all versions that share it, read from the stored form. */
export function createObjectCodec(options: {
  format: StorageFormat
  apiVersion: string
  kind: string
  compact: ProtobufCodec
  shape: TypeShape
  normalizeStored: (object: JsonObject) => ApiObject
  selectable: readonly SelectableField[]
  /** The field whose values are settled when an object is encoded. Absent: the kind has none. */
  shared?: string | undefined
  /** Reads values of other versions that were stored before this one was; absent: there are none. */
  earlier?: EarlierVersions
}): ObjectCodec {
  const { format, apiVersion, kind, compact, selectable, shared, earlier } = options
  const place = metadataPlace(options.shape)
  const own = earlier === undefined ? undefined : envelopeHead({ apiVersion, kind, rawBytes: 0 }).subarray(0, -1)
  return {
    readsEarlier: earlier !== undefined,
    encode(object) {
      const metadata = placedMetadata(object)
      const value = shared === undefined ? undefined : object[shared]
      if (isObject(value)) settle(value)
      return textsOf(object, metadata, shared, messageOf(object))
    },
    encoding: (object) => encodingInStages(object, shared, messageOf),
    text(object, stored) {
      const known = stored === undefined || shared === undefined ? undefined : textBefore(object, stored, shared)
      return known ?? versionedText(object, shared)
    },
    toJson(stored) {
      const object = storedObject(stored.value)
      return stringify({ ...object, metadata: versioned(object.metadata, String(stored.modRevision)) })
    },
    mayHaveMetadata: (value, names) => (isOwn(value) ? mayHaveMetadata(value, names, place) : true),
    labels: (value) => (isOwn(value) ? storedLabels(value, place) : undefined),
    toMessage: (stored) => (isOwn(stored.value) ? storedMessage(stored, place) : undefined),
    describe: (json) => describe(parseObject(json)),
    describeObject: describe,
    describeStored: (value) => describe(storedObject(value)),
  }

  function messageOf(object: ApiObject): Uint8Array | undefined {
    return format === "compact" ? compact.encodeEnvelope(object, { apiVersion, kind }) : undefined
  }

  function describe(object: ApiObject): { labels: Record<string, string>; fields: Record<string, string> } {
    const metadata = object.metadata ?? {}
    const fields: Record<string, string> = { "metadata.name": metadata.name ?? "", "metadata.namespace": metadata.namespace ?? "" }
    for (const field of selectable) fields[field.name] = field.value(object)
    return { labels: metadata.labels ?? {}, fields }
  }

  /** Whether an envelope is of the stored version; only kinds with earlier versions must look. */
  function isOwn(value: Uint8Array): boolean {
    return own === undefined || !isEnvelope(value) || own.equals(value.subarray(0, own.length))
  }

  function storedObject(value: StoredValue["value"]): ApiObject {
    if (!isEnvelope(value)) {
      const object = parseObject(value)
      return earlier?.convert(object) ?? options.normalizeStored(object)
    }
    const { apiVersion: written, raw } = unwrapUnknown(value)
    const converted = earlier?.decode(written, raw)
    if (converted !== undefined) return converted
    return options.normalizeStored({ kind, apiVersion, ...compact.decode(raw) })
  }
}

/** Field numbers of metadata in the protobuf encoding of a kind; undefined for kinds without metadata there. */
interface MetadataPlace {
  readonly number: number
  readonly fields: ReadonlyMap<string, number | undefined>
}

function metadataPlace(shape: TypeShape): MetadataPlace | undefined {
  // The fields of a run-time definition are made on first use; its root is no message.
  const { fields } = shape.structural?.root ?? shape
  const metadata = fields.find((field) => field.name === "metadata")
  if (metadata?.number === undefined || !("ref" in metadata.type)) return undefined
  return { number: metadata.number, fields: new Map(metadata.type.ref().fields.map(({ name, number }) => [name, number])) }
}

/** Length of the magic prefix of the envelope, and the number of its field that holds the object. */
const magicBytes = 4
const rawField = 2

/** Looks for the fields in the encoded value. Returns true for a malformed value, which the decoder then reports. */
function mayHaveMetadata(value: Uint8Array, names: readonly MetadataMark[], place: MetadataPlace | undefined): boolean {
  if (!isEnvelope(value)) {
    const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    return names.some((name) => text.includes(`"${name}"`))
  }
  const numbers: number[] = []
  for (const name of names) {
    const number = place?.fields.get(name)
    if (number === undefined) return true
    numbers.push(number)
  }
  try {
    return place === undefined || hasAnyField(value, { from: magicBytes, path: [rawField, place.number], numbers })
  } catch {
    return true
  }
}

/** See `ResourceCodec.labels`. Returns undefined for a malformed value, which the decoder then reports. */
function storedLabels(value: Uint8Array, place: MetadataPlace | undefined): Record<string, string> | undefined {
  const number = place?.fields.get("labels")
  if (place === undefined || number === undefined || !isEnvelope(value)) return undefined
  try {
    return textMap(value, { from: magicBytes, path: [rawField, place.number], number })
  } catch {
    return undefined
  }
}

/** See `ResourceCodec.toMessage`: the message in the envelope, with the resourceVersion that the store leaves empty. */
function storedMessage({ modRevision, value }: StoredValue, place: MetadataPlace | undefined): Buffer | undefined {
  const number = place?.fields.get("resourceVersion")
  if (place === undefined || number === undefined || !isEnvelope(value)) return undefined
  try {
    return withText(value, { from: magicBytes, path: rawField, inner: place.number, number, text: String(modRevision) })
  } catch {
    return undefined
  }
}

/** Joins the text before and after a resourceVersion, without that field. */
function unversioned(head: string, tail: string): string {
  const before = head.slice(0, head.lastIndexOf('"resourceVersion"'))
  const after = tail.slice(1)
  if (after.startsWith(",")) return before + after.slice(1)
  return (before.endsWith(",") ? before.slice(0, -1) : before) + after
}

/** Parses JSON bytes that this server has written. */
export function parseObject(json: Uint8Array): ApiObject {
  const { value } = parseJson(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString("utf8"))
  assert(isObject(value), "a stored value is an object")
  return value
}

/** Metadata with resourceVersion in its published place: after uid, before all other fields. */
export function versioned(metadata: JsonObject | undefined, resourceVersion: string): ObjectMeta {
  if (isPlaced(metadata)) return { ...metadata, resourceVersion }
  const placed: JsonObject = {}
  for (const name of beforeVersion) if (metadata?.[name] !== undefined) placed[name] = metadata[name]
  placed.resourceVersion = resourceVersion
  for (const name in metadata) if (!(name in placed)) placed[name] = metadata[name]
  return placed
}

const beforeVersion = ["name", "generateName", "namespace", "selfLink", "uid"] as const

/** Whether resourceVersion is present and in its published place. */
function isPlaced(metadata: ObjectMeta | undefined): metadata is ObjectMeta {
  for (const name in metadata) {
    if (name === "resourceVersion") return true
    if (!precedes(name)) return false
  }
  return false
}

function precedes(name: string): boolean {
  return name === "name" || name === "namespace" || name === "uid" || name === "generateName" || name === "selfLink"
}
