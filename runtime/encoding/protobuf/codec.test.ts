import protobuf from "protobufjs"
import { describe, expect, it } from "vitest"
import { descriptorOfShape } from "../../../test/support/descriptor-of-shape.ts"
import { ApiError } from "../../base/errors.ts"
import { createProtobufCodec, unwrapUnknown, wrapUnknown } from "./codec.ts"
import type { JsonObject } from "../../base/json.ts"
import { normalize } from "../normalize.ts"
import type { TypeShape } from "../../schema/shape.ts"

const inner: TypeShape = {
  name: "test.v1.Inner",
  fields: [
    { name: "text", type: { scalar: "string" }, number: 1 },
    { name: "port", type: { scalar: "IntOrString" }, number: 2 },
    { name: "again", type: { ref: () => inner }, number: 3, pointer: true },
  ],
}
const kettle: TypeShape = {
  name: "test.v1.Kettle",
  fields: [
    { name: "text", type: { scalar: "string" }, number: 1 },
    { name: "flag", type: { scalar: "boolean" }, number: 2, pointer: true },
    { name: "count", type: { scalar: "int64" }, number: 3 },
    { name: "at", type: { scalar: "Time" }, number: 4 },
    { name: "micro", type: { scalar: "MicroTime" }, number: 5, pointer: true },
    { name: "limits", type: { map: { scalar: "Quantity" } }, number: 6 },
    { name: "numbers", type: { list: { scalar: "int32" } }, number: 7 },
    { name: "data", type: { map: { scalar: "bytes" } }, number: 8 },
    { name: "raw", type: { scalar: "RawExtension" }, number: 9, pointer: true },
    { name: "extra", type: { map: { wrappedList: { scalar: "string" } } }, number: 10 },
    { name: "wait", type: { scalar: "Duration" }, number: 11, pointer: true },
    { name: "nested", type: { ref: () => inner }, number: 12, inline: true },
    { name: "items", type: { list: { ref: () => inner } }, number: 13, protoName: "innerItems" },
    { name: "free", type: { scalar: "any" }, number: 14, pointer: true },
    { name: "ratio", type: { scalar: "double" }, number: 15, pointer: true },
    { name: "jsonOnly", type: { scalar: "string" } },
  ],
}

const codec = createProtobufCodec(kettle)
const normal = (value: JsonObject): JsonObject => normalize(kettle, value, { typeMeta: false }).object

