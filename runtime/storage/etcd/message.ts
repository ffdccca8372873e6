/**
 * Protobuf messages as tables of fields: enough for the calls of this driver, without generated code. Encoding omits
 * zeros; decoding fills in every field (proto3) and skips fields that the table does not name.
 */
import protobuf from "protobufjs"

const { Reader, Writer } = protobuf

const varint = 0
const delimited = 2

/**
 * Codec of one field. `Given` is the type that a writer may pass; for messages it is any subset of the fields. Methods,
 * so that a table may hold fields of every type.
 */
interface Field<Value, Given = Value> {
  readonly number: number
  readonly wireType: typeof varint | typeof delimited
  readonly repeated: boolean
  /** The value of an absent field. */
  zero(): Value
  isZero(given: Given): boolean
  write(writer: protobuf.Writer, given: Given): void
  /** `before`: the value of this field so far. */
  read(reader: protobuf.Reader, before: Value): Value
}

type Fields = Readonly<Record<string, Field<unknown>>>
type ValueOf<F> = F extends Field<infer Value, infer _Given> ? Value : never
type GivenOf<F> = F extends Field<infer _Value, infer Given> ? Given : never
type MessageValue<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]> }
type MessageInput<F extends Fields> = { readonly [Name in keyof F]?: GivenOf<F[Name]> }

/** Codec of one message type. Made by `message`, used by the calls in `protocol.ts`. */
export interface MessageType<Value, Given> {
  encode(given: Given): Buffer
  /** Byte values are views of `bytes`. Throws for truncated bytes. */
  decode(bytes: Uint8Array): Value
  writeTo(writer: protobuf.Writer, given: Given): void
}

/** The decoded form of a message type. */
export type Decoded<Type> = Type extends MessageType<infer Value, infer _Given> ? Value : never
/** What can be encoded as a message of this type. */
export type Encodable<Type> = Type extends MessageType<infer _Value, infer Given> ? Given : never

/** Called once per message type, with a field table. */
export function message<F extends Fields>(fields: F): MessageType<MessageValue<F>, MessageInput<F>> {
  const entries = Object.entries<Field<unknown>>(fields)
  const byNumber: (readonly [string, Field<unknown>] | undefined)[] = []
  for (const entry of entries) byNumber[entry[1].number] = entry

  function writeTo(writer: protobuf.Writer, given: MessageInput<F>): void {
    for (const [name, field] of entries) {
      const value: unknown = given[name]
      if (value === undefined || field.isZero(value)) continue
      if (!field.repeated) writer.uint32((field.number << 3) | field.wireType)
      field.write(writer, value)
    }
  }

  return {
    writeTo,
    encode(given) {
      const writer = Writer.create()
      writeTo(writer, given)
      const bytes = writer.finish()
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    },
    decode(bytes) {
      const value: Record<string, unknown> = {}
      for (const [name, field] of entries) value[name] = field.zero()
      const reader = Reader.create(bytes)
      while (reader.pos < reader.len) {
        const tag = reader.uint32()
        const [name, field] = byNumber[tag >>> 3] ?? []
        if (name === undefined || field === undefined || field.wireType !== (tag & 7)) reader.skipType(tag & 7)
        else value[name] = field.read(reader, value[name])
      }
      return value as MessageValue<F> // Every field of the table has its zero or a value of its own type.
    },
  }
}

/** 64-bit integers that fit a number; larger ones (ids of other programs) lose their last digits. */
export function int64(number: number): Field<number> {
  return {
    number,
    wireType: varint,
    repeated: false,
    zero: () => 0,
    isZero: (value) => value === 0,
    write: (writer, value) => void writer.int64(value),
    read: readInt64,
  }
}

/** 64-bit integers as text: ids that other programs chose, which a number would round. */
export function exactInt64(number: number): Field<string> {
  return {
    number,
    wireType: varint,
    repeated: false,
    zero: () => "0",
    isZero: (value) => value === "0",
    write: (writer, value) => void writer.int64(value),
    read: (reader) => reader.int64().toString(),
  }
}

