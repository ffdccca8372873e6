/** Tables and partial metadata: what `as=` in Accept asks for. Tables are made each time, since they hold ages; metadata is cut out of the bytes that are there. */
import { assert } from "../assert.ts"
import { compactDescriptor } from "../kit/compact-descriptor.ts"
import { wholeField } from "../kit/compact-scan.ts"
import { type CompactCodec, createCompactCodec, wrapUnknown } from "../kit/compact.ts"
import { endOfValue, valueOfKey } from "../kit/json-bytes.ts"
import type { ApiObject, JsonObject } from "../kit/json.ts"
import { stringify } from "../kit/json-text.ts"
import type { TypeShape } from "../kit/shape.ts"
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
import type { Call, Wanted } from "./call.ts"
import { jsonOf, objectOf, type Version } from "./represent.ts"

/** How the table that a request asks for is made. Throws 400. */
export function tableOptions(call: Call, wanted: Wanted): TableOptions {
  const { parts, handle } = call
  return {
    vendor: parts.vendor,
    version: wanted.as?.version ?? "v1",
    columns: handle.parts.columns,
    ...(handle.parts.rowConditions !== undefined && { rowConditions: handle.parts.rowConditions }),
    includeObject: readIncludeObject(call.request.query),
    nowMs: parts.clock.nowMs(),
  }
}

/** One object as a table of one row. */
export function tableOf(handle: KindHandle, version: Version, options: TableOptions): JsonObject {
  const object = objectOf(handle, version)
  return renderTable([object], singleMetadata(object), options)
}

/** What forms are made for: the kind, and the names that the server gives things. */
export type Shown = Pick<Call, "handle" | "parts">

/** JSON bytes of an object's partial metadata, in memory of their own. */
export function partialJson(call: Shown, wanted: Wanted, version: Version): Buffer {
  const metadata = metadataIn(jsonOf(call.handle, version))
  if (metadata === undefined) return Buffer.from(stringify(partialOf(call, wanted, version)))
  const apiVersion = metaApiVersion(call.parts.vendor, wanted.as?.version ?? "v1")
  const head = `{"kind":"PartialObjectMetadata","apiVersion":${JSON.stringify(apiVersion)},"metadata":`
  return Buffer.concat([Buffer.from(head), metadata, closing])
}

const closing = Buffer.from("}")

/** The metadata of an object, as it stands in its JSON. Undefined: there is none. */
function metadataIn(json: Buffer): Buffer | undefined {
  const start = valueOfKey(json, 0, "metadata")
  return start < 0 ? undefined : json.subarray(start, endOfValue(json, start))
}

export function partialOf(call: Shown, wanted: Wanted, version: Version): ApiObject {
  return renderPartial(objectOf(call.handle, version), { vendor: call.parts.vendor, version: wanted.as?.version ?? "v1" })
}

/** The compact message of an object's partial metadata, without its envelope. Out of the stored value where that is at hand. */
export function partialMessage({ handle }: Pick<Shown, "handle">, version: Version): Uint8Array {
  const stored = handle.kind === handle.stored ? version.message?.() : undefined
  const { codec, number } = partialCodec(handle)
  const field = stored === undefined || number !== partialMetadataNumber ? undefined : wholeField(stored, number)
  if (field !== undefined) return field
  return version.derived("partial-compact", () => {
    const metadata = metadataIn(jsonOf(handle, version))
    return codec.encode({ metadata: metadata === undefined ? {} : parseObject(metadata) })
  })
}

export function partialEnvelope(call: Shown, wanted: Wanted, version: Version): Buffer {
  const apiVersion = metaApiVersion(call.parts.vendor, wanted.as?.version ?? "v1")
  return wrapUnknown({ apiVersion, kind: "PartialObjectMetadata", raw: partialMessage(call, version) })
}

interface PartialCodec {
  readonly codec: CompactCodec
  /** Of the field `metadata` in messages of the kind. */
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
    made = { codec: createCompactCodec(compactDescriptor(partial), partial), number: metadata.number }
    partialCodecs.set(shape, made)
  }
  return made
}
