/**
 * Checks a protobuf message of a client before it is decoded: wire types and the number of values. protobufjs reads a
 * known field as its own type, whatever the wire type says, and so silently misreads values; a typed decoder refuses
 * them. It also creates an object for every two bytes that hold an empty message.
 */
import protobuf from "protobufjs"
import type { ValueCount } from "../value-bounds.ts"

const { Reader, types } = protobuf
const lengthDelimited = 2
const mapValue = 2
/** The nesting limit of protobufjs. */
const depthMax = Reader.recursionLimit
const wireTypes: ReadonlyMap<string, number> = new Map(Object.entries(types.basic))
const packable: ReadonlySet<string> = new Set(Object.keys(types.packed))

/**
 * Called with the bytes of a body before they are decoded. Throws an Error that names the field and the wire type, and
 * ApiError 413 for too many values.
 */
export function checkWireTypes(type: protobuf.Type, bytes: Uint8Array, count: ValueCount): void {
  const pass = { reader: Reader.create(bytes), count }
  checkMessage(type, pass, { end: pass.reader.len, depth: 0 })
}

interface Pass {
  readonly reader: protobuf.Reader
  readonly count: ValueCount
}

function checkMessage(type: protobuf.Type, pass: Pass, { end, depth }: { end: number; depth: number }): void {
  const { reader, count } = pass
  if (depth > depthMax) throw new Error(`exceeded max depth: messages may be nested ${depthMax} deep`)
  if (depth > 0) count.add(listsIn(type))
  while (reader.pos < end) {
    const tag = reader.uint32()
    const wireType = tag & 7
    const field = type.fieldsById[tag >>> 3]
    if (tag >>> 3 === 0) throw new Error(`illegal tag ${tag}`)
    count.add(1)
    if (field === undefined) reader.skipType(wireType)
    else checkField(field, wireType, pass, depth)
  }
  if (reader.pos > end) throw new Error("unexpected EOF")
}

const lists = new WeakMap<protobuf.Type, number>()

/**
 * Counts the list and map fields of a type. Decoding creates a container for each, present or not: an empty container
 * of a pod has eight.
 */
function listsIn(type: protobuf.Type): number {
  let count = lists.get(type)
  if (count === undefined) {
    count = type.fieldsArray.filter((field) => field.repeated || field.map).length
    lists.set(type, count)
  }
  return count
}

function checkField(field: protobuf.Field, wireType: number, pass: Pass, depth: number): void {
  const { reader, count } = pass
  const { resolvedType } = field.resolve()
  const basic = field.map || resolvedType instanceof protobuf.Type ? lengthDelimited : wireTypes.get(field.type)
  const packed = field.repeated && wireType === lengthDelimited && packable.has(field.type)
  if (wireType !== basic && !packed) throw new Error(`wrong wireType = ${wireType} for field ${field.name}`)
  if (packed) {
    const length = reader.uint32()
    reader.skip(length)
    // A number takes at least one byte.
    count.add(length)
  } else if (!(resolvedType instanceof protobuf.Type)) reader.skipType(wireType)
  else {
    const end = reader.uint32() + reader.pos
    if (field.map) checkEntry(resolvedType, pass, { end, depth })
    else checkMessage(resolvedType, pass, { end, depth: depth + 1 })
  }
}

/** Checks one entry of a map of messages. */
function checkEntry(value: protobuf.Type, pass: Pass, { end, depth }: { end: number; depth: number }): void {
  const { reader } = pass
  while (reader.pos < end) {
    const tag = reader.uint32()
    if (tag !== mapValue * 8 + lengthDelimited) reader.skipType(tag & 7)
    else checkMessage(value, pass, { end: reader.uint32() + reader.pos, depth: depth + 1 })
  }
  if (reader.pos > end) throw new Error("unexpected EOF")
}
