/**
 * Protobuf messages as tables of fields: enough for messages of other programs, such as the calls of etcd, without
 * generated code. Encoding omits zeros; decoding fills in every field (proto3) and skips fields that the table does not
 * name.
 */
import { numberOf, ProtobufReader, wireTypeOf } from "./reader.ts"
import { ProtobufWriter, wireType } from "./writer.ts"

/**
 * Codec of one field. `Given` is the type that a writer may pass; for messages it is any subset of the fields. Methods,
 * so that a table may hold fields of every type.
 */
interface Field<Value, Given = Value> {
  readonly number: number
  readonly wireType: typeof wireType.varint | typeof wireType.bytes
  /** The value of an absent field. */
  zero(): Value
  /** Writes the field with its tag; nothing for a zero value. */
  write(writer: ProtobufWriter, given: Given): void
  /** Reads a value after its tag. `before`: the value of this field so far. */
  read(reader: ProtobufReader, before: Value): Value
}

type Fields = Readonly<Record<string, Field<unknown>>>
type ValueOf<F> = F extends Field<infer Value, infer _Given> ? Value : never
type GivenOf<F> = F extends Field<infer _Value, infer Given> ? Given : never
type MessageValue<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]> }
type MessageInput<F extends Fields> = { readonly [Name in keyof F]?: GivenOf<F[Name]> }

/** Codec of one message type. Made by `message`, used by the calls in `protocol.ts`. */
export interface MessageType<Value, Given> {
  encode(given: Given): Buffer
  /** Byte values are views of `bytes`. Throws RangeError for truncated bytes. */
  decode(bytes: Uint8Array): Value
  writeTo(writer: ProtobufWriter, given: Given): void
  /** Reads up to the end of the reader's message. */
  readFrom(reader: ProtobufReader): Value
}

/** The decoded form of a message type. */
export type Decoded<Type> = Type extends MessageType<infer Value, infer _Given> ? Value : never
/** Values that can be encoded as a message of this type. */
export type Encodable<Type> = Type extends MessageType<infer _Value, infer Given> ? Given : never

/** Called once per message type, with a field table. */
export function message<F extends Fields>(fields: F): MessageType<MessageValue<F>, MessageInput<F>> {
  const entries = Object.entries<Field<unknown>>(fields)
  const byNumber: (readonly [string, Field<unknown>] | undefined)[] = []
  for (const entry of entries) byNumber[entry[1].number] = entry

  function writeTo(target: ProtobufWriter, given: MessageInput<F>): void {
    for (const [name, field] of entries) {
      const value: unknown = given[name]
      if (value !== undefined) field.write(target, value)
    }
  }

  function readFrom(reader: ProtobufReader): MessageValue<F> {
    const value: Record<string, unknown> = {}
    for (const [name, field] of entries) value[name] = field.zero()
    while (reader.more) {
      const tag = reader.tag()
      const [name, field] = byNumber[numberOf(tag)] ?? []
      if (name === undefined || field === undefined || field.wireType !== wireTypeOf(tag)) reader.skip(tag)
      else value[name] = field.read(reader, value[name])
    }
    return value as MessageValue<F> // Every field of the table has its zero or a value of its own type.
  }

  return {
    writeTo,
    readFrom,
    encode(given) {
      writer.reset()
      writeTo(writer, given)
      return writer.finish()
    },
    decode: (bytes) => readFrom(new ProtobufReader(bytes)),
  }
}

/** Shared, since messages are written one after the other. */
const writer = new ProtobufWriter()

/** 64-bit integers that fit a number; larger ones (ids of other programs) lose their last digits. */
export function int64(number: number): Field<number> {
  return {
    number,
    wireType: wireType.varint,
    zero: () => 0,
    write: (target, value) => void (value !== 0 && target.signedField(number, value)),
    read: (reader) => Number(reader.int64()),
  }
}

/** 64-bit integers as text: ids that other programs chose, which a number would round. */
export function exactInt64(number: number): Field<string> {
  return {
    number,
    wireType: wireType.varint,
    zero: () => "0",
    write: (target, value) => void (value !== "0" && target.signedField(number, BigInt(value))),
    read: (reader) => String(reader.int64()),
  }
}

/** Ids that may use all 64 bits; ids that a number cannot hold exactly are bigints. */
export function identifier(number: number): Field<number | bigint> {
  return {
    number,
    wireType: wireType.varint,
    zero: () => 0,
    write: (target, value) => void (value !== 0 && target.signedField(number, value)),
    read: (reader) => reader.int64(),
  }
}

export function bool(number: number): Field<boolean> {
  return {
    number,
    wireType: wireType.varint,
    zero: () => false,
    write: (target, value) => void (value && target.boolField(number, value)),
    read: (reader) => reader.bool(),
  }
}

/** Text, and keys: bytes that are known to be UTF-8. */
export function text(number: number): Field<string> {
  return {
    number,
    wireType: wireType.bytes,
    zero: () => "",
    write: (target, value) => void (value !== "" && target.textField(number, value)),
    read: (reader) => reader.text(),
  }
}

const noBytes = new Uint8Array()

export function bytes(number: number): Field<Uint8Array> {
  return {
    number,
    wireType: wireType.bytes,
    zero: () => noBytes,
    write: (target, value) => void (value.byteLength > 0 && target.bytesField(number, value)),
    read: (reader) => reader.view(),
  }
}

/** A message within a message. Undefined means absent, which is different from a message without fields. */
export function embedded<Value, Given>(number: number, type: MessageType<Value, Given>): Field<Value | undefined, Given | undefined> {
  return {
    number,
    wireType: wireType.bytes,
    zero: () => undefined,
    write: (target, value) => void (value !== undefined && writeNested(target, number, type, value)),
    read: (reader) => readNested(reader, type),
  }
}

/** Repeated messages. */
export function list<Value, Given>(number: number, type: MessageType<Value, Given>): Field<readonly Value[], readonly Given[]> {
  return {
    number,
    wireType: wireType.bytes,
    zero: () => [],
    write: (target, values) => {
      for (const value of values) writeNested(target, number, type, value)
    },
    read: (reader, before) => appended(before, readNested(reader, type)),
  }
}

/** Repeated text. */
export function texts(number: number): Field<readonly string[]> {
  return {
    number,
    wireType: wireType.bytes,
    zero: () => [],
    write: (target, values) => {
      for (const value of values) target.textField(number, value)
    },
    read: (reader, before) => appended(before, reader.text()),
  }
}

function writeNested<Value, Given>(target: ProtobufWriter, number: number, type: MessageType<Value, Given>, given: Given): void {
  const at = target.openField(number)
  type.writeTo(target, given)
  target.close(at)
}

function readNested<Value, Given>(reader: ProtobufReader, type: MessageType<Value, Given>): Value {
  const outer = reader.enter()
  const value = type.readFrom(reader)
  reader.leave(outer)
  return value
}

/** Appends in place: no other code has the array yet, and it may get ten thousand items. */
function appended<Item>(before: readonly Item[], item: Item): readonly Item[] {
  ;(before as Item[]).push(item) // The array that `zero` made for this very message.
  return before
}
