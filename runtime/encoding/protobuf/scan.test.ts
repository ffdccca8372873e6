import fc from "fast-check"
import protobuf from "protobufjs"
import { expect, test } from "vitest"
import { hasAnyField, textMap, withText } from "./scan.ts"

const number = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 500_000 }))
const field = fc.oneof(
  fc.record({ number, type: fc.constant("bytes" as const), value: fc.uint8Array({ maxLength: 300 }) }),
  fc.record({ number, type: fc.constant("number" as const), value: fc.integer() }),
  fc.record({ number, type: fc.constant("double" as const), value: fc.double() }),
  fc.record({ number, type: fc.constant("float" as const), value: fc.float() }),
)
type Field = typeof field extends fc.Arbitrary<infer T> ? T : never

function message(fields: readonly Field[]): Uint8Array {
  const writer = protobuf.Writer.create()
  for (const each of fields) {
    if (each.type === "bytes") writer.uint32(each.number * 8 + 2).bytes(each.value)
    else if (each.type === "number") writer.uint32(each.number * 8).int64(each.value)
    else if (each.type === "double") writer.uint32(each.number * 8 + 1).double(each.value)
    else writer.uint32(each.number * 8 + 5).float(each.value)
  }
  return writer.finish()
}

test("finds a length-delimited field in nested messages, whatever surrounds it", () => {
  const fields = fc.array(field, { maxLength: 10 })
  const without = (list: Field[], taken: number): Field[] => list.filter((each) => each.number !== taken)
  fc.assert(
    fc.property(fields, fields, fields, fc.integer({ min: 1, max: 4 }), (before, after, inner, wanted) => {
      const holder: Field = { number: 7, type: "bytes", value: Uint8Array.from(message(inner)) }
      const outer: Field = { number: 300, type: "bytes", value: Uint8Array.from(message([...without(before, 7), holder, ...after])) }
      const bytes = Buffer.concat([Buffer.from("head"), message([...without(before, 300), outer, ...after])])
      const found = inner.some((each) => each.type === "bytes" && (each.number === wanted || each.number === 5))
      expect(hasAnyField(bytes, { from: 4, path: [300, 7], numbers: [wanted, 5] })).toBe(found)
      expect(hasAnyField(bytes, { from: 4, path: [300, 7, 500_001], numbers: [wanted] })).toBe(false)
    }),
  )
})

test("refuses bytes that are not a message", () => {
  const look = (...bytes: number[]): boolean => hasAnyField(Buffer.from(bytes), { from: 0, path: [], numbers: [2] })
  expect(() => look(0x0a, 0x05, 0x01)).toThrow(RangeError)
  expect(() => look(0x80)).toThrow(RangeError)
  expect(() => look(0x0b)).toThrow("unexpected EOF")
  expect(() => look(0x0c)).toThrow("wire type 4")
  // An inner message longer than its outer one.
  expect(() => hasAnyField(Buffer.of(0x0a, 0x02, 0x0a, 0x05, 0, 0, 0, 0, 0), { from: 0, path: [1], numbers: [2] })).toThrow(RangeError)
})

test("reads a map of strings in place", () => {
  const text = fc.string({ maxLength: 200, unit: "binary" })
  const fields = fc.array(field, { maxLength: 5 })
  fc.assert(
    fc.property(fields, fields, fc.array(fc.tuple(text, text), { maxLength: 8 }), (before, after, entries) => {
      const parts = entries.map(([key, value]): Field => {
        const part = protobuf.Writer.create()
        if (key !== "") part.uint32(10).string(key)
        if (value !== "") part.uint32(18).string(value)
        return { number: 600_000, type: "bytes", value: Uint8Array.from(part.finish()) }
      })
      const inner = message([...before, ...parts.flatMap((part) => [part, ...after])])
      const bytes = Buffer.concat([
        Buffer.from("head"),
        message([{ number: 600_001, type: "bytes", value: Uint8Array.from(inner) }, ...after]),
      ])
      expect(textMap(bytes, { from: 4, path: [600_001], number: 600_000 })).toEqual(Object.fromEntries(entries))
      expect(textMap(bytes, { from: 4, path: [600_002], number: 600_000 })).toEqual({})
    }),
  )
})

test("reads a key of a map that names the prototype as any other", () => {
  const entry = protobuf.Writer.create().uint32(10).string("__proto__").uint32(18).string("x").finish()
  const map = textMap(protobuf.Writer.create().uint32(10).bytes(entry).finish(), { from: 0, path: [], number: 1 })
  expect(Object.entries(map)).toEqual([["__proto__", "x"]])
  expect(Object.getPrototypeOf(map)).toBe(Object.prototype)
})

test("fills an empty string and updates every enclosing length", () => {
  const fields = fc.array(field, { maxLength: 6 })
  const long = fc
    .constantFrom(0, 1, 100, 130, 16_300, 16_390)
    .map((length): Field => ({ number: 499_999, type: "bytes", value: new Uint8Array(length) }))
  const without = (list: Field[], taken: number): Field[] => list.filter((each) => each.number !== taken)
  const text = fc.nat().map(String)
  fc.assert(
    fc.property(fields, fields, long, text, (before, after, padding, version) => {
      const around = (value: string): Buffer => {
        const versioned: Field = { number: 6, type: "bytes", value: Uint8Array.from(Buffer.from(value)) }
        const inner = message([...without(before, 6), versioned, padding, ...after])
        const outer: Field = { number: 7, type: "bytes", value: Uint8Array.from(inner) }
        return Buffer.from(message([...without(before, 7), outer, ...after]))
      }
      const envelope = message([{ number: 2, type: "bytes", value: Uint8Array.from(around("")) }, ...after])
      const place = { from: 4, path: 2, inner: 7, number: 6, text: version }
      const bytes = Buffer.concat([Buffer.from("head"), envelope])
      expect(withText(bytes, place)?.equals(around(version))).toBe(true)
      expect(withText(bytes, { ...place, inner: 500_001 })).toBeUndefined()
      const filled = message([{ number: 2, type: "bytes", value: Uint8Array.from(around("1")) }])
      expect(withText(filled, { ...place, from: 0 })).toBeUndefined()
    }),
  )
})
