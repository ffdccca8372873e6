import { expect, test } from "vitest"
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import { load } from "../../codegen/load/index.ts"
import { allDocuments } from "./documents.ts"

/** The kind and its types, whose limits are published or not. */
function definitionsWith(fields: string, limited: boolean, version: "v2" | "v3" = "v3"): JsonObject {
  const schema = `
kind: Cup
group: kitchen.example.com
version: v1
doc: A cup.
scope: Namespaced
names: {plural: cups}
fields:
  spec: {type: CupSpec, number: 2, doc: What it should be.}
types:
  CupSpec:
    doc: What a cup should be. Cups are round.
    fields:
${fields.replaceAll(/^ */gm, "      ")}
  Handle:
    doc: What a cup is held by.
    fields:
      size: {type: int32, number: 1, doc: Millimetres.}
  Outer:
    doc: What holds another.
    fields:
      inner: {type: Inner, number: 1, doc: The other.}
  Inner:
    doc: What is held.
    fields:
      name: {type: string, number: 1, required: true, doc: Its name.}
      outer: {type: Outer, number: 2, pointer: true, doc: What holds it.}
`
  const objectMeta = `
group: meta
version: v1
types:
  ObjectMeta:
    doc: What every object carries.
    fields:
      name: {type: string, number: 1, maxLength: 9, doc: Names the object.}
`
  const loaded = load(
    new Map([
      ["meta/v1/object-meta.yaml", objectMeta],
      ["kitchen.example.com/v1/cup.yaml", schema],
    ]),
  )
  if ("diagnostics" in loaded) throw new Error(JSON.stringify(loaded.diagnostics))
  const { kinds, types } = loaded.model
  const publishesLimits = ({ group }: { readonly group: string }): boolean => limited && group === "kitchen.example.com"
  const documents = allDocuments({ kinds, known: kinds, types, publishesLimits, hasCompactForm: () => true })
  const found =
    version === "v2" ? documents.get("v2")?.["definitions"] : at(documents.get("v3/apis/kitchen.example.com/v1"), "components", "schemas")
  return isObject(found) ? found : {}
}

function at(value: JsonValue | undefined, ...path: string[]): JsonValue | undefined {
  return path.reduce((here: JsonValue | undefined, name) => (isObject(here) ? here[name] : undefined), value)
}

/** The schema of field `it`, without its text. */
function published(field: string, limited = true, version?: "v2" | "v3"): JsonObject {
  const schema = at(definitionsWith(`it: {number: 1, doc: The field., ${field}}`, limited, version), "com.example.kitchen.v1.CupSpec")
  const property = at(schema, "properties", "it")
  const { description: _text, ...rest } = isObject(property) ? property : {}
  const required = at(schema, "required")
  return { ...rest, ...(required !== undefined && { required }) }
}

const cases: readonly (readonly [field: string, schema: JsonObject])[] = [
  ["type: int32, minimum: 1, maximum: 9", { type: "integer", format: "int32", minimum: 1, maximum: 9 }],
  ["type: string, minLength: 2, maxLength: 5, pattern: ^a+$", { type: "string", minLength: 2, maxLength: 5, pattern: "^a+$" }],
  ["type: string, pattern: (?i)a", { type: "string" }],
  ["type: string, enum: [b, a]", { type: "string", enum: ["a", "b"] }],
  ["type: string, format: dns-label, maxLength: 20", { type: "string", format: "dns-label", maxLength: 20 }],
  ["type: string, format: uuid", { type: "string", format: "uuid" }],
  ["type: int32, format: port-number, minimum: 1024", { type: "integer", format: "int32", minimum: 1024, maximum: 65535 }],
  ["type: string, nonEmpty: true", { type: "string", minLength: 1, required: ["it"] }],
  ["type: string, nonEmpty: true, default: a", { type: "string", minLength: 1, default: "a" }],
  ["type: string, required: true", { type: "string", required: ["it"] }],
  ["type: string, required: published", { type: "string", default: "", required: ["it"] }],
  ["type: int32, required: true, minimum: 1", { type: "integer", format: "int32", minimum: 1, required: ["it"] }],
  ['type: "[]Handle", nonEmpty: true, maxItems: 3', { type: "array", items: handles(), minItems: 1, maxItems: 3, required: ["it"] }],
  ['type: "[]string", minItems: 2, nonEmpty: true', { type: "array", items: text(), minItems: 2, required: ["it"] }],
  ['type: "[]string", unique: true, items: {maxLength: 5}', { type: "array", items: text({ maxLength: 5 }), uniqueItems: true }],
  ['type: "[]string", listType: set', { type: "array", items: text(), uniqueItems: true, "x-orch-list-type": "set" }],
  ['type: "[]string", items: {minLength: 1}', { type: "array", items: { type: "string", minLength: 1 } }],
  [
    "type: map<string>, maxProperties: 3, values: {maxLength: 5}",
    { type: "object", additionalProperties: text({ maxLength: 5 }), maxProperties: 3 },
  ],
  ["type: map<string>, nonEmpty: true", { type: "object", additionalProperties: text(), minProperties: 1, required: ["it"] }],
  ["type: string, immutable: true", { type: "string", "x-orch-validations": [{ rule: "self == oldSelf", message: "field is immutable" }] }],
  [
    "type: Quantity, pointer: true, format: quantity-non-negative",
    { allOf: [{ $ref: "#/components/schemas/io.orch.apimachinery.pkg.api.resource.Quantity" }] },
  ],
]

