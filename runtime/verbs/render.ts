/** Tables and partial metadata: what `as=` in Accept asks for. Tables hold ages, so they are made anew each time; partials are shared. */
import { assert } from "../assert.ts"
import { compactDescriptor } from "../kit/compact-descriptor.ts"
import { type CompactCodec, createCompactCodec, wrapUnknown } from "../kit/compact.ts"
import type { ApiObject, JsonObject } from "../kit/json.ts"
import { stringify } from "../kit/json-text.ts"
import type { TypeShape } from "../kit/shape.ts"
import type { KindHandle } from "../registry/registry.ts"
import {
  metaApiVersion,
  partialShape,
  readIncludeObject,
  renderPartial,
  renderTable,
  singleMetadata,
  type TableOptions,
} from "../wire/table.ts"
import type { Call, Wanted } from "./call.ts"
import { objectOf, type Version } from "./represent.ts"

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

/** JSON bytes of an object's partial metadata. */
export function partialJson(call: Shown, wanted: Wanted, version: Version): Buffer {
  const metaVersion = wanted.as?.version ?? "v1"
  return version.derived(`partial:${metaVersion}`, () => Buffer.from(stringify(partialOf(call, wanted, version))))
}

export function partialOf(call: Shown, wanted: Wanted, version: Version): ApiObject {
  return renderPartial(objectOf(call.handle, version), { vendor: call.parts.vendor, version: wanted.as?.version ?? "v1" })
}

/** The compact message of an object's partial metadata, without its envelope. */
export function partialMessage(call: Shown, wanted: Wanted, version: Version): Buffer {
  return version.derived("partial-compact", () => partialCodec(call.handle).encode(partialOf(call, wanted, version)))
}

export function partialEnvelope(call: Shown, wanted: Wanted, version: Version): Buffer {
  const apiVersion = metaApiVersion(call.parts.vendor, wanted.as?.version ?? "v1")
  return wrapUnknown({ apiVersion, kind: "PartialObjectMetadata", raw: partialMessage(call, wanted, version) })
}

const partialCodecs = new WeakMap<TypeShape, CompactCodec>()

function partialCodec(handle: KindHandle): CompactCodec {
  const { shape } = handle.parts
  let codec = partialCodecs.get(shape)
  if (codec === undefined) {
    const metadata = shape.fields.find((field) => field.name === "metadata")?.type
    assert(metadata !== undefined && "ref" in metadata, "a kind has metadata", { shape: shape.name })
    const partial = partialShape(metadata.ref())
    codec = createCompactCodec(compactDescriptor(partial), partial)
    partialCodecs.set(shape, codec)
  }
  return codec
}
