import { describe, expect, it } from "vitest"
import { fieldReferenceStepsMax } from "../base/limits.ts"
import { readFieldSteps, referencedValue, resolveField } from "./field-reference.ts"
import type { TypeShape } from "../schema/shape.ts"

const parameter = "sortBy"
const steps = (text: string, stops = ",") => readFieldSteps({ parameter, text, at: 0, stops }).steps

const port: TypeShape = { name: "test.Port", fields: [{ name: "port", type: { scalar: "int32" } }] }
const common: TypeShape = { name: "test.Common", fields: [{ name: "inlined", type: { scalar: "string" } }] }
const shape: TypeShape = {
  name: "test.Thing",
  fields: [
    { name: "common", type: { ref: () => common }, inline: true },
    { name: "name", type: { scalar: "string" } },
    { name: "labels", type: { map: { scalar: "string" } } },
    { name: "ports", type: { list: { ref: () => port } } },
    { name: "free", type: { scalar: "any" } },
    { name: "self", type: { ref: () => shape } },
  ],
}
const resolved = (text: string) => resolveField({ parameter, shape, steps: steps(text) })

describe("readFieldSteps", () => {
  it.each([
    [".metadata.name", ["metadata", "name"]],
    ["metadata.name", ["metadata", "name"]],
    ["{.metadata.name}", ["metadata", "name"]],
    ["{metadata.name}", ["metadata", "name"]],
    ["$.metadata.name", ["metadata", "name"]],
    ["{$.metadata.name}", ["metadata", "name"]],
    ["{@.metadata.name}", ["metadata", "name"]],
    ["a[0].b[-1]", ["a", 0, "b", -1]],
    ["a['b.c/d']", ["a", "b.c/d"]],
    ['a["b\\"c"].d', ["a", 'b"c', "d"]],
    [".a.b\\.c/d", ["a", "b.c/d"]],
    ["['a']", ["a"]],
    [".a,b", ["a"]],
    ["a.__proto__", ["a", "__proto__"]],
  ])("reads %s", (text, expected) => expect(steps(text)).toEqual(expected))

  it.each(["", ".", "{", "{}", "{.a", "a..b", "a.", "a[", "a[]", "a[x]", "a['b]", "a[*]", ".*", "a]", "a{b}", "..a", "$a", "a[0]b"])(
    "refuses %s",
    (text) => expect(() => steps(text)).toThrow(/query parameter sortBy: .*at character \d+/),
  )

  it("returns where it ended, and refuses a path without end", () => {
    expect(readFieldSteps({ parameter, text: "xa.b=c", at: 1, stops: "=" })).toEqual({ steps: ["a", "b"], end: 4 })
    expect(() => steps(`${"a.".repeat(fieldReferenceStepsMax)}a`)).toThrow(/more than 32 steps/)
  })
})

describe("resolveField", () => {
  it("returns one path for all spellings of a field, and its type", () => {
    expect(resolved("{.labels['a']}")).toMatchObject({ path: "labels.a", scalar: "string" })
    expect(resolved("labels.a\\.b/c")).toMatchObject({ path: "labels['a.b/c']", scalar: "string" })
    expect(resolved("self.ports[0].port")).toMatchObject({ path: "self.ports[0].port", scalar: "int32" })
    expect(resolved("inlined")).toMatchObject({ scalar: "string" })
    expect(resolved("free.anything[3].x")).toMatchObject({ scalar: "any" })
  })

  it.each([
    ["nmae", /the object has no field "nmae"; did you mean name/],
    ["self.zzz", /self has no field "zzz"$/],
    ["constructor", /has no field/],
    ["ports", /ports is a list: name one item/],
    ["ports.port", /ports is a list: give an index/],
    ["labels", /labels is a map: name one key/],
    ["self", /self is an object: name one of its fields/],
    ["name.x", /name is a single value/],
    ["self[0]", /self is no list/],
  ])("refuses %s", (text, message) => expect(() => resolved(text)).toThrow(message))
})

describe("referencedValue", () => {
  it("returns own values and nothing of prototypes", () => {
    const object = { a: [{ b: 1 }, { b: 2 }], c: null }
    expect(referencedValue(object, ["a", 0, "b"])).toBe(1)
    expect(referencedValue(object, ["a", -1, "b"])).toBe(2)
    expect(referencedValue(object, ["c"])).toBeNull()
    for (const absent of [["a", 2, "b"], ["a", "length"], ["constructor"], ["__proto__"], ["c", "d"], ["a", 0, "b", 0]])
      expect(referencedValue(object, absent)).toBeUndefined()
  })
})
