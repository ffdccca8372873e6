import { expect, it, test } from "vitest"
import { documentValuesMax } from "../../base/limits.ts"
import { ProtobufWriter } from "./writer.ts"
import { createProtobufCodec, unwrapUnknown, wrapUnknown } from "./codec.ts"
import { atOnce } from "../../base/turns.ts"
import type { JsonObject } from "../../base/json.ts"
import type { TypeShape } from "../../schema/shape.ts"

const spout: TypeShape = {
  name: "test.v1.Spout",
  fields: [
    { name: "holes", type: { list: { scalar: "int32" } }, number: 1 },
    { name: "notes", type: { map: { scalar: "string" } }, number: 2 },
  ],
}
const item: TypeShape = { name: "test.v1.Item", fields: [{ name: "size", type: { scalar: "int64" }, number: 1 }] }
const shape: TypeShape = {
  name: "test.v1.Kettle",
  fields: [
    { name: "name", type: { scalar: "string" }, number: 1 },
    { name: "labels", type: { map: { scalar: "string" } }, number: 2 },
    { name: "items", type: { list: { ref: () => item } }, number: 3 },
    { name: "sizes", type: { list: { scalar: "int32" } }, number: 4 },
    { name: "extras", type: { list: { scalar: "RawExtension" } }, number: 5 },
    { name: "spouts", type: { list: { ref: () => spout } }, number: 6 },
  ],
}
const codec = createProtobufCodec(shape)

const tooMany = expect.objectContaining({ code: 413, message: expect.stringContaining(`more than ${documentValuesMax} values`) })

const decodeBody = (bytes: Uint8Array): JsonObject => atOnce(codec.decodingBody(bytes))

function decode(hex: string): unknown {
  return decodeBody(Buffer.from(hex, "hex"))
}

it("accepts unknown fields, and packed and unpacked numbers", () => {
  expect(decode("0a0161")).toMatchObject({ name: "a" })
  expect(decode("0a0161a20601789806059d0600000000")).toMatchObject({ name: "a" })
  expect(decode("20012002")).toMatchObject({ sizes: [1, 2] })
  expect(decode("22020102")).toMatchObject({ sizes: [1, 2] })
  expect(decode("12060a01611201621a020805")).toMatchObject({ labels: { a: "b" }, items: [{ size: 5 }] })
  expect(decode("1a06a201017808050a0161")).toMatchObject({ items: [{ size: 5 }], name: "a" })
})

it.each([
  ["a text that is a number", "0801", "wrong wireType = 0 for field name"],
  ["a map that is a number", "1001", "wrong wireType = 0 for field labels"],
  ["a number that is a text, in an item", "1a030a0161", "wrong wireType = 2 for field size"],
  ["an item that is eight bytes", "190000000000000000", "wrong wireType = 1 for field items"],
  ["a text that is a number, after an unknown field", "a20101780801", "wrong wireType = 0 for field name"],
  ["the same in an item", "1a07a20101780a0161", "wrong wireType = 2 for field size"],
  ["field number 0", "0201", "illegal tag 2"],
  ["a text that is cut off", "0a0561", "broken"],
  ["an item that is longer than the message", "1a0508", "broken"],
  ["a group without an end", "a306", "broken"],
])("refuses %s", (_name, hex, message) => {
  expect(() => decode(hex)).toThrow(expect.objectContaining({ code: 400, message: expect.stringContaining(message) }))
})

it.each([
  ["empty items", "1a00"],
  ["texts", "0a00"],
  ["entries of a map", "1200"],
  ["numbers", "2001"],
  ["unknown fields", "a00101"],
])("refuses a message of too many %s while it counts them", (_name, hex) => {
  expect(() => decode(hex.repeat(documentValuesMax))).not.toThrow()
  expect(() => decode(hex.repeat(documentValuesMax + 1))).toThrow(tooMany)
})

it("counts the lists and maps that decoding adds to a message", () => {
  const most = Math.floor(documentValuesMax / 3)
  expect(decode("3200".repeat(most))).toMatchObject({ spouts: expect.arrayContaining([]) })
  expect(() => decode("3200".repeat(most + 1))).toThrow(tooMany)
})

it("counts packed numbers and embedded JSON", () => {
  const packed = (count: number): Buffer => {
    const writer = new ProtobufWriter()
    writer.varint(0x22)
    writer.varint(count)
    writer.raw(Buffer.alloc(count, 1))
    return writer.finish()
  }
  expect(decodeBody(packed(documentValuesMax - 1)).sizes).toHaveLength(documentValuesMax - 1)
  expect(() => decodeBody(packed(documentValuesMax))).toThrow(tooMany)
  const half = codec.encode({ extras: [Array(documentValuesMax / 2 - 10).fill(1)] })
  expect(() => decodeBody(half)).not.toThrow()
  expect(() => decodeBody(Buffer.concat([half, half, half]))).toThrow(tooMany)
})

it("follows the types to the allowed depth and no deeper", () => {
  expect(() => decode("a306".repeat(200_000))).toThrow(expect.objectContaining({ code: 400 }))
})

test.each([
  ["nothing", "6b387300"],
  ["a type that is a number", "6b38730008011200"],
  ["an object that is a number", "6b3873000a001001"],
])("refuses an envelope with %s", (_name, hex) => {
  expect(() => unwrapUnknown(Buffer.from(hex, "hex"))).toThrow(expect.objectContaining({ code: 400 }))
})

test("accepts unknown fields in an envelope", () => {
  const bytes = Buffer.concat([
    wrapUnknown({ apiVersion: "v1", kind: "Kettle", raw: Buffer.from("0a0161", "hex") }),
    Buffer.from("a2060178", "hex"),
  ])
  expect(unwrapUnknown(bytes)).toMatchObject({ apiVersion: "v1", kind: "Kettle" })
})
