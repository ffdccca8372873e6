/**
 * How the compact form of OpenAPI documents is written: kinds of fields, and messages as tables of them. Both versions' messages (those of the
 * public schemas `openapi.v2` and `openapi.v3`, gnostic's) are made of these.
 */
import protobuf from "protobufjs"
import { isObject, type JsonObject, type JsonValue } from "../kit/json.ts"
import { writeYaml } from "../wire/yaml-writer.ts"

type Writer = protobuf.Writer

/** Writes one field; nothing for a value of another type and for zero values, which readers take for granted. */
export type Field = (writer: Writer, number: number, value: JsonValue) => void

/** Fields of a message by JSON name. `extensions`: where names that begin with `x-` go. */
export interface Message {
  readonly fields: Readonly<Record<string, readonly [number: number, field: Field]>>
  readonly extensions?: number
}

const lengthDelimited = 2

function writeMessage(writer: Writer, message: Message, object: JsonObject): void {
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue
    const [number, field] = message.fields[name] ?? []
    if (number !== undefined && field !== undefined) field(writer, number, value)
    else if (message.extensions !== undefined && name.startsWith("x-")) named(anything)(writer, message.extensions, { [name]: value })
  }
}

/** A nested message whose content `write` fills in. */
function nested(writer: Writer, number: number, write: () => void): void {
  writer.uint32((number << 3) | lengthDelimited).fork()
  write()
  writer.ldelim()
}

/** Nothing for the empty text. */
export const text: Field = (writer, number, value) => {
  if (typeof value === "string" && value !== "") writer.uint32((number << 3) | lengthDelimited).string(value)
}

/** Nothing for false. */
export const flag: Field = (writer, number, value) => {
  if (value === true) writer.uint32(number << 3).bool(true)
}

/** A whole number. */
export const whole: Field = (writer, number, value) => {
  if (typeof value === "number") writer.uint32(number << 3).int64(value)
}

/** A number of any kind. */
export const real: Field = (writer, number, value) => {
  if (typeof value === "number") writer.uint32((number << 3) | 1).double(value)
}

/** A value of any type travels as YAML. */
export const anything: Field = (writer, number, value) => nested(writer, number, () => text(writer, 2, writeYaml(value)))

/** Each item as a field of its own. */
export const list =
  (field: Field): Field =>
  (writer, number, value) => {
    for (const item of Array.isArray(value) ? value : []) field(writer, number, item)
  }

/** In a list an empty text counts too. */
export const texts = list((writer, number, value) => {
  if (typeof value === "string") writer.uint32((number << 3) | lengthDelimited).string(value)
})

/** Maps are lists of messages: name 1, value 2. */
export const named =
  (field: Field): Field =>
  (writer, number, value) => {
    for (const [name, item] of Object.entries(isObject(value) ? value : {})) {
      nested(writer, number, () => {
        text(writer, 1, name)
        if (item !== undefined) field(writer, 2, item)
      })
    }
  }

/** A message that only wraps field 1 (or `inner`) of it. */
export const wrapped =
  (field: Field, inner = 1): Field =>
  (writer, number, value) =>
    nested(writer, number, () => field(writer, inner, value))

/** A message by its table; late, since tables name each other. */
export const message =
  (of: () => Message): Field =>
  (writer, number, value) => {
    if (isObject(value)) nested(writer, number, () => writeMessage(writer, of(), value))
  }

/** A thing itself (1) or a reference to it (2), whose message is `reference`. */
export const orReference =
  (field: Field, reference: Field): Field =>
  (writer, number, value) => {
    const isReference = isObject(value) && value.$ref !== undefined
    wrapped(isReference ? reference : field, isReference ? 2 : 1)(writer, number, value)
  }

/** A whole document in a message: called once per document, with its JSON decoded. */
export function compactBytes(message: Message, document: JsonObject): Buffer {
  const writer = protobuf.Writer.create()
  writeMessage(writer, message, document)
  return Buffer.from(writer.finish())
}
