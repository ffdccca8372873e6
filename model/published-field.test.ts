import { expect, test } from "vitest"
import type { JsonValue } from "../runtime/base/json.ts"
import type { FieldModel } from "./model.ts"
import { fieldDoc, mayBeRequired, withNullable } from "./published-field.ts"

const field: FieldModel = {
  name: "use",
  type: { scalar: "string" },
  doc: "What it is for.",
  inline: false,
  pointer: false,
  keepEmpty: false,
  deprecated: false,
  required: false,
  nonEmpty: false,
  unique: [],
  immutable: false,
}

test("the doc of a field without docs of values is its own", () => {
  expect(fieldDoc({ ...field, enum: ["Tea", "Coffee"] })).toBe("What it is for.")
})

test("the docs of values follow, sorted, also those of items, values and keys at any depth", () => {
  const limits = { enum: ["Tea", "Coffee"], enumDocs: ["Leaves.", "Beans."] }
  const values = '\n\nPossible enum values:\n - `"Coffee"`: Beans.\n - `"Tea"`: Leaves.'
  expect(fieldDoc({ ...field, ...limits })).toBe(`What it is for.${values}`)
  expect(fieldDoc({ ...field, items: { maxLength: 9, items: limits } })).toBe(`What it is for.${values}`)
  expect(fieldDoc({ ...field, keys: limits, values: { enum: [1], enumDocs: ["One."] } })).toBe(
    `What it is for.\n\nPossible enum values:\n - \`1\`: One.\n\n${values.trim().replace("enum values", "keys")}`,
  )
})

test("a default follows the doc that does not name it", () => {
  const ofDefault = (doc: string, value: JsonValue): string => fieldDoc({ ...field, doc, default: value })
  expect(ofDefault("What it is for.", "Tea")).toBe("What it is for. Default: `Tea`.")
  expect(ofDefault("Degrees, 100 at most.", 10)).toBe("Degrees, 100 at most. Default: `10`.")
  expect(ofDefault("Whether it is hot.", false)).toBe("Whether it is hot. Default: `false`.")
  for (const [doc, value] of [
    ["`Tea` unless it is late.", "Tea"],
    ["Degrees; 10 by default.", 10],
    ["What.", ""],
    ["What.", {}],
  ] as const)
    expect(ofDefault(doc, value)).toBe(doc)
  expect(fieldDoc({ ...field, default: "Tea", enum: ["Tea"], enumDocs: ["Leaves."] })).toMatch(
    /^What it is for\. Default: `Tea`\.\n\nPossible/,
  )
})

test("a nullable field is nullable in version 3 and without a type in version 2, where it is not required", () => {
  const nullable: FieldModel = { ...field, nullable: true }
  const schema = { description: "What.", type: "array", items: { type: "string" } }
  expect(withNullable(field, schema, "v3")).toBe(schema)
  expect(withNullable(nullable, schema, "v3")).toEqual({ ...schema, nullable: true })
  expect(withNullable(nullable, schema, "v2")).toEqual({ description: "What." })
  expect(withNullable(nullable, { $ref: "#/definitions/A", enum: ["a"] }, "v2")).toEqual({ enum: ["a", null] })
  expect([mayBeRequired(nullable, "v2"), mayBeRequired(nullable, "v3"), mayBeRequired(field, "v2")]).toEqual([false, true, true])
})
