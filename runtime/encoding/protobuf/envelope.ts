/** The envelope of the protobuf encoding: four magic bytes and a message `Unknown`; specification section 2.7. */
import protobuf from "protobufjs"
import { badRequest } from "../../base/errors.ts"
import { ProtobufWriter } from "./writer.ts"

const { Reader } = protobuf

const magic = Buffer.from([0x6b, 0x38, 0x73, 0x00])

export interface Envelope {
  readonly apiVersion: string
  readonly kind: string
  /** The serialized object. */
  readonly raw: Uint8Array
  /** Serialization of `raw`; empty means protobuf. */
  readonly contentType?: string
}

/** The apiVersion and kind in an envelope. */
export type TypeMeta = Pick<Envelope, "apiVersion" | "kind">

/** Tags of the fields of `Unknown`, all length-delimited. */
const field = { typeMeta: 0x0a, raw: 0x12, contentEncoding: 0x1a, contentType: 0x22 } as const

/** Called when an object is sent as protobuf. Writes every field, even empty ones, as the reference does. */
export function wrapUnknown({ raw, contentType = "", ...typeMeta }: Envelope): Buffer {
  const writer = new ProtobufWriter(raw.length + headRoomBytes)
  writeEnvelope(writer, typeMeta, () => writer.raw(raw), contentType)
  return writer.finish()
}

/** Upper bound of the envelope without `raw`, for ordinary names. */
const headRoomBytes = 256

/** Writes the envelope around the bytes that `writeRaw` writes. */
export function writeEnvelope(writer: ProtobufWriter, typeMeta: TypeMeta, writeRaw: () => void, contentType = ""): void {
  writeHead(writer, typeMeta)
  const at = writer.open()
  writeRaw()
  writer.close(at)
  writeTail(writer, contentType)
}

/** The part before `raw`. Called by writers that send `raw` in pieces and know its length. */
export function envelopeHead(envelope: TypeMeta & { rawBytes: number }): Buffer {
  const writer = new ProtobufWriter(headRoomBytes)
  writeHead(writer, envelope)
  writer.varint(envelope.rawBytes)
  return writer.finish()
}

/** The part after `raw`: contentEncoding (none) and contentType. */
export function envelopeTail(contentType = ""): Buffer {
  const writer = new ProtobufWriter(headRoomBytes)
  writeTail(writer, contentType)
  return writer.finish()
}

function writeHead(writer: ProtobufWriter, { apiVersion, kind }: TypeMeta): void {
  writer.raw(magic)
  writer.varint(field.typeMeta)
  const at = writer.open()
  writer.varint(0x0a)
  writer.text(apiVersion)
  writer.varint(0x12)
  writer.text(kind)
  writer.close(at)
  writer.varint(field.raw)
}

function writeTail(writer: ProtobufWriter, contentType: string): void {
  writer.varint(field.contentEncoding)
  writer.text("")
  writer.varint(field.contentType)
  writer.text(contentType)
}

/** True when the bytes start with the magic. */
export function isEnvelope(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && magic.every((byte, index) => bytes[index] === byte)
}

/**
 * Called with a body or a stored value. `raw` is a view of `bytes`. Throws ApiError 400 when the bytes are not an
 * envelope.
 */
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
    if (tag === field.typeMeta) Object.assign(envelope, readTypeMeta(reader.bytes()))
    else if (tag === field.raw) envelope.raw = reader.bytes()
    else if (tag === field.contentEncoding) refuseEncoding(reader.string())
    else if (tag === field.contentType) envelope.contentType = reader.string()
    else skipUnknown(reader, tag, 4)
  }
  return envelope
}

/**
 * Skips fields beyond `last`, the last one that this message knows. A known field with another wire type is an error.
 */
function skipUnknown(reader: protobuf.Reader, tag: number, last: number): void {
  const number = tag >>> 3
  if (number <= last) throw new Error(`wrong wireType = ${tag & 7} for field ${number}`)
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
