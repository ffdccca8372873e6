import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { readSchemas } from "../folder.ts"
import { dialect } from "./dialect.ts"
import { dialectSchema } from "./json-schema.ts"

const golden = join(import.meta.dirname, "..", "..", "test", "golden")
const validate = new Ajv2020({ strict: false }).compile(JSON.parse(dialectSchema()))

describe("the schema for editors", () => {
  test("accepts every valid golden case", () => {
    const refused = [...readSchemas(golden)].filter(([path, text]) => path.includes("/schemas/") && !validate(parse(text)))
    expect(refused.map(([path]) => path)).toEqual([])
  })

  test("accepts the example of every keyword's block as YAML", () => {
    const broken = dialect.filter(({ example }) => typeof parse(example) !== "object")
    expect(broken.map(({ word }) => word)).toEqual([])
  })

  test("refuses unknown keys, wrong words and missing keys", () => {
    const kind = { kind: "Cup", group: "a.io", version: "v1", scope: "Cluster", names: { plural: "cups" } }
    expect(validate(kind)).toBe(true)
    expect(validate({ ...kind, scpoe: "Cluster" })).toBe(false)
    expect(validate({ ...kind, scope: "Clustered" })).toBe(false)
    expect(validate({ ...kind, names: {} })).toBe(false)
    expect(validate({ types: { Cup: { fields: { size: { type: "int32", number: "1" } } } } })).toBe(false)
  })
})
