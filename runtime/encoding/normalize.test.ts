import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { atOnce } from "../base/turns.ts"
import type { JsonValue } from "../base/json.ts"
import { DecodeFault } from "./json/decode-fault.ts"
import { parseJson, stringify } from "./json/text.ts"
import { normalize, normalizing } from "./normalize.ts"
import type { TypeShape } from "../schema/shape.ts"

const meta: TypeShape = {
  name: "meta.v1.ObjectMeta",
  fields: [
    { name: "name", type: { scalar: "string" } },
    { name: "resourceVersion", type: { scalar: "string" } },
    { name: "generation", type: { scalar: "int64" } },
    { name: "creationTimestamp", type: { scalar: "Time" } },
    { name: "deletionTimestamp", type: { scalar: "Time" }, pointer: true },
    { name: "labels", type: { map: { scalar: "string" } } },
  ],
}
const port: TypeShape = {
  name: "test.v1.Port",
  fields: [
    { name: "name", type: { scalar: "string" } },
    { name: "port", type: { scalar: "int32" }, keepEmpty: true },
    { name: "targetPort", type: { scalar: "IntOrString" } },
  ],
}
const handler: TypeShape = {
  name: "test.v1.Handler",
  fields: [
    { name: "exec", type: { map: { scalar: "string" } }, pointer: true },
    { name: "wait", type: { scalar: "Duration" }, pointer: true },
  ],
}
const spec: TypeShape = {
  name: "test.v1.Spec",
  fields: [
    { name: "ports", type: { list: { ref: () => port } }, keepEmpty: true },
    { name: "limits", type: { map: { scalar: "Quantity" } } },
    { name: "handler", type: { ref: () => handler }, inline: true },
    { name: "template", type: { ref: () => kettle }, pointer: true },
    { name: "enabled", type: { scalar: "boolean" }, pointer: true },
    { name: "paused", type: { scalar: "boolean" } },
    { name: "free", type: { scalar: "any" } },
    { name: "constructor", type: { scalar: "string" } },
    { name: "command", type: { list: { scalar: "string" } } },
    { name: "secret", type: { map: { scalar: "bytes" } } },
    { name: "at", type: { scalar: "MicroTime" }, pointer: true },
    { name: "big", type: { scalar: "int64" } },
    { name: "real", type: { scalar: "double" }, pointer: true },
  ],
}
const kettle: TypeShape = {
  name: "test.v1.Kettle",
  fields: [
    { name: "metadata", type: { ref: () => meta } },
    { name: "spec", type: { ref: () => spec } },
    { name: "status", type: { ref: () => ({ name: "test.v1.Status", fields: [{ name: "phase", type: { scalar: "string" } }] }) } },
  ],
}

const written = (value: JsonValue) => JSON.stringify(normalize(kettle, value).object)
const specOf = (value: JsonValue) => (normalize(kettle, { spec: value }).object as { spec: JsonValue }).spec
const faultOf = (value: JsonValue) => {
  try {
    normalize(kettle, value)
  } catch (error) {
    if (error instanceof DecodeFault) return error.message
    throw error
  }
  return "no fault"
}

