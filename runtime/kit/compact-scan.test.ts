import fc from "fast-check"
import protobuf from "protobufjs"
import { expect, test } from "vitest"
import { findField } from "./compact-scan.ts"

const field = fc.oneof(
  fc.record({
    number: fc.integer({ min: 1, max: 500_000 }),
    type: fc.constant("bytes" as const),
    value: fc.uint8Array({ maxLength: 300 }),
  }),
  fc.record({ number: fc.integer({ min: 1, max: 500_000 }), type: fc.constant("number" as const), value: fc.integer() }),
  fc.record({ number: fc.integer({ min: 1, max: 500_000 }), type: fc.constant("double" as const), value: fc.double() }),
  fc.record({ number: fc.integer({ min: 1, max: 500_000 }), type: fc.constant("float" as const), value: fc.float() }),
)

test("finds the first field of a number that has a length, whatever stands before it", () => {
  fc.assert(
    fc.property(fc.array(field, { maxLength: 20 }), fc.nat({ max: 19 }), (fields, pick) => {
      const writer = protobuf.Writer.create()
      for (const each of fields) {
        if (each.type === "bytes") writer.uint32(each.number * 8 + 2).bytes(each.value)
        else if (each.type === "number") writer.uint32(each.number * 8).int64(each.value)
        else if (each.type === "double") writer.uint32(each.number * 8 + 1).double(each.value)
        else writer.uint32(each.number * 8 + 5).float(each.value)
      }
      const number = fields[pick]?.number ?? 7
      const wanted = fields.find((each) => each.type === "bytes" && each.number === number)
      const found = findField(writer.finish(), number)
      expect(found === undefined ? undefined : [...found]).toEqual(wanted?.type === "bytes" ? [...wanted.value] : undefined)
    }),
  )
})

test("bytes that are no message are refused", () => {
  expect(() => findField(Buffer.of(0x0a, 0x05, 0x01), 2)).toThrow(RangeError)
  expect(() => findField(Buffer.of(0x80), 2)).toThrow(RangeError)
  expect(() => findField(Buffer.of(0x0b), 2)).toThrow("wire type 3")
})
