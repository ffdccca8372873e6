/**
 * The compact encoding: protobuf messages by reflection on a descriptor, bytes as the reference writes them (fields by number, map
 * entries by key, zeros of non-pointer scalars and messages of non-pointer structs always there). Objects are the normalized JSON form.
 */
import protobuf from "protobufjs"
import { badRequest } from "../errors.ts"
import { checkWireTypes } from "./compact-wire-types.ts"
import { formatDuration, parseDuration } from "./duration.ts"
import type { JsonObject, JsonValue } from "./json.ts"
import { isObject } from "./json.ts"
import { parseJson, setField, stringify } from "./json-text.ts"
import type { FieldShape, Scalar, TypeRef, TypeShape } from "./shape.ts"
import { formatMicroTime, formatTime, isZeroInstant, parseInstant } from "./time.ts"

export { unwrapUnknown, wrapUnknown } from "./envelope.ts"

/** Messages of one kind without their envelope. */
export interface CompactCodec {
  /** `object` is normalized; apiVersion and kind are not in the message. */
  encode(object: JsonObject): Buffer
  /** Not yet normalized: the caller does that. Throws ApiError 400 for bytes that are no such message. */
  decode(bytes: Uint8Array): JsonObject
  /** The same for the bytes of a client: wire types are checked too. */
  decodeBody(bytes: Uint8Array): JsonObject
}

/**
 * Called once per kind, on first use. `descriptor` (`mergeDescriptors`, `compactDescriptor`) holds the message named as `shape` and all
 * that it references, as proto2: zeros are written when they are set. Throws when descriptor and shape disagree: both come from one schema.
 */
export function createCompactCodec(descriptor: JsonObject, shape: TypeShape): CompactCodec {
  const root = protobuf.Root.fromJSON(descriptor as protobuf.INamespace) // Reflection JSON is plain data; protobufjs checks it.
  const type = root.lookupType(shape.name)
  const plan = planOf(shape, type, new Map())
  return {
    encode: (object) => bufferOf(type.encode(toMessage(plan, object)).finish()),
    decode: (bytes) => decodeMessage(type, plan, bytes, () => undefined),
    decodeBody: (bytes) => decodeMessage(type, plan, bytes, () => checkWireTypes(type, bytes)),
  }
}

