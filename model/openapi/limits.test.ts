import { expect, test } from "vitest"
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import { load } from "../../codegen/load/index.ts"
import { allDocuments } from "./documents.ts"

/** The definitions of a kind and its types, with or without published limits. */
function definitionsWith(fields: string, limited: boolean, version: "v2" | "v3" = "v3", more = ""): JsonObject {
  const schema = `
kind: Cup
group: kitchen.example.com
version: v1
doc: A cup.
scope: Namespaced
names: {plural: cups}
fields:
  spec: {type: CupSpec, doc: What it should be.}
  ${more === "" ? "" : "status: {type: CupStatus, number: 3, doc: What it is.}"}
defaults: [${more === "" ? "" : "{set: spec.name, to: metadata.name}"}]
types:
${more}
  CupSpec:
    doc: What a cup should be. Cups are round.
    fields:
${fields.replaceAll(/^ */gm, "      ")}
  Handle:
    doc: What a cup is held by.
    fields:
      size: {type: int32, number: 1, doc: Millimetres.}
  Side:
    doc: A side of a cup.
    fields:
      side: {type: string, number: 1, default: left, doc: Which side it is.}
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
  const schema = at(definitionsWith(`it: {doc: The field., ${field}}`, limited, version), "com.example.kitchen.v1.CupSpec")
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
  ["type: Quantity, pointer: true, format: quantity-non-negative", { ...scalar("api.resource.Quantity"), format: "quantity-non-negative" }],
  ["type: IntOrString, pointer: true, minimum: 1", { ...scalar("util.intstr.IntOrString"), minimum: 1 }],
  [
    "type: double, exclusiveMinimum: 0, exclusiveMaximum: 1",
    { type: "number", format: "double", minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
  ],
  ["type: int32, format: port-number, exclusiveMinimum: 0", { type: "integer", format: "int32", minimum: 1, maximum: 65535 }],
  [
    "type: int32, format: port-number, exclusiveMinimum: 9",
    { type: "integer", format: "int32", minimum: 9, exclusiveMinimum: true, maximum: 65535 },
  ],
  ["type: double, multipleOf: 0.1", { type: "number", format: "double", multipleOf: 0.1 }],
  ["type: int32, enum: [10, 9]", { type: "integer", format: "int32", enum: [9, 10] }],
  ["type: string, keepEmpty: true, enum: [a]", { type: "string", enum: ["", "a"] }],
  ["type: string, keepEmpty: true, nonEmpty: true, enum: [a]", { type: "string", enum: ["a"], minLength: 1, required: ["it"] }],
  ['type: "[]string", required: published', { type: "array", items: text(), nullable: true, required: ["it"] }],
  ["type: Time", { ...scalar("apis.meta.v1.Time"), nullable: true }],
  ['type: "[]string", listType: set, duplicates: allowed', { type: "array", items: text(), "x-orch-list-type": "set" }],
  [
    'type: "[][]int32", maxItems: 3, items: {maxItems: 2, items: {minimum: 1}}',
    { type: "array", maxItems: 3, items: { type: "array", maxItems: 2, items: { type: "integer", format: "int32", minimum: 1 } } },
  ],
  [
    'type: map<map<string>>, values: {maxProperties: 2, values: {enum: ["", b]}}',
    { type: "object", additionalProperties: { type: "object", maxProperties: 2, additionalProperties: text({ enum: ["", "b"] }) } },
  ],
  ["type: string, deprecated: true", { type: "string", deprecated: true }],
  ["type: Handle, pointer: true, deprecated: true", { allOf: handles().allOf, deprecated: true }],
  ["type: string, required: true, default: a", { type: "string", default: "a" }],
]

function scalar(name: string): JsonObject {
  return { allOf: [{ $ref: `#/components/schemas/io.orch.apimachinery.pkg.${name}` }] }
}

function text(limits: JsonObject = {}): JsonObject {
  return { type: "string", default: "", ...limits }
}

