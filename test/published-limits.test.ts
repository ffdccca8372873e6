/**
 * The OpenAPI document of a kind is true: the server accepts a body exactly when the published schema does, and its
 * answers keep the schema. The kind is the one for which others generate clients, with every limit.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { readSchemas } from "../codegen/folder.ts"
import { generate } from "../codegen/generate.ts"
import { isObject, type JsonObject, type JsonValue } from "../runtime/base/json.ts"
import { type LibraryServer, startServer } from "../runtime/library.ts"
import { createHttpClient, type HttpClient } from "./support/http-client.ts"

const repository = join(import.meta.dirname, "..")
const cups = "/apis/kitchen.example.com/v1/namespaces/default/cups"
const cup = "com.example.kitchen.v1.Cup"

let folder: string
let server: LibraryServer
let client: HttpClient
let isPublished: ValidateFunction

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "published-limits-"))
  const schemas = readSchemas(join(repository, "test", "real-clients", "openapi", "schemas"))
  const { files, diagnostics } = await generate(schemas, { library: readSchemas(join(repository, "schemas")) })
  expect(diagnostics).toEqual([])
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  server = await startServer({ vendor: "kubernetes", api: [folder] })
  client = createHttpClient({ protocol: "http2", port: Number(new URL(server.url).port), authority: server.caPem })
  const document = await send("GET", "/openapi/v3/apis/kitchen.example.com/v1")
  const schemasByName = isObject(document.body) && isObject(document.body.components) ? document.body.components.schemas : undefined
  const ajv = new Ajv2020({ strict: false, validateFormats: false, multipleOfPrecision: 9, allErrors: true })
  isPublished = ajv.compile({ components: { schemas: jsonSchema(schemasByName ?? {}) }, $ref: `#/components/schemas/${cup}` })
})
afterAll(async () => {
  client.close()
  await server.stop()
  await rm(folder, { recursive: true })
})

async function send(method: string, path: string, body?: JsonObject): Promise<{ status: number; body: JsonValue }> {
  const headers = { authorization: `Bearer ${server.token}`, accept: "application/json", "content-type": "application/json" }
  const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }
  const answer = await client.send({ method, path, headers, ...sent })
  return { status: answer.status, body: JSON.parse(answer.body.toString()) }
}

/** The words of OpenAPI 3.0 that JSON Schema has in another form. */
function jsonSchema(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(jsonSchema)
  if (!isObject(schema)) return schema
  const { nullable, exclusiveMinimum, exclusiveMaximum, minimum, maximum, ...rest } = schema
  const plain = {
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, jsonSchema(value ?? null)])),
    ...(minimum !== undefined && { [exclusiveMinimum === true ? "exclusiveMinimum" : "minimum"]: jsonSchema(minimum) }),
    ...(maximum !== undefined && { [exclusiveMaximum === true ? "exclusiveMaximum" : "maximum"]: jsonSchema(maximum) }),
  }
  return nullable === true ? { anyOf: [{ type: "null" }, plain] } : plain
}

/**
 * Values within and beyond the limits of each field, but no empty values where these count as absent, and no values
 * against constraints that OpenAPI cannot state: formats, keys and rules.
 */
const values: Readonly<Record<string, readonly JsonValue[]>> = {
  litres: [-1, 1, 20, 21],
  weight: [-0.5, 0, 1e9],
  mode: ["Manual", "Other"],
  label: ["tea", "a".repeat(63), "a".repeat(64)],
  colour: ["#00ff00", "red"],
  port: [0, 1, 65535, 65536],
  tags: [["a", "a"], ["a", "b"], ["x".repeat(21)], ["a", "b", "c", "d", "e", "f"]],
  notes: [{ a: "b" }, { a: "x".repeat(100) }, Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`k${at}`, "v"]))],
  handles: [
    [],
    [{ name: "left" }],
    [{}],
    [{ name: "x".repeat(11) }],
    [{ name: "left", next: { name: "right" } }],
    [{ name: "left", next: {} }],
  ],
  size: ["Small", "Huge"],
  state: ["", "Full", "Gone"],
  share: [-1, 0, 0.5, 1],
  price: [0, 0.01, 4.35, 1.005],
  slot: [0, "upper"],
  shelf: [0, 1, "top"],
  grid: [[[1, 2], [3]], [[0]], [[1, 2, 3, 4]], [[1], [1], [1], [1], [1]]],
  words: [{ a: { b: "no" } }, { a: { b: "n" } }, { a: { b: "no", c: "no", d: "no" } }],
  grip: [{ name: "left" }, {}],
  deadline: [null, "2024-01-01T00:00:00Z"],
  seal: [null, "Red", "Green"],
  stack: [{ height: 1 }, { height: -1 }, {}],
}

const anySpec = fc.record(Object.fromEntries(Object.entries(values).map(([name, some]) => [name, fc.constantFrom(...some)])), {
  requiredKeys: [],
})
/** Valid specs with one to three fields replaced from a drawn spec. */
const specs = fc.tuple(anySpec, fc.subarray([...Object.keys(values)], { minLength: 1, maxLength: 3 })).map(([drawn, names]) => {
  const valid: JsonObject = { litres: 1, label: "tea", handles: [{ name: "left" }], wishes: [] }
  for (const name of names) valid[name] = drawn[name]
  return valid
})

function cupOf(spec: JsonObject): JsonObject {
  const present = Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined))
  return { apiVersion: "kitchen.example.com/v1", kind: "Cup", metadata: { generateName: "cup-" }, spec: present }
}

test("the server accepts a body exactly when the published schema does, and its answer keeps the schema", { timeout: 60_000 }, async () => {
  const seen = new Set<boolean>()
  await fc.assert(
    fc.asyncProperty(specs, async (spec) => {
      const body = cupOf(spec)
      const expected = isPublished(body)
      const faults = JSON.stringify(isPublished.errors)
      const answer = await send("POST", `${cups}?dryRun=All`, body)
      seen.add(expected)
      expect(answer.status, `${faults} ${JSON.stringify(answer.body)}`).toBe(expected ? 201 : 422)
      if (expected) expect(isPublished(answer.body), JSON.stringify(isPublished.errors)).toBe(true)
    }),
    { numRuns: 500 },
  )
  expect(seen.size).toBe(2)
})

test("what the server fills in keeps the schema", async () => {
  const answer = await send("POST", cups, cupOf({ litres: 1, label: "tea", handles: [{ name: "left" }] }))
  expect(answer).toMatchObject({ status: 201, body: { spec: { mode: "Manual", state: "", wishes: null } } })
  expect(isPublished(answer.body), JSON.stringify(isPublished.errors)).toBe(true)
})