describe("createCompactCodec", () => {
  it("writes zero values of non-pointers and messages of non-pointer structs, as the reference does", () => {
    const empty = codec.encode(normal({})).toString("hex")
    // text "", count 0, at {}, nested {text "", port {0, 0, ""}}
    expect(empty).toBe(["0a00", "1800", "2200", "620a", "0a00", "1206", "0800", "1000", "1a00"].join(""))
  })

  it("writes the entries of a map in the order of their names' bytes, whatever their order was", () => {
    const first = codec.encode({ data: { "\u{1f600}": "AQ==", "\ufffd": "Ag==", a: "Aw==" } })
    const second = codec.encode(normal({ data: { a: "Aw==", "\u{1f600}": "AQ==", "\ufffd": "Ag==" } }))
    expect(first.equals(second)).toBe(true)
    expect(Object.keys(codec.decode(first)["data"] ?? {})).toEqual(["a", "\ufffd", "\u{1f600}"])
  })

  it("keeps every field that has a number across a round trip", () => {
    const value = normal({
      text: "é",
      flag: false,
      count: 9007199254740993n,
      at: "1960-02-03T04:05:06Z",
      micro: "2020-01-01T00:00:00.123456Z",
      limits: { memory: "1Gi", cpu: "500m" },
      numbers: [0, -1, 2147483647],
      data: { b: "aGVsbG8=", a: "" },
      raw: { kind: "X", big: 12345678901234567890n },
      extra: { z: ["1", "2"], y: [] },
      wait: "1m30s",
      port: "http",
      again: { port: 8080, again: { text: "deep" } },
      items: [{ port: 0 }, { text: "x" }],
      free: [1, "two"],
      ratio: 0,
    })
    const bytes = codec.encode(value)
    expect(normal(codec.decode(bytes))).toEqual(value)
    expect(codec.encode(normal(codec.decode(bytes))).equals(bytes)).toBe(true)
    expect(codec.encode(normal({ jsonOnly: "x" })).equals(codec.encode(normal({})))).toBe(true)
  })

  it("distinguishes absent from zero where the field is a pointer", () => {
    expect(codec.decode(codec.encode(normal({ flag: false })))).toHaveProperty("flag", false)
    expect(codec.decode(codec.encode(normal({})))).not.toHaveProperty("flag")
  })

  it("accepts any name as a map key", () => {
    const value = JSON.parse('{"data":{"10":"YQ==","9":"YQ==","__proto__":"YQ==","constructor":"YQ=="}}') as JsonObject
    const back = codec.decode(codec.encode(value)).data as JsonObject
    expect(Object.keys(back).sort()).toEqual(["10", "9", "__proto__", "constructor"])
  })

  it("returns 400 for bytes that are not such a message", () => {
    for (const hex of ["0a", "0aff", "ffffffff", "22020805ff", "4a040a027b7b"]) {
      expect(() => codec.decode(Buffer.from(hex, "hex")), hex).toThrow(ApiError)
    }
  })

  it("writes and reads the largest field numbers", () => {
    const far: TypeShape = { name: "test.v1.Far", fields: [{ name: "text", type: { scalar: "string" }, number: 536_870_911 }] }
    const farCodec = createProtobufCodec(far)
    const type = protobuf.Root.fromJSON(descriptorOfShape(far)).lookupType("test.v1.Far")
    expect(farCodec.encode({ text: "x" }).toString("hex")).toBe(Buffer.from(type.encode({ text: "x" }).finish()).toString("hex"))
    expect(farCodec.decode(farCodec.encode({ text: "x" }))).toEqual({ text: "x" })
  })

  it("merges a message that comes twice, and takes the last of other values", () => {
    const message = createProtobufCodec(inner)
    expect(message.decode(Buffer.from("1a030a0161" + "1a021200" + "0a0163" + "0a0164", "hex"))).toEqual({
      again: { text: "a", port: 0 },
      text: "d",
    })
  })

  it("builds no plan before its first use, which refuses what protobuf cannot hold", () => {
    const matrix = createProtobufCodec({
      name: "test.v1.Matrix",
      fields: [{ name: "rows", type: { list: { list: { scalar: "int32" } } }, number: 1 }],
    })
    expect(() => matrix.encode({ rows: [[1]] })).toThrow(/no lists of lists/)
  })
})

describe("the envelope", () => {
  it("is the magic and an Unknown with every field", () => {
    const bytes = wrapUnknown({ apiVersion: "v1", kind: "Kettle", raw: Buffer.from("ab") })
    expect(bytes.toString("hex")).toBe(`6b387300${"0a0c"}${"0a027631"}${"12064b6574746c65"}${"12026162"}${"1a00"}${"2200"}`)
    expect(unwrapUnknown(bytes)).toEqual({ apiVersion: "v1", kind: "Kettle", raw: expect.any(Uint8Array), contentType: "" })
    expect(Buffer.from(unwrapUnknown(bytes).raw).toString()).toBe("ab")
  })

  it("returns 400 for anything else", () => {
    for (const hex of ["", "6b38", "7b7d", "6b3873000aff", "6b3873001a0167"])
      expect(() => unwrapUnknown(Buffer.from(hex, "hex")), hex).toThrow(ApiError)
    expect(() => unwrapUnknown(Buffer.from("{}"))).toThrow(/expected prefix \[107 56 115 0\]/)
  })
})
