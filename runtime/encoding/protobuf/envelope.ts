/** The envelope of the protobuf encoding: four magic bytes and a message `Unknown`; specification section 2.7. */
import { badRequest } from "../../base/errors.ts"
import { numberOf, ProtobufReader, wireTypeOf } from "./reader.ts"
import { ProtobufWriter, wireType } from "./writer.ts"

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

/** Numbers of the fields of `Unknown`, all length-delimited. */
const field = { typeMeta: 1, raw: 2, contentEncoding: 3, contentType: 4 } as const

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
  const at = writer.openField(field.typeMeta)
  writer.textField(1, apiVersion)
  writer.textField(2, kind)
  writer.close(at)
  writer.varint(field.raw * 8 + wireType.bytes)
}

function writeTail(writer: ProtobufWriter, contentType: string): void {
  writer.textField(field.contentEncoding, "")
  writer.textField(field.contentType, contentType)
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
  const reader = new ProtobufReader(bytes)
  while (reader.more) {
    switch (knownNumber(reader, 4)) {
      case field.typeMeta:
        Object.assign(envelope, readTypeMeta(reader.view()))
        break
      case field.raw:
        envelope.raw = reader.view()
        break
      case field.contentEncoding:
        refuseEncoding(reader.text())
        break
      case field.contentType:
        envelope.contentType = reader.text()
    }
  }
  return envelope
}

/**
 * Reads a tag. Returns the number of a field up to `last`, the last one that this message knows; skips others and
 * returns 0. All known fields are length-delimited; another wire type is an error.
 */
function knownNumber(reader: ProtobufReader, last: number): number {
  const tag = reader.tag()
  const number = numberOf(tag)
  if (number > last) {
    reader.skip(tag)
    return 0
  }
  if (wireTypeOf(tag) !== wireType.bytes) throw new Error(`wrong wireType = ${wireTypeOf(tag)} for field ${number}`)
  return number
}

function refuseEncoding(encoding: string): void {
  if (encoding !== "") throw new Error(`contentEncoding ${JSON.stringify(encoding)} is not supported`)
}

function readTypeMeta(bytes: Uint8Array): { apiVersion?: string; kind?: string } {
  const typeMeta: { apiVersion?: string; kind?: string } = {}
  const reader = new ProtobufReader(bytes)
  while (reader.more) {
    const number = knownNumber(reader, 2)
    if (number === 1) typeMeta.apiVersion = reader.text()
    else if (number === 2) typeMeta.kind = reader.text()
  }
  return typeMeta
}
