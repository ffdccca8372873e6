/**
 * Encodes normalized objects as protobuf messages directly into bytes. Fields are sorted by number and map entries by
 * key. Zero values of non-pointer fields are always written, as in the reference.
 */
import { messageItemOf, type MessageNode, type MessagePlan, type MessageField } from "./plan.ts"
import { type ProtobufWriter, wireType } from "./writer.ts"
import { parseDuration } from "../../base/duration.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { isObject } from "../../base/json.ts"
import { stringify } from "../json/text.ts"
import { isZeroInstant, parseInstant } from "../../base/time.ts"

/** Writes the fields of one message. `object` has the plan's type; missing fields count as zero. */
export function writeMessage(writer: ProtobufWriter, plan: MessagePlan, object: JsonObject): void {
  for (const field of plan.byNumber) {
    if (field.inline) {
      const at = openField(writer, field.number)
      writeMessage(writer, field.node.plan(), object)
      writer.close(at)
      continue
    }
    const value = object[field.json]
    if (value !== undefined && value !== null) writeField(writer, field, value)
    else if (!field.pointer) writeZero(writer, field.number, field.node)
  }
}

function writeField(writer: ProtobufWriter, { number, node }: MessageField, value: JsonValue): void {
  switch (node.operation) {
    case "list":
      writeList(writer, number, messageItemOf(node), value)
      return
    case "map":
      writeMap(writer, number, messageItemOf(node), value)
      return
    default:
      writeValue(writer, number, node, value)
  }
}

function writeList(writer: ProtobufWriter, number: number, item: MessageNode, value: JsonValue): void {
  if (!Array.isArray(value)) return
  for (const one of value) {
    if (one === null) writeZero(writer, number, item)
    else writeValue(writer, number, item, one)
  }
}

const keyNumber = 1
const valueNumber = 2

function writeMap(writer: ProtobufWriter, number: number, item: MessageNode, value: JsonValue): void {
  if (!isObject(value)) return
  const names = Object.keys(value)
  if (names.length > 1) names.sort()
  for (const name of names) {
    const entry = value[name] ?? null
    const at = openField(writer, number)
    textField(writer, keyNumber, name)
    if (entry === null) writeZero(writer, valueNumber, item)
    else writeValue(writer, valueNumber, item, entry)
    writer.close(at)
  }
}

/** Writes a single value, not a list or map. */
function writeValue(writer: ProtobufWriter, number: number, node: MessageNode, value: JsonValue): void {
  switch (node.operation) {
    case "string":
      textField(writer, number, text(value))
      return
    case "boolean":
      varintField(writer, number, value === true ? 1 : 0)
      return
    case "int32":
    case "int64":
      signedField(writer, number, whole(value))
      return
    case "double":
      writer.varint((number << 3) | wireType.fixed64)
      writer.double(Number(value))
      return
    case "bytes":
      bytesField(writer, number, Buffer.from(text(value), "base64"))
      return
    default:
      writeStruct(writer, number, node, value)
  }
}

/** Writes a value that is a nested message. */
function writeStruct(writer: ProtobufWriter, number: number, node: MessageNode, value: JsonValue): void {
  const at = openField(writer, number)
  switch (node.operation) {
    case "object":
      writeMessage(writer, node.plan(), isObject(value) ? value : noFields)
      break
    case "Time":
    case "MicroTime":
      writeInstant(writer, node.operation, text(value))
      break
    case "Duration":
      signedField(writer, 1, parseDuration(text(value)))
      break
    case "Quantity":
      textField(writer, 1, text(value))
      break
    case "IntOrString":
      varintField(writer, 1, typeof value === "string" ? 1 : 0)
      signedField(writer, 2, typeof value === "string" ? 0 : Number(value))
      textField(writer, 3, text(value))
      break
    case "wrappedList":
      writeList(writer, 1, messageItemOf(node), value)
      break
    default:
      // RawExtension, FieldsV1 and any are embedded as JSON.
      textField(writer, 1, stringify(value))
  }
  writer.close(at)
}

const noFields: JsonObject = {}

/** Writes an absent field that is not a pointer. Types without a zero value are omitted. */
function writeZero(writer: ProtobufWriter, number: number, node: MessageNode): void {
  switch (node.operation) {
    case "string":
      writer.varint((number << 3) | wireType.bytes)
      writer.varint(0)
      return
    case "boolean":
    case "int32":
    case "int64":
      varintField(writer, number, 0)
      return
    case "double":
      writeValue(writer, number, node, 0)
      return
    case "object":
      writeStruct(writer, number, node, noFields)
      return
    case "Quantity":
      writeStruct(writer, number, node, "0")
      return
    case "IntOrString":
      writeStruct(writer, number, node, 0)
      return
    case "Duration":
      writeStruct(writer, number, node, "0s")
      return
    case "Time":
    case "MicroTime":
    case "RawExtension":
      writer.varint((number << 3) | wireType.bytes)
      writer.varint(0)
  }
}

function writeInstant(writer: ProtobufWriter, type: "Time" | "MicroTime", value: string): void {
  const instant = parseInstant(value, type)
  if (isZeroInstant(instant)) return
  signedField(writer, 1, instant.seconds)
  signedField(writer, 2, type === "MicroTime" ? instant.nanos : 0)
}

function openField(writer: ProtobufWriter, number: number): number {
  writer.varint((number << 3) | wireType.bytes)
  return writer.open()
}

function textField(writer: ProtobufWriter, number: number, value: string): void {
  writer.varint((number << 3) | wireType.bytes)
  writer.text(value)
}

function bytesField(writer: ProtobufWriter, number: number, value: Uint8Array): void {
  writer.varint((number << 3) | wireType.bytes)
  writer.varint(value.length)
  writer.raw(value)
}

function varintField(writer: ProtobufWriter, number: number, value: number): void {
  writer.varint((number << 3) | wireType.varint)
  writer.varint(value)
}

function signedField(writer: ProtobufWriter, number: number, value: number | bigint): void {
  writer.varint((number << 3) | wireType.varint)
  writer.signed(value)
}

function text(value: JsonValue): string {
  return typeof value === "string" ? value : ""
}

function whole(value: JsonValue): number | bigint {
  return typeof value === "number" || typeof value === "bigint" ? value : 0
}