describe("normalize", () => {
  it("writes kind first, sorts fields as the shape does, and always writes structs that are not pointers", () => {
    const value = {
      spec: { ports: [{ port: 80 }] },
      metadata: { labels: { b: "1", "\u{1f600}": "4", "\ufffd": "3", a: "2" }, name: "x" },
      apiVersion: "test/v1",
      kind: "Kettle",
    }
    expect(written(value)).toBe(
      '{"kind":"Kettle","apiVersion":"test/v1","metadata":{"name":"x","creationTimestamp":null,"labels":{"a":"2","b":"1","\ufffd":"3","\u{1f600}":"4"}},"spec":{"ports":[{"port":80,"targetPort":0}]},"status":{}}',
    )
    expect(written(null)).toBe('{"metadata":{"creationTimestamp":null},"spec":{"ports":null},"status":{}}')
  })

  it("copies what is normal already", () => {
    const value = { spec: { ports: [{ name: "a", port: 1 }] }, metadata: { name: "b" } }
    const { object } = normalize(kettle, value)
    const again = normalize(kettle, { ...object, metadata: { name: "c" } }, { unchanged: new Set(["spec"]) }).object
    expect(JSON.stringify(again)).toBe(written({ ...value, metadata: { name: "c" } }))
    expect(again["spec"]).not.toBe(object["spec"])
    // It is copied indeed: nothing of it is normalized.
    expect(normalize(kettle, { spec: { x: 1 } }, { unchanged: new Set(["spec"]) }).object["spec"]).toEqual({ x: 1 })
  })

  it("omits null and empty values, and keeps present zeros of pointers", () => {
    expect(specOf({ ports: [], limits: {}, enabled: false, paused: false, command: [], free: null, big: 0, exec: {} })).toEqual({
      ports: null,
      enabled: false,
      exec: {},
    })
  })

  it("writes null for a pointer that is always written, also for the zero of a type that has none", () => {
    const at = { name: "at", type: { scalar: "Time" }, pointer: true, keepEmpty: true } as const
    for (const value of [{}, { at: null }, { at: "0001-01-01T00:00:00Z" }])
      expect(normalize({ name: "test.v1.At", fields: [at] }, value, { typeMeta: false }).object).toEqual({ at: null })
  })

  it("reads a real number as its stored text will be read", () => {
    const numbers = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }))
    fc.assert(
      fc.property(numbers, (number) => {
        const { real } = specOf({ real: number }) as { real: JsonValue }
        expect(parseJson(stringify(real)).value).toEqual(Object.is(real, -0) ? 0 : real)
      }),
    )
    expect(specOf({ real: 9223372036854775807n })).toMatchObject({ real: 9223372036854776000n })
  })

  it("writes constants of inner objects whatever was sent, and those of the root as it was sent", () => {
    const claim: TypeShape = {
      name: "test.v1.Claim",
      fields: [
        { name: "kind", type: { scalar: "string" }, constant: "Claim" },
        { name: "claims", type: { list: { ref: () => claim } } },
      ],
    }
    const value = { kind: "Other", claims: [{ kind: "Odd" }, { kind: null }, {}, null] }
    const named = { kind: "Claim" }
    expect(normalize(claim, value).object).toEqual({ kind: "Other", claims: [named, named, named, named] })
    expect(() => normalize(claim, { claims: [{ kind: 5 }] })).toThrow(DecodeFault)
  })

  it("reads null items as zero values", () => {
    expect(specOf({ ports: [null], limits: { cpu: null }, command: [null], secret: { a: null } })).toEqual({
      ports: [{ port: 0, targetPort: 0 }],
      limits: { cpu: "0" },
      command: [""],
      secret: { a: "" },
    })
  })

  it("makes special scalars canonical", () => {
    expect(
      specOf({
        limits: { cpu: 0.5, memory: "1024Mi" },
        wait: "90s",
        at: "2020-01-01T01:00:00.123456+01:00",
        big: 9007199254740993n,
        secret: { a: "aGVs\nbG8=" },
      }),
    ).toEqual({
      ports: null,
      limits: { cpu: "500m", memory: "1Gi" },
      wait: "1m30s",
      at: "2020-01-01T00:00:00.123456Z",
      big: 9007199254740993n,
      secret: { a: "aGVsbG8=" },
    })
    expect(
      normalize(kettle, { metadata: { creationTimestamp: "2020-01-01T00:00:00.9+01:00", deletionTimestamp: "0001-01-01T00:00:00Z" } })
        .object.metadata,
    ).toEqual({
      creationTimestamp: "2019-12-31T23:00:00Z",
    })
  })

  it("names unknown fields in document order, case-sensitively, with list indices", () => {
    const { unknown, object } = normalize(kettle, {
      kind: "Kettle",
      zebra: 1,
      metadata: { Name: "x", frob: 1 },
      spec: { ports: [{ port: 1 }, { port: 2, prot: 1 }], template: { spec: { nope: 1 } }, free: { any: 1 }, apple: 1 },
    })
    expect(unknown).toEqual(["zebra", "metadata.Name", "metadata.frob", "spec.ports[1].prot", "spec.template.spec.nope", "spec.apple"])
    expect(Object.keys(object)).toEqual(["kind", "metadata", "spec", "status"])
    expect(normalize(kettle, { x: 1 }, { reportUnknown: false }).unknown).toEqual([])
  })

  it("keeps unknown fields where the shape allows them, prototype names included", () => {
    const open: TypeShape = { name: "test.v1.Open", preserveUnknown: true, fields: [{ name: "a", type: { scalar: "string" } }] }
    const value: JsonValue = JSON.parse('{"b":null,"a":"x","__proto__":{"c":1}}')
    const { object, unknown } = normalize(open, value, { typeMeta: false })
    expect(JSON.stringify(object)).toBe('{"a":"x","b":null,"__proto__":{"c":1}}')
    expect(unknown).toEqual([])
  })

  it("is not fooled by inherited names", () => {
    expect(specOf({})).toEqual({ ports: null })
    expect(specOf({ constructor: "x" })).toEqual({ ports: null, constructor: "x" })
  })

  it("does not change its argument and is idempotent", () => {
    const value = { metadata: { labels: { b: "1", a: "2" } }, spec: { limits: { cpu: "0.5" }, extra: 1 } }
    const before = structuredClone(value)
    const once = normalize(kettle, value).object
    expect(value).toEqual(before)
    const shared = { metadata: { labels: { a: "1" } }, spec: { command: ["x"] } }
    const copy = normalize(kettle, shared).object as typeof shared
    expect([copy.metadata.labels === shared.metadata.labels, copy.spec.command === shared.spec.command]).toEqual([false, false])
    expect(JSON.stringify(normalize(kettle, once).object)).toBe(JSON.stringify(once))
  })

  it("names the field, the value found and the expected type", () => {
    expect(faultOf([])).toBe("json: cannot unmarshal array into a value of type v1.Kettle")
    expect(faultOf({ kind: 5 })).toBe("json: cannot unmarshal number 5 into field kind of type string")
    expect(faultOf({ metadata: { name: 5 } })).toBe("json: cannot unmarshal number 5 into field metadata.name of type string")
    expect(faultOf({ metadata: { labels: [] } })).toBe("json: cannot unmarshal array into field metadata.labels of type map[string]string")
    expect(faultOf({ spec: { ports: [{ port: 99999999999 }] } })).toBe(
      "json: cannot unmarshal number 99999999999 into field spec.ports[0].port of type int32: expected a whole number from -2147483648 to 2147483647",
    )
    expect(faultOf({ spec: { ports: {} } })).toBe("json: cannot unmarshal object into field spec.ports of type []v1.Port")
    expect(faultOf({ spec: { ports: ["x"] } })).toBe("json: cannot unmarshal string into field spec.ports[0] of type v1.Port")
    expect(faultOf({ spec: { limits: { cpu: "x1" } } })).toMatch(
      /quantities must match the regular expression .* in field spec\.limits\.cpu$/,
    )
    expect(faultOf({ spec: { secret: { a: "!!!!" } } })).toBe("illegal base64 data in field spec.secret.a")
    expect(faultOf({ spec: { at: "2020-01-01T00:00:00Z" } })).toMatch(/^parsing time "2020-01-01T00:00:00Z" .* in field spec\.at$/)
    expect(faultOf({ spec: { wait: "5 parrots" } })).toMatch(/invalid duration|unknown unit/)
  })
})

