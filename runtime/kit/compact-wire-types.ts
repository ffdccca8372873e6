/**
 * Wire types of a compact message that a client made. The library reads a known field as its own type whatever the bytes say it is, and so
 * takes one thing for another without a word; a typed decoder refuses that.
 */
import protobuf from "protobufjs"

const { Reader, types } = protobuf
const lengthDelimited = 2
const wireTypes: ReadonlyMap<string, number> = new Map(Object.entries(types.basic))
const packable: ReadonlySet<string> = new Set(Object.keys(types.packed))

/** Called with the bytes of a body before they are decoded. Throws an Error that names field and wire type. */
export function checkWireTypes(type: protobuf.Type, bytes: Uint8Array): void {
  const reader = Reader.create(bytes)
  checkMessage(type, reader, reader.len)
}

function checkMessage(type: protobuf.Type, reader: protobuf.Reader, end: number): void {
  while (reader.pos < end) {
    const tag = reader.uint32()
    const wireType = tag & 7
    const field = type.fieldsById[tag >>> 3]
    if (tag >>> 3 === 0) throw new Error(`illegal tag ${tag}`)
    if (field === undefined) reader.skipType(wireType)
    else checkField(field, wireType, reader)
  }
  if (reader.pos > end) throw new Error("unexpected EOF")
}

function checkField(field: protobuf.Field, wireType: number, reader: protobuf.Reader): void {
  const { resolvedType } = field.resolve()
  const basic = field.map || resolvedType instanceof protobuf.Type ? lengthDelimited : wireTypes.get(field.type)
  const packed = field.repeated && wireType === lengthDelimited && packable.has(field.type)
  if (wireType !== basic && !packed) throw new Error(`wrong wireType = ${wireType} for field ${field.name}`)
  if (!(resolvedType instanceof protobuf.Type) || field.map) return void reader.skipType(wireType)
  const length = reader.uint32()
  checkMessage(resolvedType, reader, reader.pos + length)
}