function handles() {
  return { default: {}, allOf: [{ $ref: "#/components/schemas/com.example.kitchen.v1.Handle" }] }
}

test.each(cases)("{%s}", (field, schema) => {
  expect(published(field)).toEqual(schema)
})

test("version 2 has the same limits, and no defaults", () => {
  expect(published("type: int32, minimum: 1, default: 3", true, "v2")).toEqual({ type: "integer", format: "int32", minimum: 1 })
  expect(published('type: "[]string", maxItems: 3', true, "v2")).toEqual({ type: "array", items: { type: "string" }, maxItems: 3 })
})

test("a field that a rule of defaults sets, and the status of a kind, are not required", () => {
  const definitions = definitionsWith(
    `
    name: {type: string, number: 1, nonEmpty: true, doc: Set by a rule.}
    label: {type: string, number: 2, nonEmpty: true, doc: Set by its author.}
    `.trim(),
    true,
    "v3",
    "  CupStatus: {doc: What a cup is., fields: {phase: {type: string, required: true, doc: How it is.}}}",
  )
  expect(at(definitions, "com.example.kitchen.v1.CupSpec", "required")).toEqual(["label"])
  expect(at(definitions, "com.example.kitchen.v1.Cup", "required")).toEqual(["spec"])
})

test("without limits only words are published", () => {
  expect(published("type: int32, minimum: 1, maximum: 9", false)).toEqual({ type: "integer", format: "int32" })
  expect(published("type: string, nonEmpty: true, enum: [b, a]", false)).toEqual({ type: "string", enum: ["a", "b"] })
  expect(published('type: "[]string", unique: true, items: {enum: [b, a], maxLength: 3}', false)).toEqual({
    type: "array",
    items: { type: "string", enum: ["a", "b"], default: "" },
  })
})

test("without limits defaults are zero values, but for keys of lists", () => {
  expect(published("type: string, default: a", false)).toEqual({ type: "string" })
  expect(published("type: int32, default: 3, keepEmpty: true", false)).toEqual({ type: "integer", format: "int32", default: 0 })
  expect(published("type: int32, default: 3, pointer: true", false)).toEqual({ type: "integer", format: "int32" })
  expect(published("type: string, required: published, enum: [a]", false)).toMatchObject({ enum: ["a"], default: "" })
  const definitions = definitionsWith('a: {type: "[]Side", listType: map, mapKeys: [side], doc: Its sides.}', false)
  expect(at(definitions, "com.example.kitchen.v1.Side", "properties", "side", "default")).toBe("left")
})

test("documents name other values than those that are accepted", () => {
  for (const limited of [true, false]) {
    expect(published("type: string, enum: [b, a], publishedEnum: [c, a]", limited)).toMatchObject({ enum: ["a", "c"] })
    expect(published("type: string, enum: [b, a], publishedEnum: []", limited)).toEqual({ type: "string" })
    expect(published('type: "[]string", items: {publishedEnum: [a]}', limited)).toMatchObject({ items: { enum: ["a"] } })
  }
})

test("limits are published by type", () => {
  const definitions = definitionsWith("it: {type: int32, number: 1, maximum: 3, doc: The field.}", true)
  expect(at(definitions, "com.example.kitchen.v1.CupSpec", "properties", "it", "maximum")).toBe(3)
  expect(at(definitions, "io.orch.apimachinery.pkg.apis.meta.v1.ObjectMeta", "properties", "name")).toEqual({
    description: "Names the object.",
    type: "string",
  })
})

test("the text of a type leaves out what a field of the type says", () => {
  const definitions = definitionsWith("left: {type: Handle, doc: What the cup is held by. It is on the left.}", true)
  expect(at(definitions, "com.example.kitchen.v1.Handle", "description")).toBeUndefined()
  expect(at(definitions, "com.example.kitchen.v1.CupSpec", "description")).toBe("What a cup should be. Cups are round.")
  const others = definitionsWith('left: {type: "[]Handle", doc: They are on the left.}', true)
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