function decodeMessage(type: protobuf.Type, plan: Plan, bytes: Uint8Array, check: () => void): JsonObject {
  try {
    check()
    return fromMessage(plan, asMessage(type.decode(bytes)))
  } catch (error) {
    throw badRequest(`the compact message ${type.name} is broken: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** What protobufjs encodes and decodes: properties by field name, bytes as Uint8Array, 64-bit numbers as halves. */
interface Message {
  [name: string]: unknown
}

/** A 64-bit number as protobufjs takes and gives it. */
interface Halves {
  readonly low: number
  readonly high: number
  readonly unsigned: boolean
}

type Operation = Scalar | "list" | "map" | "object" | "wrappedList"

interface Node {
  readonly operation: Operation
  readonly item: Node | undefined
  /** Of objects; a thunk because types may be recursive. */
  readonly plan: () => Plan
  /** Name of field 1, 2 and 3 of the message of a special scalar, and of the wrapper of a list. */
  readonly names: readonly string[]
}

interface PlanField {
  readonly json: string
  readonly property: string
  readonly node: Node
  readonly pointer: boolean
  readonly inline: boolean
}

interface Plan {
  readonly fields: readonly PlanField[]
}

function planOf(shape: TypeShape, type: protobuf.Type, known: Map<TypeShape, Plan>): Plan {
  const existing = known.get(shape)
  if (existing !== undefined) return existing
  const fields: PlanField[] = []
  const plan: Plan = { fields }
  known.set(shape, plan)
  for (const field of shape.fields) {
    if (field.number !== undefined) fields.push(planField(field, fieldOf(type, field), known))
  }
  return plan
}

function fieldOf(type: protobuf.Type, field: FieldShape): protobuf.Field {
  const found = type.fields[field.protoName ?? field.name]
  if (found === undefined || found.id !== field.number)
    throw new Error(`message ${type.name} has no field ${field.name} of number ${field.number}`)
  return found.resolve()
}

function planField(field: FieldShape, reflected: protobuf.Field, known: Map<TypeShape, Plan>): PlanField {
  const pointer = field.pointer === true
  return {
    json: field.name,
    property: reflected.name,
    node: nodeOf(field.type, reflected.resolvedType, known),
    pointer,
    inline: field.inline === true,
  }
}

function nodeOf(type: TypeRef, reflected: protobuf.Type | protobuf.Enum | null, known: Map<TypeShape, Plan>): Node {
  if ("list" in type) return { operation: "list", item: nodeOf(type.list, reflected, known), plan: noPlan, names: [] }
  if ("map" in type) return { operation: "map", item: nodeOf(type.map, reflected, known), plan: noPlan, names: [] }
  const names = reflected instanceof protobuf.Type ? [1, 2, 3].map((id) => reflected.fieldsById[id]?.name ?? "") : []
  if ("wrappedList" in type) {
    const items = reflected instanceof protobuf.Type ? (reflected.fieldsById[1]?.resolve().resolvedType ?? null) : null
    return { operation: "wrappedList", item: nodeOf(type.wrappedList, items, known), plan: noPlan, names }
  }
  if ("scalar" in type) return { operation: type.scalar, item: undefined, plan: noPlan, names }
  let plan: Plan | undefined
  const resolve = (): Plan => {
    if (!(reflected instanceof protobuf.Type)) throw new Error(`the descriptor has no message for ${type.ref().name}`)
    plan ??= planOf(type.ref(), reflected, known)
    return plan
  }
  return { operation: "object", item: undefined, plan: resolve, names }
}

function noPlan(): Plan {
  throw new Error("only objects have fields")
}

function toMessage(plan: Plan, object: JsonObject): Message {
  const message: Message = {}
  for (const field of plan.fields) {
    if (field.inline) {
      message[field.property] = toMessage(field.node.plan(), object)
      continue
    }
    const value = object[field.json]
    const absent = value === undefined || value === null
    if (absent && field.pointer) continue
    const encoded = absent ? zeroOf(field.node) : encode(field.node, value)
    if (encoded !== undefined) message[field.property] = encoded
  }
  return message
}

/** What an absent field without pointer is written as; undefined: not at all. */
function zeroOf(node: Node): unknown {
  switch (node.operation) {
    case "string":
      return ""
    case "boolean":
      return false
    case "int32":
    case "int64":
    case "double":
      return 0
    case "object":
      return toMessage(node.plan(), {})
    case "Quantity":
      return encode(node, "0")
    case "IntOrString":
      return encode(node, 0)
    case "Duration":
      return encode(node, "0s")
    case "Time":
    case "MicroTime":
    case "RawExtension":
      return {}
    default:
      return undefined
  }
}

function encode(node: Node, value: JsonValue): unknown {
  const [first = "", second = "", third = ""] = node.names
  switch (node.operation) {
    case "int64":
      return typeof value === "bigint" ? halves(value) : value
    case "bytes":
      return Buffer.from(text(value), "base64")
    case "object":
      return toMessage(node.plan(), isObject(value) ? value : {})
    case "list":
      return listOf(node, value)
    case "wrappedList":
      return { [first]: listOf(node, value) }
    case "map":
      return mapOf(node, value)
    case "Time":
    case "MicroTime":
      return encodeInstant(node, value)
    case "Duration":
      return { [first]: halves(parseDuration(text(value))) }
    case "Quantity":
      return { [first]: text(value) }
    case "IntOrString":
      return typeof value === "string" ? { [first]: 1, [second]: 0, [third]: value } : { [first]: 0, [second]: Number(value), [third]: "" }
    case "RawExtension":
    case "FieldsV1":
    case "any":
      return { [first]: Buffer.from(stringify(value)) }
    default:
      return value
  }
}

function text(value: JsonValue): string {
  return typeof value === "string" ? value : ""
}

function encodeInstant(node: Node, value: JsonValue): Message {
  const [seconds = "", nanos = ""] = node.names
  const instant = parseInstant(text(value), node.operation === "MicroTime" ? "MicroTime" : "Time")
  if (isZeroInstant(instant)) return {}
  return { [seconds]: instant.seconds, [nanos]: node.operation === "MicroTime" ? instant.nanos : 0 }
}

function listOf(node: Node, value: JsonValue): unknown[] {
  const item = itemOf(node)
  return Array.isArray(value) ? value.map((one) => (one === null ? zeroOf(item) : encode(item, one))) : []
}

/** Entries by key, as the reference writes them; names that look like numbers come first here, which no reader minds. */
function mapOf(node: Node, value: JsonValue): Message {
  const item = itemOf(node)
  const message: Message = {}
  if (!isObject(value)) return message
  for (const name of Object.keys(value).sort()) {
    const entry = value[name] ?? null
    const encoded = entry === null ? (zeroOf(item) ?? Buffer.alloc(0)) : encode(item, entry)
    if (name === "__proto__") Object.defineProperty(message, name, { value: encoded, enumerable: true })
    else message[name] = encoded
  }
  return message
}

function itemOf(node: Node): Node {
  if (node.item === undefined) throw new Error("lists and maps have items")
  return node.item
}

function halves(value: bigint): Halves {
  return { low: Number(BigInt.asIntN(32, value)), high: Number(BigInt.asIntN(32, value >> 32n)), unsigned: false }
}

function whole(value: unknown): number | bigint {
  if (typeof value === "number") return value
  if (!isHalves(value)) return 0
  const exact = (BigInt(value.high) << 32n) | BigInt(value.low >>> 0)
  const narrow = Number(exact)
  return Number.isSafeInteger(narrow) ? narrow : exact
}

function isHalves(value: unknown): value is Halves {
  return typeof value === "object" && value !== null && "low" in value && "high" in value
}

function fromMessage(plan: Plan, message: Message): JsonObject {
  const object: JsonObject = {}
  for (const field of plan.fields) {
    const value = Object.hasOwn(message, field.property) ? message[field.property] : undefined
    if (value === undefined || value === null) continue
    if (field.inline) Object.assign(object, fromMessage(field.node.plan(), asMessage(value)))
    else object[field.json] = decode(field.node, value)
  }
  return object
}

/** The types of decoded values are those of the descriptor, which was checked against the shape. */
function asMessage(value: unknown): Message {
  return value as Message // protobufjs made it: an object with a property per field.
}

function decode(node: Node, value: unknown): JsonValue {
  const [first = "", second = "", third = ""] = node.names
  switch (node.operation) {
    case "int64":
      return whole(value)
    case "bytes":
      return bufferOf(value).toString("base64")
    case "object":
      return fromMessage(node.plan(), asMessage(value))
    case "list":
      return decodeList(itemOf(node), value)
    case "wrappedList":
      return decodeList(itemOf(node), asMessage(value)[first])
    case "map":
      return decodeMap(itemOf(node), asMessage(value))
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
      return decodeRaw(node, asMessage(value))
    default:
      return value as JsonValue // A string, boolean or number, as the descriptor says.
  }
}

function decodeList(item: Node, value: unknown): JsonValue[] {
  return Array.isArray(value) ? value.map((one) => decode(item, one)) : []
}

function decodeMap(item: Node, value: Message): JsonObject {
  const object: JsonObject = {}
  for (const name of Object.keys(value)) setField(object, name, decode(item, value[name]))
  return object
}

function decodeInstant(node: Node, message: Message): JsonValue {
  const [seconds = "", nanos = ""] = node.names
  // An empty message is the zero time; seconds alone are never left out.
  if (!Object.hasOwn(message, seconds) && !Object.hasOwn(message, nanos)) return null
  const instant = { seconds: Number(whole(message[seconds])), nanos: Number(message[nanos] ?? 0) }
  if (isZeroInstant(instant)) return null
  return node.operation === "MicroTime" ? formatMicroTime(instant) : formatTime(instant)
}

function decodeRaw(node: Node, message: Message): JsonValue {
  const bytes = bufferOf(message[node.names[0] ?? ""])
  if (bytes.length === 0) return null
  return parseJson(bytes.toString("utf8")).value
}

function bufferOf(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.alloc(0)
}
