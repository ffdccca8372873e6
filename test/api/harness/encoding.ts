/**
 * Bodies of scenarios in the encodings of specification section 4.7. Protobuf goes through the server's own codec;
 * other tests compare that codec with recorded bytes of the reference.
 */
import protobuf from "protobufjs"
import { parse as parseYaml } from "yaml"
import { bodies, kinds } from "../../../generated/index.ts"
import { createProtobufCodec, type ProtobufCodec, unwrapUnknown, wrapUnknown } from "../../../runtime/encoding/protobuf/codec.ts"
import type { JsonObject } from "../../../runtime/base/json.ts"
import { parseJson } from "../../../runtime/encoding/json/text.ts"
import type { TypeShape } from "../../../runtime/schema/shape.ts"
import { type VendorName, vendorProfile } from "../../../runtime/base/vendor.ts"
import { listMetaShape } from "../../../runtime/wire/status.ts"

const indexStart = '{"paths":{'

/** One answer's body as a value: JSON, YAML or compact by its content type, a text otherwise. */
export async function decodeBody(body: Buffer, contentType: string, vendor: VendorName): Promise<unknown> {
  if (body.length === 0) return undefined
  // The index of OpenAPI documents is JSON that is served as text.
  const isJson = contentType.startsWith("application/json") || body.toString("latin1", 0, indexStart.length) === indexStart
  if (isJson) return JSON.parse(body.toString("utf8"))
  if (contentType.startsWith("application/yaml")) return parseYaml(body.toString("utf8"))
  if (contentType.startsWith(vendorProfile(vendor).compactMediaType)) return decodeCompact(body, vendor)
  return body.toString("utf8")
}

/** An object in its compact envelope. Throws for a kind that is not there. */
export async function encodeCompact(object: unknown, vendor: VendorName): Promise<Buffer> {
  const value = jsonObject(object)
  const { apiVersion, kind } = value
  if (typeof apiVersion !== "string" || typeof kind !== "string") throw new Error("a compact body has apiVersion and kind")
  const codec = await codecOf(apiVersion, kind, vendor)
  return Buffer.from(wrapUnknown({ apiVersion, kind, raw: codec.encode(value) }))
}

/** One frame of a compact watch, without its length: WatchEvent {1: type, 2: {1: envelope}}. */
export async function decodeCompactFrame(frame: Buffer, vendor: VendorName): Promise<unknown> {
  const fields = bytesFields(frame)
  const envelope = bytesFields(fields.get(2) ?? new Uint8Array()).get(1)
  return { type: Buffer.from(fields.get(1) ?? []).toString("utf8"), object: await decodeCompact(Buffer.from(envelope ?? []), vendor) }
}

/** The length-delimited fields of a message by number. */
function bytesFields(message: Uint8Array): ReadonlyMap<number, Uint8Array> {
  const fields = new Map<number, Uint8Array>()
  const reader = protobuf.Reader.create(message)
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    fields.set(tag >>> 3, reader.bytes())
  }
  return fields
}

async function decodeCompact(body: Buffer, vendor: VendorName): Promise<unknown> {
  const { apiVersion, kind, raw } = unwrapUnknown(body)
  const codec = await codecOf(apiVersion, kind, vendor)
  return { apiVersion, kind, ...codec.decode(raw) }
}

async function codecOf(apiVersion: string, kind: string, vendor: VendorName): Promise<ProtobufCodec> {
  const shape = await shapeOf(vendorProfile(vendor).neutralApiVersion(apiVersion), kind)
  return createProtobufCodec(shape)
}

async function shapeOf(apiVersion: string, kind: string): Promise<TypeShape> {
  const served = kinds.find((candidate) => versionOf(candidate) === apiVersion && (candidate.kind === kind || candidate.listKind === kind))
  if (served !== undefined) {
    const { shape } = await served.load()
    return served.kind === kind ? shape : listShapeOf(shape)
  }
  const body = bodies.find((candidate) => candidate.kind === kind)
  if (body === undefined) throw new Error(`${apiVersion} ${kind} has no compact form`)
  return (await body.load()).shape
}

function versionOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === "" ? version : `${group}/${version}`
}

function listShapeOf(item: TypeShape): TypeShape {
  return {
    name: `${item.name}List`,
    fields: [
      { name: "metadata", type: { ref: () => listMetaShape }, number: 1 },
      { name: "items", type: { list: { ref: () => item } }, number: 2, keepEmpty: true },
    ],
  }
}

/** The value as JSON has it. Throws when it is no object. */
export function jsonObject(value: unknown): JsonObject {
  const { value: parsed } = parseJson(JSON.stringify(value))
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) throw new Error("expected an object")
  return parsed
}
