/**
 * Encodes normalized objects as protobuf messages directly into bytes. Fields are sorted by number and map entries by
 * key. Zero values of non-pointer fields are always written, as in the reference.
 */
import { messageItemOf, type MessageNode, type MessagePlan, type MessageField } from "./plan.ts"
import type { ProtobufWriter } from "./writer.ts"
import { sortByBytes } from "../../base/byte-order.ts"
import { parseDuration } from "../../base/duration.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { isObject } from "../../base/json.ts"
import { fieldSetText } from "../json/field-set-text.ts"
import { stringify } from "../json/text.ts"
import { isSettled, keepSettledMessage, settledMessage } from "../settled.ts"
import { isFlag, memberOf } from "../../schema/unions.ts"
import { isZeroInstant, parseInstant } from "../../base/time.ts"

/**
 * Writes the fields of one message. `object` has the plan's type; missing fields count as zero. Visits the fields that
 * the object has, not all fields of its type: a node of a schema has four of fifty.
 */
export function writeMessage(writer: ProtobufWriter, plan: MessagePlan, object: JsonObject): void {
  const present = presentFields(plan, object)
  let at = 0
  for (const field of plan.always) {
    for (; at < present.length; at++) {
      const before = present[at]
      if (before === undefined || before.number >= field.number) break
      writeField(writer, before, object[before.json] ?? null)
    }
    if (field.inline) {
      const opened = writer.openField(field.number)
      writeMessage(writer, field.node.plan(), object)
      writer.close(opened)
    } else if (present[at] === field) {
      writeField(writer, field, object[field.json] ?? null)
      at++
    } else writeZero(writer, field.number, field.node)
  }
  for (; at < present.length; at++) {
    const field = present[at]
    if (field !== undefined) writeField(writer, field, object[field.json] ?? null)
  }
}

/** The fields that an object has, by number. */
function presentFields({ named }: MessagePlan, object: JsonObject): MessageField[] {
  const present: MessageField[] = []
  for (const name in object) {
    const field = named.get(name)
    if (field === undefined || object[name] === undefined || object[name] === null) continue
    let at = present.length
    for (; at > 0; at--) {
      const before = present[at - 1]
      if (before === undefined || before.number < field.number) break
      present[at] = before
    }
    present[at] = field
  }
  return present
}

function writeField(writer: ProtobufWriter, { number, node, shared }: MessageField, value: JsonValue): void {
  if (shared && isObject(value) && isSettled(value)) return writeSettled(writer, number, node, value)
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

/** Writes the message of a settled value, which is encoded only once. */
function writeSettled(writer: ProtobufWriter, number: number, node: MessageNode, value: JsonObject): void {
  const message = settledMessage(value)
  if (message !== undefined) return writer.bytesField(number, message)
  const at = writer.openField(number)
  writeMessage(writer, node.plan(), value)
  keepSettledMessage(value, writer.opened(at))
  writer.close(at)
}

function writeList(writer: ProtobufWriter, number: number, item: MessageNode, value: JsonValue): void {
  if (!Array.isArray(value)) return
  for (const one of value) {
    if (one === null) writeNull(writer, number, item)
    else writeValue(writer, number, item, one)
  }
}

/** Writes null as an item of a list or a value of a map: the zero value; embedded JSON has a null of its own. */
function writeNull(writer: ProtobufWriter, number: number, item: MessageNode): void {
  if (item.operation === "any" || item.operation === "FieldsV1") writer.textField(number, "")
  else writeZero(writer, number, item)
}

const keyNumber = 1
const valueNumber = 2

function writeMap(writer: ProtobufWriter, number: number, item: MessageNode, value: JsonValue): void {
  if (!isObject(value)) return
  const names = Object.keys(value)
  if (names.length > 1) sortByBytes(names)
  for (const name of names) {
    const entry = value[name] ?? null
    const at = writer.openField(number)
    writer.textField(keyNumber, name)
    if (entry === null) writeNull(writer, valueNumber, item)
    else writeValue(writer, valueNumber, item, entry)
    writer.close(at)
  }
}

/** Writes a single value, not a list or map. */
function writeValue(writer: ProtobufWriter, number: number, node: MessageNode, value: JsonValue): void {
  switch (node.operation) {
    case "string":
      writer.textField(number, text(value))
      return
    case "boolean":
      writer.boolField(number, value === true)
      return
    case "int32":
    case "int64":
      writer.signedField(number, whole(value))
      return
    case "double":
      writer.doubleField(number, Number(value))
      return
    case "bytes":
      writer.bytesField(number, Buffer.from(text(value), "base64"))
      return
    default:
      writeStruct(writer, number, node, value)
  }
}

/** Writes a value that is a nested message. */
function writeStruct(writer: ProtobufWriter, number: number, node: MessageNode, value: JsonValue): void {
  const at = writer.openField(number)
  switch (node.operation) {
    case "object":
      writeMessage(writer, node.plan(), isObject(value) ? value : noFields)
      break
    case "Time":
    case "MicroTime":
      writeInstant(writer, node.operation, text(value))
      break
    case "Duration":
      writer.signedField(1, parseDuration(text(value)))
      break
    case "Quantity":
      writer.textField(1, text(value))
      break
    case "IntOrString":
      writer.boolField(1, typeof value === "string")
      writer.signedField(2, typeof value === "string" ? 0 : Number(value))
      writer.textField(3, text(value))
      break
    case "wrappedList":
      writeList(writer, 1, messageItemOf(node), value)
      break
    case "union":
      writeMember(writer, node.plan(), value)
      break
    case "any":
      writer.textField(1, escaped(stringify(value)))
      break
    case "FieldsV1":
      writer.textField(1, fieldSetText(value))
      break
    default:
      // RawExtension is embedded as JSON.
      writer.textField(1, stringify(value))
  }
  writer.close(at)
}

/** Writes the value of a union: the field of its member, and before or after it the booleans that go with it. */
function writeMember(writer: ProtobufWriter, { byNumber }: MessagePlan, value: JsonValue): void {
  const member = memberOf(byNumber, value)
  for (const field of byNumber) {
    if (field === member) writeField(writer, field, value)
    else if (isFlag(field)) writer.boolField(field.number, member !== undefined)
  }
}

const noFields: JsonObject = {}

/** Writes an absent field that is not a pointer. Types without a zero value are omitted. */
function writeZero(writer: ProtobufWriter, number: number, node: MessageNode): void {
  switch (node.operation) {
    case "string":
      writer.textField(number, "")
      return
    case "boolean":
    case "int32":
    case "int64":
      writer.signedField(number, 0)
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
      writer.textField(number, "")
  }
}

function writeInstant(writer: ProtobufWriter, type: "Time" | "MicroTime", value: string): void {
  const instant = parseInstant(value, type)
  if (isZeroInstant(instant)) return
  writer.signedField(1, instant.seconds)
  writer.signedField(2, type === "MicroTime" ? instant.nanos : 0)
}

/** The reference's serializer escapes values without a type for HTML and JavaScript; so do the stored bytes here. */
function escaped(json: string): string {
  if (!unsafe.test(json)) return json
  return json.replaceAll(allUnsafe, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

const unsafe = /[<>&\u2028\u2029]/
const allUnsafe = /[<>&\u2028\u2029]/g

function text(value: JsonValue): string {
  return typeof value === "string" ? value : ""
}

function whole(value: JsonValue): number | bigint {
  return typeof value === "number" || typeof value === "bigint" ? value : 0
}
