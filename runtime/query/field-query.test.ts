import { describe, expect, it } from "vitest"
import { fieldRequirementsMax } from "../base/limits.ts"
import { fieldKey } from "./field-key.ts"
import { parseFieldQuery } from "./field-query.ts"
import { referencedValue } from "./field-reference.ts"
import type { JsonObject } from "../base/json.ts"
import type { TypeShape } from "../schema/shape.ts"

const shape: TypeShape = {
  name: "test.Thing",
  fields: [
    { name: "name", type: { scalar: "string" } },
    { name: "host", type: { scalar: "boolean" } },
    { name: "size", type: { scalar: "int32" } },
    { name: "memory", type: { scalar: "Quantity" } },
    { name: "port", type: { scalar: "IntOrString" } },
    { name: "labels", type: { map: { scalar: "string" } } },
  ],
}
const read = (text: string) => parseFieldQuery({ parameter: "fieldSelector", text, shape, selectable: new Set(["name", "host", "source"]) })

function matches(text: string, object: JsonObject): boolean {
  return read(text).matches({
    // As the plain form reads it: an absent boolean is the text `false`.
    text: (field) => (field === "host" ? String(object["host"] === true) : String(object[field] ?? "")),
    key: ({ steps, scalar }) => fieldKey(referencedValue(object, steps), scalar),
  })
}

describe("parseFieldQuery", () => {
  const object = { name: "a,b", size: 10, memory: "1500m", port: 80, labels: { "x/y": "1" } }

  it.each([
    ["", true],
    [",", true],
    ["size=10", true],
    ["size==10", true],
    ["size=9", false],
    ["size!=9", true],
    ["size>9", true],
    ["size > 9 , size < 11", true],
    ["size<10", false],
    ["size>-5", true],
    ["size in (9, 10)", true],
    ["size in(9)", false],
    ["size notin (9)", true],
    ["size", true],
    ["!size", false],
    ["! size", false],
    ["memory=1.5", true],
    ["memory>1", true],
    ["memory<1501m", true],
    ["port=80", true],
    ["port>79", true],
    ["port>a", false],
    ["labels.x/y=1", true],
    ["labels['x/y'] in (1,2)", true],
    ["labels.none", false],
    ["!labels.none", true],
    ["labels.none!=1", true],
    ["labels.none notin (1)", true],
    ["labels.none=", true],
    ["labels.none in (,1)", true],
    ["labels.none<zzz", false],
    ["labels.none>", false],
    ["name=a\\,b", true],
    ["name in (a\\,b,c)", true],
    ["name>a", true],
    ["name", true],
    ["source", false],
    ["!source", true],
    ["source<x", false],
    ["source in (,x)", true],
    // The plain form's meaning of a selectable field, and the value in the object.
    ["host=false", true],
    ["host in (false)", true],
    ["!host", true],
    ["name=a\\,b,size=10,port=80", true],
    ["name=a\\,b,size=11", false],
  ])("%s", (text, expected) => expect(matches(text, object)).toBe(expected))

  it.each([
    ["size=x", /size is compared with a number, not with "x"/],
    ["size in (1,x)", /compared with a number/],
    ["memory>much", /compared with a quantity/],
    ["nothing=1", /has no field "nothing"/],
    ["labels=1", /is a map/],
    ["size in (1", /expected a comma or \)/],
    ["size in 1", /expected one of =/],
    ["!size=1", /! stands before a field alone/],
    ["size=1=2", /written \\=/],
    ["name=a\\x", /\\x means nothing/],
    ["name=a\\", /means nothing/],
    ["size 1", /expected one of =/],
    ["size in (1) 2", /expected a comma/],
    ["=1", /expected a field such as/],
    ["!", /expected/],
    [")", /expected/],
    [Array.from({ length: fieldRequirementsMax + 1 }, () => "size").join(), /more than 100 requirements/],
  ])("refuses %s", (text, message) => expect(() => read(text)).toThrow(message))

  it("accepts no value as an absent one", () => {
    expect([matches("size=", {}), matches("size=", object), matches("size!=", object)]).toEqual([true, false, true])
  })

  it("returns the required value of a selectable field", () => {
    expect(read("name=a,size>1").required("name")).toBe("a")
    expect(read("name!=a").required("name")).toBeUndefined()
    expect(read("name in (a)").required("name")).toBeUndefined()
    expect([read("").empty, read("size").empty]).toEqual([true, false])
  })
})
