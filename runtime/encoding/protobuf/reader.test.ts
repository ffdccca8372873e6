import fc from "fast-check"
import protobuf from "protobufjs"
import { describe, expect, it } from "vitest"
import { nestingMax, ProtobufReader } from "./reader.ts"
import { ProtobufWriter } from "./writer.ts"

const number = fc.integer({ min: 1, max: 536_870_911 })
const int64 = fc.oneof(
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(0, -1, 2 ** 49 - 1, 2 ** 49, 2 ** 53 - 1),
)
const text = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: "grapheme", maxLength: 60 }), fc.constant("x".repeat(20_000)))
const field = fc.oneof(
  fc.record({ type: fc.constant("int64" as const), number, value: int64 }),
  fc.record({ type: fc.constant("text" as const), number, value: text }),
  fc.record({ type: fc.constant("bytes" as const), number, value: fc.uint8Array({ maxLength: 300 }) }),
  fc.record({ type: fc.constant("bool" as const), number, value: fc.boolean() }),
  fc.record({ type: fc.constant("double" as const), number, value: fc.double({ noNaN: true }) }),
  fc.record({ type: fc.constant("nested" as const), number, value: fc.array(text, { maxLength: 5 }) }),
)
type Field = typeof field extends fc.Arbitrary<infer T> ? T : never

function write(writer: ProtobufWriter, each: Field): void {
  if (each.type === "int64") writer.signedField(each.number, each.value)
  else if (each.type === "text") writer.textField(each.number, each.value)
  else if (each.type === "bytes") writer.bytesField(each.number, each.value)
  else if (each.type === "bool") writer.boolField(each.number, each.value)
  else if (each.type === "double") writer.doubleField(each.number, each.value)
  else {
    const at = writer.openField(each.number)
    for (const one of each.value) writer.textField(1, one)
    writer.close(at)
  }
}

/** The same field, written by protobufjs. */
function writeOther(writer: protobuf.Writer, each: Field): void {
  if (each.type === "int64") writer.uint32(each.number * 8 + 0).int64(halves(BigInt(each.value)))
  else if (each.type === "text") writer.uint32(each.number * 8 + 2).string(each.value)
  else if (each.type === "bytes") writer.uint32(each.number * 8 + 2).bytes(each.value)
  else if (each.type === "bool") writer.uint32(each.number * 8 + 0).bool(each.value)
  else if (each.type === "double") writer.uint32(each.number * 8 + 1).double(each.value)
  else {
    writer.uint32(each.number * 8 + 2).fork()
    for (const one of each.value) writer.uint32(1 * 8 + 2).string(one)
    writer.ldelim()
  }
}

function halves(value: bigint): { low: number; high: number; unsigned: boolean } {
  return { low: Number(BigInt.asIntN(32, value)), high: Number(BigInt.asIntN(32, value >> 32n)), unsigned: false }
}

function read(reader: ProtobufReader, each: Field): unknown {
  switch (each.type) {
    case "int64":
      return reader.int64()
    case "text":
      return reader.text()
    case "bytes":
      return Uint8Array.from(reader.view())
    case "bool":
      return reader.bool()
    case "double":
      return reader.double()
    default: {
      const texts: string[] = []
      const outer = reader.enter()
      while (reader.more) {
        reader.tag()
        texts.push(reader.text())
      }
      reader.leave(outer)
      return texts
    }
  }
}

describe("reader and writer", () => {
  it("write the bytes of protobufjs, and read them back", () => {
    const writer = new ProtobufWriter()
    const property = fc.property(fc.array(field, { maxLength: 12 }), (fields) => {
      const other = protobuf.Writer.create()
      for (const each of fields) write(writer, each)
      for (const each of fields) writeOther(other, each)
      const bytes = writer.finish()
      expect(bytes.equals(other.finish())).toBe(true)
      const reader = new ProtobufReader(Uint8Array.from(bytes))
      for (const each of fields) {
        expect(reader.tag() >>> 3).toBe(each.number)
        const value = each.type === "int64" && typeof each.value === "bigint" ? narrow(each.value) : each.value
        expect(read(reader, each)).toEqual(value)
      }
      expect(reader.more).toBe(false)
    })
    fc.assert(property)
  })

  it("skips any field, groups included", () => {
    const group = Buffer.from("0b" + "1005" + "1302" + "14" + "0c", "hex")
    expect(() => skipAll(group)).toThrow(RangeError)
    expect(skipAll(Buffer.from("0b1005130801140c", "hex"))).toBe(1)
    expect(() => skipAll(Buffer.alloc(nestingMax + 1, 0x0b))).toThrow("max depth")
    const property = fc.property(fc.array(field), (fields) => {
      expect(skipAll(messageOf(fields))).toBe(fields.length)
    })
    fc.assert(property)
  })

  it("refuses every message that is cut short, and never reads beyond the end of a nested one", () => {
    const property = fc.property(field, fc.nat(), (each, cut) => {
      const bytes = messageOf([each])
      const part = bytes.subarray(0, cut % bytes.length)
      if (part.length > 0) expect(() => skipAll(part)).toThrow(RangeError)
      // The bytes after the end belong to the whole message.
      const reader = new ProtobufReader(bytes)
      reader.end = part.length
      if (part.length > 0) expect(() => reader.skip(reader.tag())).toThrow(RangeError)
    })
    fc.assert(property)
  })

  it.each(["00", "07", "8080808010", "0affffffff1f", "08ffffffffffffffffffff01", "0e", "0f00"])("refuses %s", (hex) => {
    expect(() => skipAll(Buffer.from(hex, "hex"))).toThrow(RangeError)
  })
})

function narrow(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

function messageOf(fields: readonly Field[]): Buffer {
  const writer = new ProtobufWriter()
  for (const each of fields) write(writer, each)
  return writer.finish()
}

function skipAll(bytes: Uint8Array): number {
  const reader = new ProtobufReader(bytes)
  let count = 0
  for (; reader.more; count++) reader.skip(reader.tag())
  return count
}
