import { Validator } from "@seriousme/openapi-schema-validator"
import type { JsonObject } from "../../runtime/base/json.ts"
import { expect, test } from "vitest"
import { kettleModel } from "../../codegen/emit/testing/kettle.ts"
import { allDocuments } from "./documents.ts"
import { plainDocument } from "./plain.ts"

const { kinds, types } = kettleModel()
const documents = allDocuments({ kinds, known: kinds, types, publishesLimits: () => true, hasCompactForm: () => true })

const reference = { $ref: "#/components/schemas/Part" }

test("a reference has no siblings", () => {
  const schemas = {
    Thing: {
      type: "object",
      properties: {
        part: { description: "A part.", default: {}, allOf: [reference] },
        parts: { type: "array", items: { default: {}, allOf: [reference] }, maxItems: 3, "x-orch-list-type": "set" },
        byName: { type: "object", additionalProperties: { default: {}, allOf: [reference] } },
      },
    },
  }
  expect(plainDocument({ components: { schemas } })).toEqual({
    components: {
      schemas: {
        Thing: {
          type: "object",
          properties: {
            part: reference,
            parts: { type: "array", items: reference, maxItems: 3 },
            byName: { type: "object", additionalProperties: reference },
          },
        },
      },
    },
  })
  expect(
    plainDocument({ definitions: { Thing: { properties: { part: { description: "A part.", $ref: "#/definitions/Part" } } } } }),
  ).toEqual({
    definitions: { Thing: { properties: { part: { $ref: "#/definitions/Part" } } } },
  })
})

test("fields may have the names of keywords", () => {
  const schema = {
    type: "object",
    required: ["default"],
    properties: {
      default: { type: "string", default: "a" },
      allOf: { type: "array", items: { type: "string" } },
      "x-orch-a": { type: "string", enum: ["x-orch-a"] },
      properties: { type: "object", additionalProperties: { type: "string" } },
    },
  }
  expect(plainDocument({ components: { schemas: { Thing: schema } } })).toEqual({ components: { schemas: { Thing: schema } } })
})

test("a value of several types has none", () => {
  const plain = { description: "A port." }
  const schemas = { Port: { ...plain, format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] } }
  expect(plainDocument({ components: { schemas } })).toEqual({ components: { schemas: { Port: plain } } })
  expect(plainDocument({ definitions: { Port: { ...plain, type: "string", format: "int-or-string" } } })).toEqual({
    definitions: { Port: plain },
  })
})

test("bodies and answers have one media type", () => {
  const content = (...media: string[]): JsonObject => ({
    content: Object.fromEntries(media.map((one) => [one, { schema: { ...reference } }])),
  })
  const operation = (body: JsonObject, answer: JsonObject): JsonObject => ({
    "/things": { put: { requestBody: body, responses: { 200: answer } } },
  })
  const plain = (body: JsonObject, answer: JsonObject): JsonObject => plainDocument({ paths: operation(body, answer) })
  expect(plain(content("application/json", "application/yaml"), content("application/json", "application/json;stream=watch"))).toEqual({
    paths: operation(content("application/json"), content("application/json")),
  })
  expect(plain(content("application/apply-patch+yaml", "application/merge-patch+json"), content("text/plain", "application/json"))).toEqual(
    { paths: operation(content("application/merge-patch+json"), content("text/plain")) },
  )
  expect(plain({}, content("*/*"))).toEqual({ paths: operation({}, content("text/plain")) })
  expect(plainDocument({ paths: { "/things": { get: { consumes: ["*/*"], produces: ["*/*"] } } } })).toEqual({
    paths: { "/things": { get: { consumes: ["application/json"], produces: ["text/plain"] } } },
  })
})

test("plain documents are valid, and hold neither extensions, nor allOf, nor defaults that are objects", async () => {
  for (const [path, document] of documents) {
    const plain = plainDocument(document)
    expect(await new Validator().validate(structuredClone(plain)), path).toMatchObject({ valid: true })
    expect(JSON.stringify(plain), path).not.toMatch(/"x-|"allOf"|"default":[{[]|"\$ref":"[^"]*",|,"\$ref"/)
    expect(Object.keys(plain["paths"] ?? {})).toEqual(Object.keys(document["paths"] ?? {}))
  }
})
