import protobuf from "protobufjs"
import { describe, expect, test } from "vitest"
import { bool, bytes, embedded, identifier, int64, list, message, text, texts } from "./message.ts"

const inner = message({ name: text(1), count: int64(2) })
const everything = message({
  number: int64(1),
  id: identifier(2),
  flag: bool(3),
  name: text(4),
  value: bytes(5),
  inner: embedded(6, inner),
  items: list(7, inner),
  names: texts(100),
})
const zeros = { number: 0, id: 0, flag: false, name: "", value: new Uint8Array(), inner: undefined, items: [], names: [] }

describe("messages", () => {
  test("encodes zeros to nothing, and decodes nothing to zeros", () => {
    expect(everything.encode({})).toHaveLength(0)
    expect(everything.encode({ number: 0, id: 0, flag: false, name: "", items: [], names: [] })).toHaveLength(0)
    expect(everything.decode(Buffer.alloc(0))).toEqual(zeros)
  })

  test("decodes what was encoded", () => {
    const value = {
      number: 123_456_789_012,
      id: 5,
      flag: true,
      name: "ä😀",
      value: Buffer.from([0, 255]),
      inner: { name: "one", count: 0 },
      items: [
        { name: "", count: 1 },
        { name: "two", count: 2 },
      ],
      names: ["", "b"],
    }
    const read = everything.decode(everything.encode(value))
    expect({ ...read, value: Buffer.from(read.value) }).toEqual(value)
  })

  test("distinguishes a message without fields from an absent one", () => {
    expect(everything.decode(everything.encode({ inner: {} })).inner).toEqual({ name: "", count: 0 })
  })

  test.each([1, 127, 128, 2 ** 28, 2 ** 32 + 1, 2 ** 53 - 1, -1, -(2 ** 31), -(2 ** 53) + 1])("the number %i", (number) => {
    expect(everything.decode(everything.encode({ number })).number).toBe(number)
  })

  test.each([1, 2 ** 53 - 1, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 62n)])("the identifier %s", (id) => {
    expect(everything.decode(everything.encode({ id })).id).toBe(id)
  })

  test("skips unknown fields and fields of another wire type", () => {
    const other = message({ flag: bool(3), more: list(8, inner), name: text(1) })
    const written = other.encode({ flag: true, more: [{ name: "x" }], name: "not a number" })
    expect(everything.decode(written)).toEqual({ ...zeros, flag: true })
  })

  test("is compatible with protobufjs", () => {
    const { root } = protobuf.parse(
      'syntax = "proto3"; message M { int64 number = 1; string name = 4; repeated M items = 7; bytes value = 5; }',
    )
    const type = root.lookupType("M")
    const value = { number: 300, name: "a", value: Buffer.from("b") }
    const reference = type.encode(type.create({ ...value, items: [{ number: 2 }] })).finish()
    const read = everything.decode(reference)
    expect({ ...read, value: Buffer.from(read.value) }).toMatchObject({ ...value, items: [{ name: "", count: 0 }] })
    expect(type.toObject(type.decode(everything.encode(value)), { longs: Number })).toMatchObject({ number: 300, name: "a" })
  })

  test("rejects truncated bytes", () => {
    const whole = everything.encode({ name: "abc", inner: { name: "def" } })
    for (let length = 1; length < whole.length; length++) {
      const cut = whole.subarray(0, length)
      if (length === everything.encode({ name: "abc" }).length) continue
      expect(() => everything.decode(cut)).toThrow(RangeError)
    }
  })
})