/** Ids that may use all 64 bits; those that a number cannot hold exactly are bigints. */
export function identifier(number: number): Field<number | bigint> {
  return {
    number,
    wireType: varint,
    repeated: false,
    zero: () => 0,
    isZero: (value) => value === 0,
    write: (writer, value) => void writer.int64(typeof value === "bigint" ? halvesOf(value) : value),
    read(reader) {
      const start = reader.pos
      const value = readInt64(reader)
      if (Number.isSafeInteger(value) && value > 0) return value
      reader.pos = start
      return BigInt.asIntN(64, bigVarint(reader))
    },
  }
}

/** The form in which protobufjs accepts integers beyond a number. */
function halvesOf(value: bigint): protobuf.Long {
  return { low: Number(BigInt.asIntN(32, value)), high: Number(BigInt.asIntN(32, value >> 32n)), unsigned: false }
}

export function bool(number: number): Field<boolean> {
  return {
    number,
    wireType: varint,
    repeated: false,
    zero: () => false,
    isZero: (value) => !value,
    write: (writer, value) => void writer.bool(value),
    read: (reader) => reader.bool(),
  }
}

/** Text, and keys: bytes that are known to be UTF-8. */
export function text(number: number): Field<string> {
  return {
    number,
    wireType: delimited,
    repeated: false,
    zero: () => "",
    isZero: (value) => value === "",
    write: (writer, value) => void writer.string(value),
    read: (reader) => reader.string(),
  }
}

const noBytes = new Uint8Array()

export function bytes(number: number): Field<Uint8Array> {
  return {
    number,
    wireType: delimited,
    repeated: false,
    zero: () => noBytes,
    isZero: (value) => value.byteLength === 0,
    write: (writer, value) => void writer.bytes(value),
    read: (reader) => reader.bytes(),
  }
}

/** A message within a message. Undefined means absent, which is different from a message without fields. */
export function embedded<Value, Given>(number: number, type: MessageType<Value, Given>): Field<Value | undefined, Given | undefined> {
  return {
    number,
    wireType: delimited,
    repeated: false,
    zero: () => undefined,
    isZero: () => false,
    write: (writer, value) => {
      writer.fork()
      if (value !== undefined) type.writeTo(writer, value)
      writer.ldelim()
    },
    read: (reader) => type.decode(reader.bytes()),
  }
}

/** Repeated messages. */
export function list<Value, Given>(number: number, type: MessageType<Value, Given>): Field<readonly Value[], readonly Given[]> {
  return {
    number,
    wireType: delimited,
    repeated: true,
    zero: () => [],
    isZero: (values) => values.length === 0,
    write: (writer, values) => {
      for (const value of values) {
        writer.uint32((number << 3) | delimited).fork()
        type.writeTo(writer, value)
        writer.ldelim()
      }
    },
    read: (reader, before) => appended(before, type.decode(reader.bytes())),
  }
}

/** Repeated text. */
export function texts(number: number): Field<readonly string[]> {
  return {
    number,
    wireType: delimited,
    repeated: true,
    zero: () => [],
    isZero: (values) => values.length === 0,
    write: (writer, values) => {
      for (const value of values) writer.uint32((number << 3) | delimited).string(value)
    },
    read: (reader, before) => appended(before, reader.string()),
  }
}

/** Appends in place: no other code has the array yet, and it may get ten thousand items. */
function appended<Item>(before: readonly Item[], item: Item): readonly Item[] {
  ;(before as Item[]).push(item) // The array that `zero` made for this very message.
  return before
}

/** protobufjs would allocate an object of two halves for each integer; a page of keys has 40,000. */
function readInt64(reader: protobuf.Reader): number {
  const { buf, pos } = reader
  let value = 0
  let scale = 1
  for (let length = 1; length <= 10; length++) {
    const byte = buf[pos + length - 1] ?? 0
    value += (byte & 0x7f) * scale
    scale *= 128
    if (byte >= 0x80) continue
    if (length === 10) break
    reader.pos = pos + length
    return value
  }
  return Number(BigInt.asIntN(64, bigVarint(reader)))
}

/** Reads a varint of any length: for negative integers and those beyond a number. */
function bigVarint(reader: protobuf.Reader): bigint {
  let value = 0n
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.buf[reader.pos++]
    if (byte === undefined) throw new RangeError("a number is cut short")
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return value
  }
  throw new RangeError("a number is longer than ten bytes")
}
