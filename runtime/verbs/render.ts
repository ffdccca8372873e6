/**
 * Tables and partial metadata, for `as=` in Accept. Tables are rendered for each request, since they contain ages.
 * Partial metadata is cut out of existing bytes.
 */
import { assert } from "../base/assert.ts"
import { wholeField } from "../encoding/protobuf/scan.ts"
import { type ProtobufCodec, createProtobufCodec, wrapUnknown } from "../encoding/protobuf/codec.ts"
import { metadataIn } from "../encoding/json/bytes.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"
import { stringify } from "../encoding/json/text.ts"
import type { TypeShape } from "../schema/shape.ts"
import { parseObject } from "../registry/object-codec.ts"
import type { KindHandle } from "../registry/registry.ts"
import {
  metaApiVersion,
  partialMetadataNumber,
  partialShape,
  readIncludeObject,
  renderPartial,
  renderTable,
  singleMetadata,
  type TableOptions,
} from "../wire/table.ts"
import type { ResourceRequest, ResponseFormat } from "./call.ts"
import { jsonOf, objectOf, type ObjectVersion } from "./represent.ts"

/** Options for rendering the requested table. Throws 400. */
export function tableOptions(call: ResourceRequest, format: ResponseFormat): TableOptions {
  const { parts, handle } = call
  return {
    vendor: parts.vendor,
    version: format.as?.version ?? "v1",
    columns: handle.parts.columns,
    ...(handle.parts.rowConditions !== undefined && { rowConditions: handle.parts.rowConditions }),
    includeObject: readIncludeObject(call.request.query),
    nowMs: parts.clock.nowMs(),
  }
}

/** An object as a table with one row. */
export function tableOf(handle: KindHandle, version: ObjectVersion, options: TableOptions): JsonObject {
  const object = objectOf(handle, version)
  return renderTable([object], singleMetadata(object), options)
}

/** The inputs of rendering: the kind, and the vendor's names. */
export type RenderedRequest = Pick<ResourceRequest, "handle" | "parts">

/** JSON of an object's partial metadata, as a copy. */
export function partialJson(call: RenderedRequest, format: ResponseFormat, version: ObjectVersion): Buffer {
  const metadata = metadataIn(jsonOf(call.handle, version))
  if (metadata === undefined) return Buffer.from(stringify(partialOf(call, format, version)))
  const apiVersion = metaApiVersion(call.parts.vendor, format.as?.version ?? "v1")
  const head = `{"kind":"PartialObjectMetadata","apiVersion":${JSON.stringify(apiVersion)},"metadata":`
  return Buffer.concat([Buffer.from(head), metadata, closing])
}

const closing = Buffer.from("}")

export function partialOf(call: RenderedRequest, format: ResponseFormat, version: ObjectVersion): ApiObject {
  return renderPartial(objectOf(call.handle, version), { vendor: call.parts.vendor, version: format.as?.version ?? "v1" })
}

/**
 * The protobuf message of an object's partial metadata, without its envelope. Cut out of the stored message if the
 * cache has one.
 */
export function partialMessage({ handle }: Pick<RenderedRequest, "handle">, version: ObjectVersion): Uint8Array {
  const stored = handle.kind === handle.stored ? version.message?.() : undefined
  const { codec, number } = partialCodec(handle)
  const field = stored === undefined || number !== partialMetadataNumber ? undefined : wholeField(stored, number)
  if (field !== undefined) return field
  return version.derived("partial-compact", () => {
    const metadata = metadataIn(jsonOf(handle, version))
    return codec.encode({ metadata: metadata === undefined ? {} : parseObject(metadata) })
  })
}

export function partialEnvelope(call: RenderedRequest, format: ResponseFormat, version: ObjectVersion): Buffer {
  const apiVersion = metaApiVersion(call.parts.vendor, format.as?.version ?? "v1")
  return wrapUnknown({ apiVersion, kind: "PartialObjectMetadata", raw: partialMessage(call, version) })
}

interface PartialCodec {
  readonly codec: ProtobufCodec
  /** Number of the field `metadata` in messages of the kind. */
  readonly number: number | undefined
}

const partialCodecs = new WeakMap<TypeShape, PartialCodec>()

function partialCodec(handle: KindHandle): PartialCodec {
  const { shape } = handle.parts
  let made = partialCodecs.get(shape)
  if (made === undefined) {
    const metadata = shape.fields.find((field) => field.name === "metadata")
    assert(metadata !== undefined && "ref" in metadata.type, "a kind has metadata", { shape: shape.name })
    const partial = partialShape(metadata.type.ref())
    made = { codec: createProtobufCodec(partial), number: metadata.number }
    partialCodecs.set(shape, made)
  }
  return made
}
