/** The envelope of the compact encoding: four magic bytes and a message `Unknown`; specification section 2.7. */
import protobuf from "protobufjs"
import { badRequest } from "../errors.ts"

const { Reader, Writer } = protobuf

const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00])

export interface Envelope {
  readonly apiVersion: string
  readonly kind: string
  /** The serialized object. */
  readonly raw: Uint8Array
  /** Serialization of `raw`; empty: the compact encoding itself. */
  readonly contentType?: string
}

/** Called when an object leaves in compact form. Writes every field, the empty ones too, as the reference does. */
export function wrapUnknown({ apiVersion, kind, raw, contentType = "" }: Envelope): Buffer {
  const writer = Writer.create().raw(magic)
  writeTypeMeta(writer, apiVersion, kind)
  return asBuffer(writer.uint32(0x12).bytes(raw).uint32(0x1a).string("").uint32(0x22).string(contentType).finish())
}

/** What stands before `raw`. Called by writers that send `raw` piece by piece and know its length. */
export function envelopeHead(envelope: { apiVersion: string; kind: string; rawBytes: number }): Buffer {
  const writer = Writer.create().raw(magic)
  writeTypeMeta(writer, envelope.apiVersion, envelope.kind)
  return asBuffer(writer.uint32(0x12).uint32(envelope.rawBytes).finish())
}

function writeTypeMeta(writer: protobuf.Writer, apiVersion: string, kind: string): void {
  writer.uint32(0x0a).fork().uint32(0x0a).string(apiVersion).uint32(0x12).string(kind).ldelim()
}

/** A view: what the writer finished is nobody else's. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** What stands behind `raw`: contentEncoding (none) and contentType. */
export function envelopeTail(contentType = ""): Buffer {
  return Buffer.from(Writer.create().uint32(0x1a).string("").uint32(0x22).string(contentType).finish())
}

/** True when the bytes start as the compact encoding does. */
export function isEnvelope(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && magic.every((byte, index) => bytes[index] === byte)
}

/** Called with a body or a stored value. `raw` is a view of `bytes`. Throws ApiError 400 when it is no envelope. */
export function unwrapUnknown(bytes: Uint8Array): Required<Envelope> {
  if (!isEnvelope(bytes)) throw badRequest("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
  if (bytes.length === magic.length) throw badRequest("empty body: the envelope of the compact encoding holds nothing")
  try {
    return readUnknown(bytes.subarray(magic.length))
  } catch (error) {
    throw badRequest(`the envelope of the compact encoding is broken: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function readUnknown(bytes: Uint8Array): Required<Envelope> {
  const envelope: { apiVersion: string; kind: string; raw: Uint8Array; contentType: string } = {
    apiVersion: "",
    kind: "",
    raw: new Uint8Array(),
    contentType: "",
  }
  const reader = Reader.create(bytes)
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    if (tag === 0x0a) Object.assign(envelope, readTypeMeta(reader.bytes()))
    else if (tag === 0x12) envelope.raw = reader.bytes()
    else if (tag === 0x1a) refuseEncoding(reader.string())
    else if (tag === 0x22) envelope.contentType = reader.string()
    else skipUnknown(reader, tag, 4)
  }
  return envelope
}

/** Fields beyond the `last` that this message knows are passed over; known ones of another wire type are not what they should be. */
function skipUnknown(reader: protobuf.Reader, tag: number, last: number): void {
  const field = tag >>> 3
  if (field <= last) throw new Error(`wrong wireType = ${tag & 7} for field ${field}`)
  reader.skipType(tag & 7)
}

function refuseEncoding(encoding: string): void {
  if (encoding !== "") throw new Error(`contentEncoding ${JSON.stringify(encoding)} is not supported`)
}

function readTypeMeta(bytes: Uint8Array): { apiVersion?: string; kind?: string } {
  const typeMeta: { apiVersion?: string; kind?: string } = {}
  const reader = Reader.create(bytes)
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    if (tag === 0x0a) typeMeta.apiVersion = reader.string()
    else if (tag === 0x12) typeMeta.kind = reader.string()
    else skipUnknown(reader, tag, 2)
  }
  return typeMeta
}