describe("normalizing in steps", () => {
  const maps = fc.dictionary(fc.string({ maxLength: 3 }), fc.constantFrom("1", "0.5", "1Gi"), { maxKeys: 20 })
  const documents = fc.record(
    {
      metadata: fc.record(
        { labels: fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 2 }), { maxKeys: 20 }) },
        { requiredKeys: [] },
      ),
      spec: fc.record(
        {
          ports: fc.array(fc.record({ port: fc.nat({ max: 9 }), zip: fc.nat() }, { requiredKeys: [] }), { maxLength: 20 }),
          limits: maps,
          command: fc.array(fc.constantFrom("a", "b", null), { maxLength: 20 }),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  )

  it("gives the same result for any step size", () => {
    fc.assert(
      fc.property(documents, fc.integer({ min: 1, max: 12 }), (document, size) => {
        const { object, unknown } = atOnce(normalizing(kettle, document, {}, size))
        const whole = normalize(kettle, document)
        expect(JSON.stringify(object)).toBe(JSON.stringify(whole.object))
        expect(unknown).toEqual(whole.unknown)
      }),
      { numRuns: 1000 },
    )
  })

  it("gives the path of an error in a later step", () => {
    const ports = [...Array.from({ length: 9 }, () => ({ port: 1 })), { port: "x" }]
    expect(() => atOnce(normalizing(kettle, { spec: { ports } }, {}, 2))).toThrow("into field spec.ports[9].port of type int32")
  })

  it("counts each value once, whether sent or filled in", () => {
    const valuesIn = (value: JsonValue | undefined): number =>
      typeof value !== "object" || value === null ? 0 : Object.values(value).reduce<number>((sum, one) => sum + 1 + valuesIn(one), 0)
    for (const document of [
      { spec: { ports: Array.from({ length: 10 }, () => ({})) } },
      { metadata: { labels: { a: "1", b: "2" } }, spec: { ports: [{ port: 1 }], limits: { cpu: "1" }, command: ["a", "b"] } },
      {},
    ]) {
      const { object } = normalize(kettle, document)
      const maxValues = valuesIn(object)
      expect(normalize(kettle, document, { maxValues }).object).toEqual(object)
      expect(() => normalize(kettle, document, { maxValues: maxValues - 1 })).toThrow(expect.objectContaining({ code: 413 }))
    }
  })
})
