/**
 * Decodes protobuf messages into JSON objects, which the caller normalizes. Checks what clients send: wire types,
 * nesting and the number of values. Fields without a number in the shape are skipped.
 */
import { formatDuration } from "../../base/duration.ts"
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { formatMicroTime, formatTime, isZeroInstant } from "../../base/time.ts"
import { parseJson, parseJsonCounted, setField } from "../json/text.ts"
import type { ValueCount } from "../value-bounds.ts"
import { messageItemOf, type MessageField, type MessageNode, type MessagePlan } from "./plan.ts"
import { nestingMax, numberOf, type ProtobufReader, wireTypeOf } from "./reader.ts"
import { wireType } from "./writer.ts"
import { emptyUnion, holdsMany, isFlag } from "../../schema/unions.ts"

/**
 * Reads fields into `object` up to the end of the reader's message. A message that is there twice is merged; of other
 * values the last one counts. `count` counts the values of a client's document; absent for values that this server has
 * stored. Throws an Error that names the fault, and ApiError 413 for too many values.
 */
export function readMessage(reader: ProtobufReader, plan: MessagePlan, object: JsonObject, count: ValueCount | undefined): void {
  new Decoding(reader, count).message(plan, object, 0)
}

class Decoding {
  constructor(
    private readonly reader: ProtobufReader,
    private readonly count: ValueCount | undefined,
  ) {}

  message(plan: MessagePlan, object: JsonObject, depth: number): void {
    const { reader, count } = this
    if (depth > nestingMax) throw new RangeError(`exceeded max depth: messages may be nested ${nestingMax} deep`)
    if (depth > 0) count?.add(plan.containers.length)
    while (reader.more) {
      const tag = reader.tag()
      count?.add(1)
      const field = plan.field(numberOf(tag))
      if (field === undefined) reader.skip(tag)
      else this.field(object, field, tag, depth)
    }
    for (const { json, node } of plan.containers) if (!Object.hasOwn(object, json)) object[json] = node.operation === "list" ? [] : {}
  }

  private field(object: JsonObject, field: MessageField, tag: number, depth: number): void {
    const { node, json } = field
    if (node.operation === "list") return this.list(object, field, tag, depth)
    checkWireType(field, tag)
    if (node.operation === "map") return this.map(object, field, tag, depth)
    if (field.inline) return this.nested(node.plan(), object, depth + 1)
    if (node.operation !== "object") {
      object[json] = this.value(node, depth)
      return
    }
    const before = object[json]
    const inner = isObject(before) && Object.hasOwn(object, json) ? before : {}
    object[json] = inner
    this.nested(node.plan(), inner, depth + 1)
  }

  private nested(plan: MessagePlan, object: JsonObject, depth: number): void {
    const outer = this.reader.enter()
    this.message(plan, object, depth)
    this.reader.leave(outer)
  }

  /** Reads an item of a list, and all that follow it. */
  private list(object: JsonObject, field: MessageField, tag: number, depth: number): void {
    const { reader, count } = this
    const before = object[field.json]
    const list = Array.isArray(before) ? before : []
    object[field.json] = list
    const item = messageItemOf(field.node)
    if (item.wireType !== wireType.bytes && wireTypeOf(tag) === wireType.bytes) return this.packed(list, item)
    checkWireType(field, tag)
    list.push(this.value(item, depth))
    while (reader.follows(tag)) {
      count?.add(1)
      list.push(this.value(item, depth))
    }
  }

  private packed(list: JsonValue[], item: MessageNode): void {
    const { reader, count } = this
    const outer = reader.enter()
    // A number takes at least one byte.
    count?.add(reader.end - reader.at)
    while (reader.more) list.push(this.value(item, 0))
    reader.leave(outer)
  }

  /** Reads an entry of a map, and all that follow it. */
  private map(object: JsonObject, field: MessageField, tag: number, depth: number): void {
    const { reader, count } = this
    const before = object[field.json]
    const map = isObject(before) && Object.hasOwn(object, field.json) ? before : {}
    object[field.json] = map
    const item = messageItemOf(field.node)
    this.entry(map, item, depth)
    while (reader.follows(tag)) {
      count?.add(1)
      this.entry(map, item, depth)
    }
  }

  private entry(map: JsonObject, item: MessageNode, depth: number): void {
    const { reader } = this
    const outer = reader.enter()
    let key = ""
    let value: JsonValue | undefined
    while (reader.more) {
      const tag = reader.tag()
      if (tag === keyTag) key = reader.text()
      else if (tag === valueNumber * 8 + item.wireType) value = this.value(item, depth)
      else reader.skip(tag)
    }
    reader.leave(outer)
    setField(map, key, value ?? this.zero(item))
  }

