import { describe, expect, it } from "vitest"
import { objectMetaShape } from "../../../generated/meta/v1/object-meta/shape.ts"
import { strictErrorsMax } from "../../base/limits.ts"
import type { JsonObject, JsonValue } from "../../base/json.ts"
import { parseJson } from "../../encoding/json/text.ts"
import { structuralOf } from "../structural.ts"
import { defaultObject } from "./defaults.ts"
import { normalizeEmbedded } from "./embedded.ts"
import { withPrunedDefaults } from "./pruned-defaults.ts"
import { pruneObject } from "./prune.ts"
import { UnknownNames } from "./unknown-names.ts"

function schemaOf(spec: JsonObject): ReturnType<typeof structuralOf> {
  return structuralOf({ type: "object", properties: { spec } }, "x-kubernetes-")
}

function pruned(spec: JsonObject, object: JsonObject): { object: JsonObject; unknown: string[] } {
  const unknown = new UnknownNames()
  pruneObject(object, schemaOf(spec), { unknown })
  return { object, unknown: unknown.list() }
}

describe("pruneObject", () => {
  it("drops kind, apiVersion and metadata where an object has no type of its own", () => {
    const object = { kind: "A", spec: { kind: "B", apiVersion: "v1", metadata: {} } }
    expect(pruned({ type: "object" }, object)).toEqual({
      object: { kind: "A", spec: {} },
      unknown: ["spec.apiVersion", "spec.kind", "spec.metadata"],
    })
  })

  it("keeps unknown fields in lists that preserve them, at any depth of lists and fields", () => {
    const item = { type: "object", properties: { a: { type: "object", properties: { b: { type: "string" } } } } }
    const nested = (depth: number, preserve: boolean): JsonObject =>
      depth === 0
        ? item
        : { type: "array", items: nested(depth - 1, false), ...(preserve && { "x-kubernetes-preserve-unknown-fields": true }) }
    const lists = (depth: number, value: JsonValue): JsonValue => (depth === 0 ? value : [lists(depth - 1, value)])
    for (const depth of [1, 2, 3]) {
      const sent = (): JsonObject => ({ spec: lists(depth, { x: 1, a: { b: "c", y: 2 } }) })
      const at = `spec${"[0]".repeat(depth)}`
      // A field of a preserved item has its own schema, which does not preserve.
      expect(pruned(nested(depth, true), sent())).toEqual({
        object: { spec: lists(depth, { x: 1, a: { b: "c" } }) },
        unknown: [`${at}.a.y`],
      })
      expect(pruned(nested(depth, false), sent())).toEqual({
        object: { spec: lists(depth, { a: { b: "c" } }) },
        unknown: [`${at}.a.y`, `${at}.x`],
      })
    }
  })

  it("treats inherited names as any other", () => {
    const sent = parseJson('{"spec":{"constructor":1,"__proto__":{"a":1},"toString":{"x":1}}}').value as JsonObject
    const spec = { type: "object", properties: { toString: { type: "object" } } }
    expect(pruned(spec, sent)).toEqual({
      object: { spec: { toString: {} } },
      unknown: ["spec.__proto__", "spec.constructor", "spec.toString.x"],
    })
  })

  it("names the first unknown fields of many, sorted", () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_item, index) => [`f${String(4999 - index).padStart(4, "0")}`, 1]))
    const { unknown } = pruned({ type: "object" }, { spec: many })
    expect(unknown).toHaveLength(strictErrorsMax)
    expect([unknown[0], unknown[99]]).toEqual(["spec.f0000", "spec.f0099"])
  })
})

describe("normalizeEmbedded", () => {
  const spec = { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true }
  const schema = schemaOf(spec)

  it("drops malformed fields of what is stored", () => {
    const object: JsonObject = { spec: { apiVersion: 5, kind: ["A"], metadata: { name: "x", labels: 5, annotations: { a: "b" }, z: 1 } } }
    normalizeEmbedded(object, schema, { metadata: objectMetaShape, malformed: "drop" })
    expect(object).toEqual({ spec: { metadata: { name: "x", annotations: { a: "b" } } } })
  })

  it("leaves stored metadata that is no object", () => {
    const object: JsonObject = { spec: { metadata: "text" } }
    normalizeEmbedded(object, schema, { metadata: objectMetaShape, malformed: "drop" })
    expect(object).toEqual({ spec: { metadata: "text" } })
  })

  it("refuses malformed metadata of requests", () => {
    const object: JsonObject = { spec: { metadata: { labels: { a: 1 } } } }
    expect(() => normalizeEmbedded(object, schema, { metadata: objectMetaShape, malformed: "refuse" })).toThrow(
      /^spec\.metadata: Invalid value: map\[string\]interface \{\}\{"labels":map\[string\]interface \{\}\{"a":1\}\}: json: /,
    )
  })
})

describe("withPrunedDefaults", () => {
  it("prunes defaults at their place, below fields, items and values", () => {
    const inner = { type: "object", properties: { a: { type: "string" } }, default: { a: "x", b: 1 } }
    const schema = schemaOf({
      type: "object",
      default: { gone: 1, resource: { apiVersion: "v1", kind: "Pod", metadata: { name: "x", gone: 1 } } },
      properties: {
        inner,
        list: { type: "array", items: inner },
        map: { type: "object", additionalProperties: inner },
        resource: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      },
    })
    const object: JsonObject = {}
    const served = withPrunedDefaults(schema, objectMetaShape)
    defaultObject(object, served)
    expect(object).toEqual({ spec: { inner: { a: "x" }, resource: { apiVersion: "v1", kind: "Pod", metadata: { name: "x" } } } })
    const nulls: JsonObject = { spec: { inner: null, list: [null], map: { k: null }, resource: null } }
    defaultObject(nulls, served)
    expect(nulls).toEqual({ spec: { inner: { a: "x" }, list: [{ a: "x" }], map: { k: { a: "x" } }, resource: null } })
  })

  it("returns the same schema where nothing changes", () => {
    const schema = schemaOf({ type: "object", default: { a: "x" }, properties: { a: { type: "string", default: "y" } } })
    expect(withPrunedDefaults(schema, objectMetaShape)).toBe(schema)
  })
})
