/**
 * The protobuf encoding of objects, driven by their shapes. It produces the bytes of the reference: fields sorted by
 * number, map entries by key, and zero values of non-pointer scalars and structs always written. Objects are normalized
 * JSON.
 */
import { ApiError, badRequest } from "../../base/errors.ts"
import type { JsonObject } from "../../base/json.ts"
import { objectBytesMax } from "../../base/limits.ts"
import type { Stages } from "../../base/turns.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { ValueCount } from "../value-bounds.ts"
import { readMessage } from "./decode.ts"
import { writeMessage } from "./encode.ts"
import { type TypeMeta, writeEnvelope } from "./envelope.ts"
import { messagePlanOf } from "./plan.ts"
import { ProtobufReader } from "./reader.ts"
import { ProtobufWriter } from "./writer.ts"

export { unwrapUnknown, wrapUnknown } from "./envelope.ts"

/** Encodes and decodes the messages of one kind, without their envelope. */
export interface ProtobufCodec {
  /** `object` is normalized. The message holds no apiVersion and kind. */
  encode(object: JsonObject): Buffer
  /** Encodes with the envelope (`wrapUnknown`). */
  encodeEnvelope(object: JsonObject, typeMeta: TypeMeta): Buffer
  /** Decodes; the caller normalizes the result. Throws ApiError 400 for bytes that are not such a message. */
  decode(bytes: Uint8Array): JsonObject
  /** Decodes the bytes of a client: also checks wire types and counts values. Throws ApiError 413 for too many. */
  decodingBody(bytes: Uint8Array): Stages<JsonObject>
}

/** Codecs by the shape of their message. */
const codecs = new WeakMap<TypeShape, ProtobufCodec>()

/** Returns the codec of a loaded kind. Servers in one process share it. */
export function codecOfKind({ shape }: { readonly shape: TypeShape }): ProtobufCodec {
  let codec = codecs.get(shape)
  if (codec === undefined) {
    codec = createProtobufCodec(shape)
    codecs.set(shape, codec)
  }
  return codec
}

/**
 * Builds the codec of a type. Costs nothing before its first use, which throws an Error when protobuf cannot hold the
 * type (`messagePlanOf`).
 */
export function createProtobufCodec(shape: TypeShape): ProtobufCodec {
  return {
    encode(object) {
      writer.reset()
      writeMessage(writer, messagePlanOf(shape), object)
      return writer.finish()
    },
    encodeEnvelope(object, typeMeta) {
      writer.reset()
      writeEnvelope(writer, typeMeta, () => writeMessage(writer, messagePlanOf(shape), object))
      return writer.finish()
    },
    decode: (bytes) => decodeMessage(shape, bytes),
    decodingBody: (bytes) => decodingBody(shape, bytes),
  }
}

/** All codecs share one buffer, since messages are written one after the other; it stays warm. */
const writer = new ProtobufWriter(undefined, objectBytesMax)

// biome-ignore lint/correctness/useYield: decoding is one stage; the caller's stages follow.
function* decodingBody(shape: TypeShape, bytes: Uint8Array): Stages<JsonObject> {
  return decodeMessage(shape, bytes, new ValueCount())
}

/** `count` counts the values of a body; absent for values that this server has stored. */
function decodeMessage(shape: TypeShape, bytes: Uint8Array, count?: ValueCount): JsonObject {
  const plan = messagePlanOf(shape)
  const object: JsonObject = {}
  try {
    readMessage(new ProtobufReader(bytes), plan, object, count)
    return object
  } catch (error) {
    if (error instanceof ApiError && error.code !== 400) throw error
    const type = shape.name.slice(shape.name.lastIndexOf(".") + 1)
    throw badRequest(`the compact message ${type} is broken: ${error instanceof Error ? error.message : String(error)}`)
  }
}
