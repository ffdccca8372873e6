/**
 * Writes OpenAPI documents in their protobuf form: writers for kinds of fields, and messages as tables of them. The
 * messages of both versions (gnostic's public schemas `openapi.v2` and `openapi.v3`) consist of these.
 */
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts"
import { ProtobufWriter } from "../encoding/protobuf/writer.ts"
import { writeYaml } from "../wire/yaml-writer.ts"

/**
 * Writes one field. Writes nothing for a value of another type or a zero value, which readers assume for absent fields.
 */
export type Field = (writer: ProtobufWriter, number: number, value: JsonValue) => void

/** Fields of a message by JSON name. `extensions` is the number of the field for names that begin with `x-`. */
export interface Message {
  readonly fields: Readonly<Record<string, readonly [number: number, field: Field]>>
  readonly extensions?: number
}

function writeMessage(writer: ProtobufWriter, message: Message, object: JsonObject): void {
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue
    const [number, field] = message.fields[name] ?? []
    if (number !== undefined && field !== undefined) field(writer, number, value)
    else if (message.extensions !== undefined && name.startsWith("x-")) named(anything)(writer, message.extensions, { [name]: value })
  }
}

/** A nested message; `write` writes its content. */
function nested(writer: ProtobufWriter, number: number, write: () => void): void {
  const at = writer.openField(number)
  write()
  writer.close(at)
}

/** Omits the empty text. */
export const text: Field = (writer, number, value) => {
  if (typeof value === "string" && value !== "") writer.textField(number, value)
}

/** Omits false. */
export const flag: Field = (writer, number, value) => {
  if (value === true) writer.boolField(number, true)
}

/** A whole number. */
export const whole: Field = (writer, number, value) => {
  if (typeof value === "number" || typeof value === "bigint") writer.signedField(number, value)
}

/** A number of any kind. */
export const real: Field = (writer, number, value) => {
  if (typeof value === "number" || typeof value === "bigint") writer.doubleField(number, Number(value))
}

/** A value of any type, encoded as YAML. */
export const anything: Field = (writer, number, value) => nested(writer, number, () => text(writer, 2, writeYaml(value)))

/** A field for each item. */
export const list =
  (field: Field): Field =>
  (writer, number, value) => {
    for (const item of Array.isArray(value) ? value : []) field(writer, number, item)
  }

/** A list of texts, including empty ones. */
export const texts = list((writer, number, value) => {
  if (typeof value === "string") writer.textField(number, value)
})

/** A map, written as a list of messages: name 1, value 2. */
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

/** A message that only wraps field 1 (or `inner`). */
export const wrapped =
  (field: Field, inner = 1): Field =>
  (writer, number, value) =>
    nested(writer, number, () => field(writer, inner, value))

/** A message by its table. The table is resolved late, since tables refer to each other. */
export const message =
  (of: () => Message): Field =>
  (writer, number, value) => {
    if (isObject(value)) nested(writer, number, () => writeMessage(writer, of(), value))
  }

/** Either the value itself (1) or a reference to it (2), whose message is `reference`. */
export const orReference =
  (field: Field, reference: Field): Field =>
  (writer, number, value) => {
    const isReference = isObject(value) && value.$ref !== undefined
    wrapped(isReference ? reference : field, isReference ? 2 : 1)(writer, number, value)
  }

/** Encodes a document. Called once per document, with its decoded JSON. */
export function encodeMessage(message: Message, document: JsonObject): Buffer {
  const writer = new ProtobufWriter()
  writeMessage(writer, message, document)
  return writer.finish()
}