  /** The zero value, for an entry without a value. */
  private zero(item: MessageNode): JsonValue {
    switch (item.operation) {
      case "boolean":
        return false
      case "int32":
      case "int64":
      case "double":
      case "IntOrString":
        return 0
      case "string":
      case "bytes":
      case "Quantity":
        return ""
      case "Duration":
        return "0s"
      case "wrappedList":
        return []
      case "union":
        return emptyUnion(item.plan().byNumber)
      case "object": {
        const empty: JsonObject = {}
        for (const { json, node } of item.plan().containers) empty[json] = node.operation === "list" ? [] : {}
        return empty
      }
      default:
        return null
    }
  }

  /** Reads a value after its tag. */
  private value(node: MessageNode, depth: number): JsonValue {
    const { reader } = this
    switch (node.operation) {
      case "string":
        return reader.text()
      case "boolean":
        return reader.bool()
      case "int32":
        return reader.int32()
      case "int64":
        return reader.int64()
      case "double":
        return reader.double()
      case "bytes":
        return reader.view().toString("base64")
      case "object": {
        const object: JsonObject = {}
        this.nested(node.plan(), object, depth + 1)
        return object
      }
      case "wrappedList":
        return this.wrappedList(messageItemOf(node), depth + 1)
      case "union":
        return this.union(node.plan(), depth + 1)
      case "RawExtension":
      case "FieldsV1":
      case "any":
        return this.embedded(depth + 1)
      default:
        return this.scalarMessage(node, depth + 1)
    }
  }

  private wrappedList(item: MessageNode, depth: number): JsonValue {
    const { reader, count } = this
    const outer = reader.enter()
    const list: JsonValue[] = []
    // The list itself.
    count?.add(1)
    while (reader.more) {
      const tag = reader.tag()
      count?.add(1)
      if (numberOf(tag) !== 1) reader.skip(tag)
      else if (wireTypeOf(tag) === item.wireType) list.push(this.value(item, depth))
      else if (wireTypeOf(tag) === wireType.bytes) this.packed(list, item)
      else throw wrongWireType(tag, "items")
    }
    reader.leave(outer)
    return list
  }

  /** Reads a union. Of several members the one with the highest number counts; a boolean counts only alone. */
  private union(plan: MessagePlan, depth: number): JsonValue {
    const fields: JsonObject = {}
    this.nested(plan, fields, depth)
    const present = plan.byNumber.filter(({ json, node }) => isPresentMember(node, fields[json]))
    const member = present.findLast((one) => !isFlag(one)) ?? present.at(-1)
    return (member && fields[member.json]) ?? emptyUnion(plan.byNumber)
  }

  /** Reads the JSON of an embedded object. */
  private embedded(depth: number): JsonValue {
    const { reader, count } = this
    if (depth > nestingMax) throw new RangeError(`exceeded max depth: messages may be nested ${nestingMax} deep`)
    const outer = reader.enter()
    let text = ""
    while (reader.more) {
      const tag = reader.tag()
      count?.add(1)
      if (numberOf(tag) !== 1) reader.skip(tag)
      else if (wireTypeOf(tag) === wireType.bytes) text = reader.text()
      else throw wrongWireType(tag, "raw")
    }
    reader.leave(outer)
    if (text === "") return null
    return count === undefined ? parseJson(text).value : parseJsonCounted(text, count)
  }

  private scalarMessage(node: MessageNode, depth: number): JsonValue {
    const fields: JsonObject = {}
    this.nested(node.plan(), fields, depth)
    switch (node.operation) {
      case "Duration":
        return formatDuration(BigInt(wholeOf(fields.duration)))
      case "Quantity":
        return fields.string ?? ""
      case "IntOrString":
        return wholeOf(fields.type) === 1 ? (fields.strVal ?? "") : wholeOf(fields.intVal)
      default:
        return instantOf(node, fields)
    }
  }
}

/** Lists and maps are in every decoded message; without items they are no member. */
function isPresentMember(node: MessageNode, value: JsonValue | undefined): boolean {
  if (value === undefined) return false
  return !holdsMany(node.operation) || Object.keys(value ?? {}).length > 0
}

const keyTag = 8 + wireType.bytes
const valueNumber = 2

function instantOf(node: MessageNode, { seconds, nanos }: JsonObject): JsonValue {
  // An empty message is the zero time; seconds alone are always written.
  if (seconds === undefined && nanos === undefined) return null
  const instant = { seconds: Number(wholeOf(seconds)), nanos: Number(wholeOf(nanos)) }
  if (isZeroInstant(instant)) return null
  return node.operation === "MicroTime" ? formatMicroTime(instant) : formatTime(instant)
}

function wholeOf(value: JsonValue | undefined): number | bigint {
  return typeof value === "number" || typeof value === "bigint" ? value : 0
}

function checkWireType({ node, name }: MessageField, tag: number): void {
  if (wireTypeOf(tag) !== node.wireType) throw wrongWireType(tag, name)
}

function wrongWireType(tag: number, name: string): Error {
  return new Error(`wrong wireType = ${wireTypeOf(tag)} for field ${name}`)
}
