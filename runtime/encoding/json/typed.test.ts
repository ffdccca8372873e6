import { describe, expect, it } from "vitest"
import { atOnce } from "../../base/turns.ts"
import { numberAt, parsingTypedJson, type TypedJson } from "./typed.ts"
import type { TypeShape } from "../../schema/shape.ts"

const parseTypedJson = (text: string, of: TypeShape): TypedJson => atOnce(parsingTypedJson(text, of))

const item: TypeShape = {
  name: "test.v1.Item",
  fields: [
    { name: "name", type: { scalar: "string" } },
    { name: "count", type: { scalar: "int32" } },
  ],
}
const shape: TypeShape = {
  name: "test.v1.Kettle",
  fields: [
    { name: "name", type: { scalar: "string" } },
    { name: "nick", type: { scalar: "string" }, pointer: true },
    { name: "count", type: { scalar: "int64" } },
    { name: "port", type: { scalar: "IntOrString" } },
    { name: "volume", type: { scalar: "Quantity" } },
    { name: "labels", type: { map: { scalar: "string" } } },
    { name: "main", type: { ref: () => item } },
    { name: "items", type: { list: { ref: () => item } } },
    { name: "raw", type: { scalar: "RawExtension" } },
    { name: "free", type: { scalar: "any" } },
  ],
}

function strict(text: string): string[] {
  return parseTypedJson(text, shape).strictErrors
}

function value(text: string): unknown {
  return parseTypedJson(text, shape).value
}

describe("parsingTypedJson", () => {
  it("names unknown and repeated fields in the order of the text, each once", () => {
    expect(strict('{"z":1,"kind":"x","name":"a","name":"b","z":2,"items":[{"q":1},{"name":"a","name":"b"}],"a":1}')).toEqual([
      'unknown field "z"',
      'duplicate field "name"',
      'unknown field "items[0].q"',
      'duplicate field "items[1].name"',
      'unknown field "a"',
    ])
  })

  it("looks into untyped values only where any value is allowed, and never into unknown fields", () => {
    expect(strict('{"z":{"a":1,"a":2},"raw":{"a":1,"a":2},"free":[{"a":1,"a":2}],"labels":{"a":"1","a":"2"}}')).toEqual([
      'unknown field "z"',
      'duplicate field "free[0].a"',
      'duplicate field "labels.a"',
    ])
  })

  it("names at most 100", () => {
    const fields = Array.from({ length: 150 }, (_none, index) => `"z${index}":1`)
    expect(strict(`{${fields.join(",")}}`)).toHaveLength(100)
  })

  it("writes names as the reference quotes them", () => {
    expect(strict('{"a\\"b":1,"\\u2028":1,"\\u00e9":1}')).toEqual(['unknown field "a\\"b"', 'unknown field "\\u2028"', 'unknown field "é"'])
  })

  it.each([
    ["texts and numbers: the later", '{"name":"a","name":"b","count":1,"count":2}', { name: "b", count: 2 }],
    [
      "null after a text: the text, unless the field is a pointer",
      '{"name":"a","name":null,"nick":"a","nick":null}',
      { name: "a", nick: null },
    ],
    ["maps: all keys", '{"labels":{"a":"1","b":"1"},"labels":{"b":"2"}}', { labels: { a: "1", b: "2" } }],
    ["null after a map", '{"labels":{"a":"1"},"labels":null}', { labels: null }],
    ["objects: field by field", '{"main":{"name":"a","count":1},"main":{"count":2},"main":null}', { main: { name: "a", count: 2 } }],
    [
      "lists: item by item, with the length of the last",
      '{"items":[{"name":"a"},{"name":"b"}],"items":[{"count":5}]}',
      { items: [{ name: "a", count: 5 }] },
    ],
    ["__proto__", '{"main":{"name":"a"},"main":{"__proto__":{"name":"b"}}}', { main: { name: "a", ["__proto__"]: { name: "b" } } }],
  ])("merges repeated fields: %s", (_name, text, expected) => {
    expect(JSON.stringify(value(text))).toBe(JSON.stringify(expected))
  })

  it("refuses a repeated value that does not fit, first or last", () => {
    expect(() => value('{"name":5,"name":"a"}')).toThrow("cannot unmarshal number 5 into field name of type string")
    expect(() => value('{"name":"a","name":5,"name":"b"}')).toThrow("cannot unmarshal number 5 into field name of type string")
  })

  it("takes linear time for a field that is repeated again and again", () => {
    const labels = Array.from({ length: 2000 }, (_none, index) => `"k${index}":"v"`).join(",")
    const text = `{"labels":{${labels}}${',"labels":{}'.repeat(20_000)}}`
    expect(Object.keys((value(text) as { labels: object }).labels)).toHaveLength(2000)
  })

  // Comparing path by path takes half a minute.
  it("takes linear time for unknown fields at the end of a long path", () => {
    const key = "k".repeat(400_000)
    const text = `{"labels":{"${key}":"v"},"limits":{"${key}":{${'"a":1,'.repeat(60_000)}"b":1}}}`
    expect(parseTypedJson(text, shape).strictErrors.length).toBeLessThan(3)
  })

  it.each([
    ['{"count":1.0}', "number 1.0 into field count of type int64"],
    ['{"items":[{"count":1e3}]}', "number 1e3 into field items[0].count of type int32"],
    ['{"port":80.0}', "number 80.0 into field port of type IntOrString"],
  ])("refuses an integer with a fraction or an exponent: %s", (text, message) => {
    expect(() => value(text)).toThrow(message)
  })

  it("keeps the spelling of a quantity", () => {
    expect(value('{"volume":1e3,"free":1.0}')).toEqual({ volume: "1e3", free: 1 })
  })
})

it("knows the types of numbers", () => {
  expect(numberAt(shape, ["items", "-", "count"])).toBe("whole")
  expect(numberAt(shape, ["port"])).toBe("whole")
  expect(numberAt(shape, ["volume"])).toBe("quantity")
  expect(numberAt(shape, ["free", "count"])).toBeUndefined()
  expect(numberAt(shape, ["none", "count"])).toBeUndefined()
})
