/**
 * Converts one object between encodings without a server: the `convert` command. Use it to inspect a store (`stored` is
 * the value format of the store, see `registry/object-codec.ts`) and to make bodies for tests.
 */
import { badRequest } from "../base/errors.ts"
import { codecOfKind, type ProtobufCodec, unwrapUnknown, wrapUnknown } from "../encoding/protobuf/codec.ts"
import { isEnvelope } from "../encoding/protobuf/envelope.ts"
import { type ApiObject, isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { JsonSyntaxError, parseJson, stringify } from "../encoding/json/text.ts"
import type { Kind, KindParts } from "../schema/kind.ts"
import { normalize } from "../encoding/normalize.ts"
import type { Vendor } from "../base/vendor.ts"
import { indentJson } from "./pretty.ts"
import { parseYaml } from "./yaml.ts"
import { writeYaml } from "./yaml-writer.ts"

export type ConvertFormat = "json" | "yaml" | "compact" | "stored"

export interface ConvertOptions {
  readonly bytes: Uint8Array
  /** Absent: detected from the first bytes. */
  readonly from?: ConvertFormat
  readonly to: ConvertFormat
  readonly kinds: readonly Kind[]
  readonly vendor: Vendor
  /** Encoding inside `stored`, as in `--storage-media-type`. Default protobuf. */
  readonly storedAs?: "json" | "compact"
  /** Key of a stored value, which must belong to the object's kind. */
  readonly key?: string
}

/**
 * Called by the command line. Indents JSON. Objects of unknown kinds (run-time definitions) convert between JSON and
 * YAML unchanged; for the other forms their kind must be known. Throws ApiError 400.
 */
export async function convert(options: ConvertOptions): Promise<Buffer> {
  const object = await readObject(options)
  switch (options.to) {
    case "json":
      return Buffer.concat([indentJson(Buffer.from(stringify(object))), Buffer.from("\n")])
    case "yaml":
      return Buffer.from(writeYaml(object))
    case "compact":
      return protobuf(object, await known(object, options))
    case "stored":
      return stored(object, options)
  }
}

interface KnownKind {
  readonly kind: Kind
  readonly parts: KindParts
  readonly codec: ProtobufCodec
}

async function readObject(options: ConvertOptions): Promise<ApiObject> {
  const { bytes } = options
  const object = isEnvelope(bytes) ? await readCompact(options) : asObject(readText(options))
  const found = kindOf(object, options)
  if (options.key !== undefined) checkKey(options.key, object, options)
  if (found === undefined) return object
  const { shape } = await found.load()
  const { kind = "", apiVersion = "" } = object
  const { kind: _kind, apiVersion: _apiVersion, ...fields } = normalize(shape, object).object
  return { kind, apiVersion, ...fields }
}

async function readCompact(options: ConvertOptions): Promise<ApiObject> {
  const { apiVersion, kind, raw, contentType } = unwrapUnknown(options.bytes)
  if (contentType === "application/json") return asObject(readText({ ...options, bytes: raw, from: "json" }))
  const { codec } = await known({ apiVersion, kind }, options)
  return { kind, apiVersion, ...codec.decode(raw) }
}

function readText(options: ConvertOptions): JsonValue {
  const { bytes, from } = options
  if (from === "compact") throw badRequest("the input does not start as the compact encoding does")
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")
  if (from === "yaml" || (from === undefined && !text.trimStart().startsWith("{"))) return parseYaml(text).value
  try {
    return parseJson(text).value
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw badRequest(`the input is no JSON: ${error.message}`)
    throw error
  }
}

function asObject(value: JsonValue): ApiObject {
  if (!isObject(value) || typeof value.kind !== "string" || typeof value.apiVersion !== "string") {
    throw badRequest("the input is no object with apiVersion and kind")
  }
  return value
}

function kindOf(object: ApiObject, options: ConvertOptions): Kind | undefined {
  const apiVersion = options.vendor.neutralApiVersion(object.apiVersion ?? "")
  return options.kinds.find((kind) => kind.kind === object.kind && apiVersionOf(kind) === apiVersion)
}

function apiVersionOf(kind: { readonly group: string; readonly version: string }): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`
}

async function known(object: ApiObject, options: ConvertOptions): Promise<KnownKind> {
  const kind = kindOf(object, options)
  if (kind === undefined) throw badRequest(`no compact form is known of kind ${object.kind ?? ""} in ${object.apiVersion ?? ""}`)
  const parts = await kind.load()
  return { kind, parts, codec: codecOfKind(parts) }
}

function protobuf(object: ApiObject, { codec }: KnownKind): Buffer {
  return wrapUnknown({ apiVersion: object.apiVersion ?? "", kind: object.kind ?? "", raw: codec.encode(object) })
}

/** The stored version of the object, without resourceVersion, which the store knows. */
async function stored(object: ApiObject, options: ConvertOptions): Promise<Buffer> {
  const found = kindOf(object, options)
  const asJson = options.storedAs === "json" || found?.storage.format === "json"
  if (found === undefined && asJson) return Buffer.from(stringify(withoutVersion(object)))
  const here = await known(object, options)
  const form = withoutVersion(here.parts.toStored?.(object, options) ?? object)
  const there = options.vendor.apiVersion(apiVersionOf(here.kind.storage))
  const { kind: _kind, apiVersion: _apiVersion, ...fields } = form
  const complete = { kind: here.kind.storage.kind, apiVersion: there, ...fields }
  return asJson ? Buffer.from(stringify(complete)) : protobuf(complete, await known(complete, options))
}

function withoutVersion(object: ApiObject): ApiObject {
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata ?? {}
  return { ...object, metadata }
}

/**
 * Returns the storage path of a key: the longest one that occurs in it as whole segments. Called with keys of any store
 * prefix.
 */
export function storagePathOfKey(key: string, kinds: readonly Kind[]): string | undefined {
  const padded = `/${key.replace(/^\/+/, "")}`
  const paths = kinds.map((kind) => kind.storage.path).filter((path) => padded.includes(`/${path}/`))
  return paths.sort((left, right) => right.length - left.length)[0]
}

function checkKey(key: string, object: JsonObject, options: ConvertOptions): void {
  const path = storagePathOfKey(key, options.kinds)
  const kind = kindOf(object, options)
  if (kind !== undefined && path !== kind.storage.path) {
    throw badRequest(
      `the key ${key} holds ${path ?? "no known resource"}, but the value is a ${kind.kind}, which is kept under ${kind.storage.path}`,
    )
  }
}
