/**
 * The protobuf encoding of objects, by reflection on a descriptor. It produces the bytes of the reference: fields
 * sorted by number, map entries by key, and zero values of non-pointer scalars and structs always written. Objects are
 * normalized JSON.
 */
import protobuf from "protobufjs"
import { ApiError, badRequest } from "../../base/errors.ts"
import { objectBytesMax } from "../../base/limits.ts"
import { checkWireTypes } from "./wire-types.ts"
import { writeMessage } from "./encode.ts"
import { messageItemOf, type MessageNode, type MessagePlan, messagePlanOf } from "./plan.ts"
import { ProtobufWriter } from "./writer.ts"
import { formatDuration } from "../../base/duration.ts"
import { type TypeMeta, writeEnvelope } from "./envelope.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { parseJson, parseJsonCounted, setField } from "../json/text.ts"
import type { TypeShape } from "../../schema/shape.ts"
import { atOnce, type Stages } from "../../base/turns.ts"
import { formatMicroTime, formatTime, isZeroInstant } from "../../base/time.ts"
import { ValueCount } from "../value-bounds.ts"

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

/** Codecs of kinds by the shape of their message. */
const codecs = new WeakMap<TypeShape, Promise<ProtobufCodec>>()

/**
 * Returns the codec of a loaded kind. Servers in one process share it, because building one takes some milliseconds and
 * memory.
 */
export function codecOfKind(parts: { readonly shape: TypeShape; readonly descriptor: () => Promise<JsonObject> }): Promise<ProtobufCodec> {
  let codec = codecs.get(parts.shape)
  if (codec === undefined) {
    codec = parts.descriptor().then((descriptor) => createProtobufCodec(descriptor, parts.shape))
    codecs.set(parts.shape, codec)
  }
  return codec
}

/**
 * Builds the codec of a kind; called once per kind, on first use. `descriptor` (`mergeDescriptors`,
 * `descriptorOfShape`) holds the message named like `shape` and all that it references, as proto2, so zero values that
 * are set are written. Throws when descriptor and shape disagree; both come from one schema.
 */
export function createProtobufCodec(descriptor: JsonObject, shape: TypeShape): ProtobufCodec {
  // Reflection JSON is plain data; protobufjs checks it.
  const root = protobuf.Root.fromJSON(descriptor as protobuf.INamespace)
  const type = root.lookupType(shape.name)
  const plan = messagePlanOf(shape, type)
  return {
    encode(object) {
      writer.reset()
      writeMessage(writer, plan, object)
      return writer.finish()
    },
    encodeEnvelope(object, typeMeta) {
      writer.reset()
      writeEnvelope(writer, typeMeta, () => writeMessage(writer, plan, object))
      return writer.finish()
    },
    decode: (bytes) => atOnce(decodingMessage(type, plan, bytes)),
    decodingBody: (bytes) => decodingMessage(type, plan, bytes, new ValueCount()),
  }
}

/** All codecs share one buffer, since messages are written one after the other; it stays warm. */
const writer = new ProtobufWriter(undefined, objectBytesMax)

/** `count` counts the values of a body; absent for what this server has stored. */
function* decodingMessage(type: protobuf.Type, plan: MessagePlan, bytes: Uint8Array, count?: ValueCount): Stages<JsonObject> {
  try {
    if (count !== undefined) checkWireTypes(type, bytes, count)
    yield
    const reader = protobuf.Reader.create(bytes)
    reader.discardUnknown = true
    const message = asMessage(type.decode(reader))
    yield
    return fromMessage(plan, message, count)
  } catch (error) {
    if (error instanceof ApiError && error.code !== 400) throw error
    throw badRequest(`the compact message ${type.name} is broken: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** What protobufjs decodes: properties by field name, bytes as Uint8Array, 64-bit numbers as halves. */
interface Message {
  [name: string]: unknown
}

/** A 64-bit number in protobufjs. */
interface Int64Halves {
  readonly low: number
  readonly high: number
  readonly unsigned: boolean
}

function whole(value: unknown): number | bigint {
  if (typeof value === "number") return value
  if (!isHalves(value)) return 0
  const exact = (BigInt(value.high) << 32n) | BigInt(value.low >>> 0)
  const narrow = Number(exact)
  return Number.isSafeInteger(narrow) ? narrow : exact
}

function isHalves(value: unknown): value is Int64Halves {
  return typeof value === "object" && value !== null && "low" in value && "high" in value
}

function fromMessage(plan: MessagePlan, message: Message, count: ValueCount | undefined): JsonObject {
  const object: JsonObject = {}
  for (const field of plan.fields) {
    const value = Object.hasOwn(message, field.property) ? message[field.property] : undefined
    if (value === undefined || value === null) continue
    if (field.inline) Object.assign(object, fromMessage(field.node.plan(), asMessage(value), count))
    else object[field.json] = decode(field.node, value, count)
  }
  return object
}

/** The descriptor, which was checked against the shape, gives the types of decoded values. */
function asMessage(value: unknown): Message {
  return value as Message // protobufjs built it: an object with a property per field.
}

function decode(node: MessageNode, value: unknown, count: ValueCount | undefined): JsonValue {
  const [first = "", second = "", third = ""] = node.names
  switch (node.operation) {
    case "int64":
      return whole(value)
    case "bytes":
      return bufferOf(value).toString("base64")
    case "object":
      return fromMessage(node.plan(), asMessage(value), count)
    case "list":
      return decodeList(messageItemOf(node), value, count)
    case "wrappedList":
      return decodeList(messageItemOf(node), asMessage(value)[first], count)
    case "map":
      return decodeMap(messageItemOf(node), asMessage(value), count)
    case "Time":
    case "MicroTime":
      return decodeInstant(node, asMessage(value))
    case "Duration":
      return formatDuration(BigInt(whole(asMessage(value)[first])))
    case "Quantity":
      return String(asMessage(value)[first] ?? "0")
    case "IntOrString": {
      const message = asMessage(value)
      return whole(message[first]) === 1 ? String(message[third] ?? "") : whole(message[second])
    }
    case "RawExtension":
    case "FieldsV1":
    case "any":
      return decodeRaw(node, asMessage(value), count)
    default:
      return value as JsonValue // The descriptor says string, boolean or number.
  }
}

function decodeList(item: MessageNode, value: unknown, count: ValueCount | undefined): JsonValue[] {
  return Array.isArray(value) ? value.map((one) => decode(item, one, count)) : []
}

function decodeMap(item: MessageNode, value: Message, count: ValueCount | undefined): JsonObject {
  const object: JsonObject = {}
  for (const name of Object.keys(value)) setField(object, name, decode(item, value[name], count))
  return object
}

function decodeInstant(node: MessageNode, message: Message): JsonValue {
  const [seconds = "", nanos = ""] = node.names
  // An empty message is the zero time; seconds alone are always written.
  if (!Object.hasOwn(message, seconds) && !Object.hasOwn(message, nanos)) return null
  const instant = { seconds: Number(whole(message[seconds])), nanos: Number(message[nanos] ?? 0) }
  if (isZeroInstant(instant)) return null
  return node.operation === "MicroTime" ? formatMicroTime(instant) : formatTime(instant)
}

function decodeRaw(node: MessageNode, message: Message, count: ValueCount | undefined): JsonValue {
  const bytes = bufferOf(message[node.names[0] ?? ""])
  if (bytes.length === 0) return null
  const text = bytes.toString("utf8")
  return count === undefined ? parseJson(text).value : parseJsonCounted(text, count)
}

function bufferOf(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.alloc(0)
}
