import { describe, expect, it } from "vitest"
import { ApiError } from "../base/errors.ts"
import { createProtobufCodec, wrapUnknown } from "../encoding/protobuf/codec.ts"
import type { TypeShape } from "../schema/shape.ts"
import { decodeObject, type DecodeOptions } from "./decode-object.ts"
import type { Media } from "./negotiate.ts"

const meta: TypeShape = { name: "meta.v1.ObjectMeta", fields: [{ name: "name", type: { scalar: "string" }, number: 1 }] }
const shape: TypeShape = {
  name: "test.v1.Kettle",
  fields: [
    { name: "kind", type: { scalar: "string" } },
    { name: "apiVersion", type: { scalar: "string" } },
    { name: "metadata", type: { ref: () => meta }, number: 1 },
    { name: "data", type: { map: { scalar: "string" } }, number: 2 },
  ],
}
const codec = createProtobufCodec(shape)
const base: DecodeOptions = { shape, codec, expect: { kind: "Kettle", apiVersions: ["test/v1"] } }

function decode(body: string | Buffer, options: Partial<DecodeOptions> = {}, media: Media = "json"): unknown {
  try {
    const { object, warnings } = decodeObject(Buffer.from(body), media, { ...base, ...options })
    return { object, warnings }
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`
    throw error
  }
}

const whole = (rest: object) => ({ kind: "Kettle", apiVersion: "test/v1", metadata: {}, ...rest })

describe("decodeObject", () => {
  it("adds kind and apiVersion, and reads an empty document as an empty object", () => {
    for (const [body, media] of [
      ["{}", "json"],
      ["null", "json"],
      ["", "yaml"],
      ['{"kind":"Kettle"}', "json"],
      ["apiVersion: test/v1", "yaml"],
    ] as const) {
      expect(decode(body, {}, media)).toEqual({ object: whole({}), warnings: [] })
    }
  })

  it("warns about unknown and repeated fields, and merges repeated objects", () => {
    expect(decode('{"metadata":{"name":"a","name":"b","x":1},"data":{"k":"1"},"data":{"z":"2"},"zip":1}')).toEqual({
      object: whole({ metadata: { name: "b" }, data: { k: "1", z: "2" } }),
      warnings: ['duplicate field "metadata.name"', 'unknown field "metadata.x"', 'duplicate field "data"', 'unknown field "zip"'],
    })
    expect(decode("metadata: {name: a, name: b}\nzip: 1", {}, "yaml")).toMatchObject({
      warnings: ['line 1: key "name" already set in map', 'unknown field "zip"'],
    })
  })

  it("is silent under Ignore and refuses under Strict", () => {
    const body = '{"data":{"k":"1","k":"2"},"zip":1}'
    expect(decode(body, { fieldValidation: "Ignore" })).toEqual({ object: whole({ data: { k: "2" } }), warnings: [] })
    expect(decode(body, { fieldValidation: "Strict" })).toBe(
      '400 Kettle in version "v1" cannot be handled as a Kettle: strict decoding error: duplicate field "data.k", unknown field "zip"',
    )
    expect(decode('{"data":{"k":"2"}}', { fieldValidation: "Strict" })).toMatchObject({ warnings: [] })
  })

  it("shows only the beginning of a long kind or version", () => {
    const long = "x".repeat(100_000)
    for (const [kind, apiVersion] of [
      [long, "v1"],
      ["Pot", long],
      ["Kettle", `test/${long}`],
      ["Kettle", `a/b/${long}`],
    ])
      expect(String(decode(JSON.stringify({ kind, apiVersion }))).length).toBeLessThan(3000)
  })

  it("reports a wrong type, kind or version", () => {
    expect(decode('{"data":5}')).toBe(
      '400 Kettle in version "v1" cannot be handled as a Kettle: json: cannot unmarshal number 5 into field data of type map[string]string',
    )
    expect(decode('{"kind":"Pot","apiVersion":"v1"}')).toBe(
      '400 Pot in version "v1" cannot be handled as a Kettle: the request is about kind Kettle of apiVersion test/v1',
    )
    expect(decode('{"kind":"Kettle","apiVersion":"test/v2"}')).toBe(
      "400 the API version in the data (test/v2) does not match the expected API version (test/v1)",
    )
    expect(decode('{"apiVersion":"a/b/c"}')).toMatch(
      /^400 the object provided is unrecognized \(must be of type Kettle\): unexpected GroupVersion string: a\/b\/c/,
    )
    expect(decode('{"kind":5}')).toMatch(/^400 .*json: cannot unmarshal number 5 into field kind of type string/)
  })

  it("shows the start of what it cannot read", () => {
    const head = "400 the object provided is unrecognized (must be of type Kettle): couldn't get version/kind; json parse error:"
    expect(decode("")).toBe(`${head} unexpected end of JSON input (<empty>)`)
    expect(decode("{")).toBe(`${head} unexpected end of JSON input ({)`)
    expect(decode("[]")).toBe(`${head} expected an object, found array (5b5d)`)
    expect(decode(`{"a": x${" ".repeat(40)}`)).toMatch(/\(\{"a": x {23} \.\.\.\)$/)
    expect(decode("a: [", {}, "yaml")).toMatch(/^400 the object provided is unrecognized .*yaml: line 1/)
  })

  it("decodes protobuf, also with JSON inside", () => {
    const raw = codec.encode(whole({ data: { k: "v" } }))
    const expected = { object: whole({ data: { k: "v" } }), warnings: [] }
    expect(decode(wrapUnknown({ apiVersion: "test/v1", kind: "Kettle", raw }), {}, "compact")).toEqual(expected)
    expect(decode(wrapUnknown({ apiVersion: "", kind: "", raw }), {}, "compact")).toEqual(expected)
    const json = Buffer.from('{"kind":"Kettle","apiVersion":"test/v1","data":{"k":"v"}}')
    expect(
      decode(wrapUnknown({ apiVersion: "test/v1", kind: "Kettle", raw: json, contentType: "application/json" }), {}, "compact"),
    ).toEqual(expected)
    expect(decode(wrapUnknown({ apiVersion: "v1", kind: "Pot", raw }), {}, "compact")).toMatch(
      /^400 Pot in version "v1" cannot be handled as a Kettle/,
    )
    expect(decode("{}", {}, "compact")).toMatch(/^400 .*does not appear to be a protobuf message/)
    expect(decode(wrapUnknown({ apiVersion: "test/v1", kind: "Kettle", raw: Buffer.from("0aff", "hex") }), {}, "compact")).toMatch(
      /^400 .*is broken/,
    )
  })

  it("keeps misfits for run-time definitions, where the later of repeated objects wins", () => {
    const root = { ...shape, fields: shape.fields.filter(({ name }) => name !== "data"), preserveUnknown: true }
    const custom = { ...shape, structural: { root, prune: () => ["data.y", "data.x"] } }
    expect(decode('{"kind":"Kettle","data":{"k":"1"},"data":{"z":5}}', { shape: custom })).toEqual({
      object: whole({ data: { z: 5 } }),
      warnings: ['duplicate field "data"', 'unknown field "data.y"', 'unknown field "data.x"'],
    })
    expect(decode("{}", { shape: custom })).toMatch(/^400 Object 'Kind' is missing/)
    expect(decode('{"kind":"Pot","apiVersion":"test/v1"}', { shape: custom })).toMatch(/^422 /)
  })
})