function text(limits: JsonObject = {}): JsonObject {
  return { type: "string", default: "", ...limits }
}

function handles(): JsonObject {
  return { default: {}, allOf: [{ $ref: "#/components/schemas/com.example.kitchen.v1.Handle" }] }
}

test.each(cases)("{%s}", (field, schema) => {
  expect(published(field)).toEqual(schema)
})

test("version 2 has the same limits, and no defaults", () => {
  expect(published("type: int32, minimum: 1, default: 3", true, "v2")).toEqual({ type: "integer", format: "int32", minimum: 1 })
  expect(published('type: "[]string", maxItems: 3', true, "v2")).toEqual({ type: "array", items: { type: "string" }, maxItems: 3 })
})

test("without limits only words are published", () => {
  expect(published("type: int32, minimum: 1, maximum: 9", false)).toEqual({ type: "integer", format: "int32" })
  expect(published("type: string, nonEmpty: true, enum: [b, a]", false)).toEqual({ type: "string", enum: ["a", "b"] })
  expect(published('type: "[]string", unique: true, items: {enum: [b, a], maxLength: 3}', false)).toEqual({
    type: "array",
    items: { type: "string", enum: ["a", "b"] },
  })
})

test("limits are published by type", () => {
  const definitions = definitionsWith("it: {type: int32, number: 1, maximum: 3, doc: The field.}", true)
  expect(at(definitions, "com.example.kitchen.v1.CupSpec", "properties", "it", "maximum")).toBe(3)
  expect(at(definitions, "io.orch.apimachinery.pkg.apis.meta.v1.ObjectMeta", "properties", "name")).toEqual({
    description: "Names the object.",
    type: "string",
  })
})

test("the text of a type leaves out what all its fields say", () => {
  const definitions = definitionsWith(
    `
    left: {type: Handle, number: 1, doc: What a cup is held by. It is on the left.}
    right: {type: Handle, number: 2, doc: What a cup is held by.}
    `.trim(),
    true,
  )
  expect(at(definitions, "com.example.kitchen.v1.Handle", "description")).toBeUndefined()
  expect(at(definitions, "com.example.kitchen.v1.CupSpec", "description")).toBe("What a cup should be. Cups are round.")
  const others = definitionsWith("left: {type: Handle, number: 1, doc: It is on the left.}", true)
  expect(at(others, "com.example.kitchen.v1.Handle", "description")).toBe("What a cup is held by.")
})

test("a field whose empty object is refused is required", () => {
  const definitions = definitionsWith(
    `
    first: {type: Outer, number: 1, doc: The server would add it empty.}
    second: {type: Outer, number: 2, pointer: true, doc: It may be absent.}
    third: {type: Handle, number: 3, doc: It may be empty.}
    `.trim(),
    true,
  )
  const spec = at(definitions, "com.example.kitchen.v1.CupSpec")
  expect(at(spec, "required")).toEqual(["first"])
  expect(at(spec, "properties", "first", "default")).toBeUndefined()
  expect(at(spec, "properties", "third", "default")).toEqual({})
})
