import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { parseJson } from "../../encoding/json/text.ts"
import { defaultedCharactersMax, defaultedValuesMax } from "../limits.ts"
import { structuralOf } from "../structural.ts"
import { defaultObject } from "./defaults.ts"

const extensions = "x-kubernetes-"

function schemaOf(properties: JsonObject): ReturnType<typeof structuralOf> {
  return structuralOf({ type: "object", properties }, extensions)
}

/** Each item has three more items by default, on eight levels. */
function multiplying(): ReturnType<typeof structuralOf> {
  let schema: JsonObject = { type: "object", properties: { end: { type: "string", default: "x" } } }
  for (let level = 0; level < 8; level++) {
    const list = { type: "array", items: schema, default: [{}, {}, {}, {}, {}, {}, {}, {}] }
    schema = { type: "object", properties: { list } }
  }
  return structuralOf(schema, extensions)
}

function values(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1
  let sum = 1
  for (const part of Object.values(value)) sum += values(part)
  return sum
}

describe("defaults of custom objects", () => {
  it("fills what is absent, and null where that is not allowed", () => {
    const schema = schemaOf({
      size: { type: "integer", default: 1 },
      note: { type: "string", nullable: true, default: "n" },
      parts: { type: "array", items: { type: "object", default: { own: true }, properties: { name: { type: "string", default: "p" } } } },
      byName: { type: "object", additionalProperties: { type: "object", properties: { kept: { type: "boolean", default: false } } } },
    })
    const object: JsonObject = { size: null, note: null, parts: [{}, null], byName: { __proto__x: {}, a: { kept: true } } }
    defaultObject(object, schema)
    expect(object).toEqual({
      size: 1,
      note: null,
      parts: [{ name: "p" }, { own: true, name: "p" }],
      byName: { __proto__x: { kept: false }, a: { kept: true } },
    })
  })

  it("refuses an object whose defaults multiply, and names the place", () => {
    expect(() => defaultObject({}, multiplying())).toThrow(
      `the defaults of the schema add more than ${defaultedValuesMax} values to the object, at list[0].list[0].list[`,
    )
  })

  it("keeps an object of the store readable, with as many defaults as fit", () => {
    const object = {}
    defaultObject(object, multiplying(), { stored: true })
    expect(values(object)).toBeLessThanOrEqual(defaultedValuesMax + 1)
    expect(values(object)).toBeGreaterThan(defaultedValuesMax / 2)
  })

  it("refuses a long text that is the default of many items", () => {
    const item = { type: "object", properties: { text: { type: "string", default: "x".repeat(10_000) } } }
    const schema = schemaOf({ parts: { type: "array", items: item } })
    const few: JsonObject = { parts: Array.from({ length: 100 }, () => ({})) }
    defaultObject(few, schema)
    expect(values(few)).toBe(202)
    const many: JsonObject = { parts: Array.from({ length: 1000 }, () => ({})) }
    expect(() => defaultObject(many, schema)).toThrow(
      `the defaults of the schema add more than ${defaultedCharactersMax} characters to the object, at parts[104].text; send fewer`,
    )
  })

  it("tells how much was added", () => {
    const schema = schemaOf({ text: { type: "string", default: "x".repeat(10_000) } })
    const told: number[] = []
    const added = (characters: number): number => told.push(characters)
    defaultObject({}, schema, { added })
    defaultObject({ text: "own" }, schema, { added })
    expect(told).toEqual([10_003])
  })

  it("treats names of object prototypes as names", () => {
    const schema = parseJson(
      `{"type": "object", "properties": {
        "__proto__": {"type": "object", "default": {}, "properties": {"constructor": {"type": "string", "default": "d"}}},
        "toString": {"type": "string", "default": "d"}}}`,
    ).value
    const object: JsonObject = {}
    defaultObject(object, structuralOf(schema as JsonObject, extensions))
    expect(JSON.stringify(object)).toBe('{"__proto__":{"constructor":"d"},"toString":"d"}')
  })
})
