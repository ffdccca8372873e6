/** `nullable` over HTTP: null is kept, absent is absent, and a default applies to absent alone. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest"
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import { type JsonAnswer, type OwnProject, ownNamespace, startOwn, valueAt } from "../support/own-kinds.ts"

const schema = `kind: Order
group: kitchen.example.com
version: v1
doc: An order.
scope: Namespaced
names: {plural: orders}
update: {generation: [spec]}
fields:
  spec:
    doc: What is wanted.
    fields:
      size: {type: int32, nullable: true, minimum: 1, doc: How many.}
      use: {type: string, nullable: true, enum: [Tea, Coffee], default: Tea, doc: What for.}
      table: {type: string, nullable: true, required: true, doc: Where to.}
      tags: {type: "[]string", nullable: true, doc: Words.}
      labels: {type: map<string>, nullable: true, doc: Pairs.}
      plain: {type: string, default: given, doc: Not nullable.}
      extra:
        nullable: true
        doc: More of it.
        fields:
          sugar: {type: boolean, pointer: true, default: true, doc: Whether it is sweet.}
          milk: {type: Quantity, nullable: true, doc: How much milk.}
      items:
        type: "[]fields"
        listType: map
        mapKeys: [name]
        doc: Parts of it.
        fields:
          name: {type: string, required: true, doc: Its name.}
          count: {type: int32, nullable: true, doc: How many.}
    rules:
      - {rule: "!has(size) || size < 100", at: size, message: must be below 100}
`
/** The rows of the table "Absent, zero and null" of docs/DIALECT.md. */
const states = `kind: State
group: kitchen.example.com
version: v1
doc: Every state of a field.
scope: Namespaced
names: {plural: states}
fields:
  spec:
    doc: What is wanted.
    fields:
      plain: {type: int32, doc: Without a word.}
      filled: {type: int32, default: 7, zero: absent, doc: With a default.}
      pointer: {type: int32, pointer: true, doc: A pointer.}
      both: {type: int32, pointer: true, default: 7, doc: A pointer with a default.}
      nullable: {type: int32, nullable: true, doc: Nullable.}
      all: {type: int32, nullable: true, default: 7, doc: Nullable with a default.}
`
const path = "/apis/kitchen.example.com/v1/namespaces/kitchen/orders"
const statesPath = path.replace("orders", "states")
let server: OwnProject
beforeAll(async () => {
  server = await startOwn({ "kitchen.example.com/v1/order.yaml": schema, "kitchen.example.com/v1/state.yaml": states })
})
afterEach(() => server.send("DELETE", path))
afterAll(() => server.stop())

function order(spec: JsonObject, name = "one"): JsonObject {
  return { apiVersion: "kitchen.example.com/v1", kind: "Order", metadata: { name, namespace: ownNamespace }, spec }
}

function specOf({ status, body }: JsonAnswer, expected = 200): unknown {
  expect(status, JSON.stringify(body)).toBe(expected)
  return body["spec"]
}

test("null is kept where the schema says nullable, in every field type, in JSON and in YAML", async () => {
  const spec = { size: null, use: null, table: null, tags: null, labels: null, extra: null, items: [{ name: "a", count: null }] }
  const made = specOf(await server.send("POST", path, order({ ...spec, plain: null })), 201)
  expect(made).toEqual({ ...spec, plain: "given" })
  expect(specOf(await server.send("GET", `${path}/one`))).toEqual(made)
  const list = await server.send("GET", path)
  expect(list.body["items"]).toMatchObject([{ spec: made }])
  const yaml = "{apiVersion: kitchen.example.com/v1, kind: Order, metadata: {name: two}, spec: {table: ~, size: null, extra: {milk: null}}}"
  expect(specOf(await server.send("POST", path, yaml), 201)).toEqual({
    table: null,
    size: null,
    extra: { milk: null, sugar: true },
    use: "Tea",
    plain: "given",
  })
})

test("absent is not null: it gets the default, and a required field may be null but not absent", async () => {
  expect(specOf(await server.send("POST", path, order({ table: "a", extra: {}, size: 2, tags: [] })), 201)).toEqual({
    table: "a",
    extra: { sugar: true },
    size: 2,
    tags: [],
    use: "Tea",
    plain: "given",
  })
  const missing = await server.send("POST", path, order({}, "two"))
  expect([missing.status, missing.body["message"]]).toEqual([422, 'Order.kitchen.example.com "two" is invalid: spec.table: Required value'])
})

test("absent, zero and null, with and without a default", async () => {
  const names = ["plain", "filled", "pointer", "both", "nullable", "all"]
  const sent = (value: JsonValue): JsonObject => ({
    metadata: { name: "one" },
    spec: Object.fromEntries(names.map((name) => [name, value])),
  })
  const kept = async (body: JsonObject): Promise<unknown> => specOf(await server.send("POST", `${statesPath}?dryRun=All`, body), 201)
  expect(await kept({ metadata: { name: "one" }, spec: {} })).toEqual({ filled: 7, both: 7, all: 7 })
  expect(await kept(sent(0))).toEqual({ filled: 7, pointer: 0, both: 0, nullable: 0, all: 0 })
  expect(await kept(sent(null))).toEqual({ filled: 7, both: 7, nullable: null, all: null })
})

test("limits and rules hold for values, not for null", async () => {
  const refused = await server.send("POST", path, order({ table: "a", size: 0, use: "Water" }))
  expect(refused.body["details"]).toMatchObject({ causes: [{ field: "spec.size" }, { field: "spec.use" }] })
  expect((await server.send("POST", path, order({ table: "a", size: 200 }))).status).toBe(422)
  expect((await server.send("POST", path, order({ table: "a", size: null }))).status).toBe(201)
})

test("a null in a merge patch removes the field; a JSON patch sets it to null", async () => {
  await server.send("POST", path, order({ table: "a", size: 5, use: null }))
  for (const type of ["application/merge-patch+json", "application/strategic-merge-patch+json"]) {
    await server.send("PATCH", `${path}/one`, { spec: { size: 5 } }, type)
    const patched = await server.send("PATCH", `${path}/one`, { spec: { size: null } }, type)
    expect(specOf(patched)).toEqual({ table: "a", use: null, plain: "given" })
  }
  const operations = [
    { op: "add", path: "/spec/size", value: null },
    { op: "test", path: "/spec/use", value: null },
  ]
  const patched = await server.send("PATCH", `${path}/one`, operations, "application/json-patch+json")
  expect(specOf(patched)).toEqual({ table: "a", use: null, size: null, plain: "given" })
  expect(patched.body["metadata"]).toMatchObject({ generation: 5 })
})

test("an update from a value to null and back is a change; the same null is none", async () => {
  const made = await server.send("POST", path, order({ table: "a", size: 5 }))
  const toNull = await server.send("PUT", `${path}/one`, order({ table: "a", size: null }))
  expect(specOf(toNull)).toMatchObject({ size: null })
  const again = await server.send("PUT", `${path}/one`, order({ table: "a", size: null }))
  const version = ({ body }: JsonAnswer): unknown => valueAt(body, "metadata", "resourceVersion")
  expect(version(toNull)).not.toBe(version(made))
  expect(version(again)).toBe(version(toNull))
})

test("apply sets null, owns it, conflicts over it, and removes it when it is applied no more", async () => {
  const apply = (manager: string, spec: JsonObject, force = false): Promise<JsonAnswer> =>
    server.send("PATCH", `${path}/one?fieldManager=${manager}${force ? "&force=true" : ""}`, order(spec), "application/apply-patch+yaml")
  expect(specOf(await apply("first", { table: null, size: null, items: [{ name: "a", count: null }] }), 201)).toEqual({
    table: null,
    size: null,
    items: [{ name: "a", count: null }],
    use: "Tea",
    plain: "given",
  })
  expect((await apply("second", { table: "b" })).status).toBe(409)
  expect(specOf(await apply("second", { table: "b" }, true))).toMatchObject({ table: "b", size: null })
  expect(specOf(await apply("first", { items: [{ name: "a" }] }))).toEqual({
    table: "b",
    items: [{ name: "a" }],
    use: "Tea",
    plain: "given",
  })
})

test("a watch shows null", async () => {
  const made = await server.send("POST", path, order({ table: null }))
  const from = valueAt(made.body, "metadata", "resourceVersion")
  await server.send("PUT", `${path}/one`, order({ table: null, size: null }))
  const event = await server.send("GET", `${path}?watch=true&resourceVersion=${from}&timeoutSeconds=1`)
  expect(event.body).toMatchObject({ object: { spec: { table: null, size: null } } })
})

test("it is the same after a restart, in every encoding of the store", async () => {
  for (const media of ["application/vnd.orch.protobuf", "application/json", "application/yaml"] as const) {
    const data = mkdtempSync(join(tmpdir(), "own-store-"))
    onTestFinished(() => rmSync(data, { recursive: true }))
    const options = { "data-dir": data, "storage-media-type": media }
    const before = await server.start(options)
    const spec = specOf(await before.send("POST", path, order({ table: null, size: null, extra: { milk: null } })), 201)
    await before.stop()
    const after = await server.start(options)
    const kept = specOf(await after.send("GET", `${path}/one`))
    await after.stop()
    expect([spec, kept], media).toEqual([
      { table: null, size: null, extra: { sugar: true, milk: null }, use: "Tea", plain: "given" },
      { table: null, size: null, extra: { sugar: true, milk: null }, use: "Tea", plain: "given" },
    ])
  }
})

test("OpenAPI 3 says nullable, with null among the words of an enum; OpenAPI 2 has no type there", async () => {
  const v3 = await server.send("GET", "/openapi/v3/apis/kitchen.example.com/v1")
  const spec3 = definitionOf(valueAt(v3.body, "components", "schemas"))
  expect(spec3).toMatchObject({
    required: ["table"],
    properties: {
      size: { type: "integer", nullable: true },
      use: { type: "string", enum: ["Coffee", "Tea", null], nullable: true, default: "Tea" },
      extra: { nullable: true },
    },
  })
  const v2 = await server.send("GET", "/openapi/v2")
  const spec2 = definitionOf(valueAt(v2.body, "definitions"))
  expect(spec2).not.toHaveProperty("required")
  expect(Object.keys(Object(valueAt(spec2, "properties", "size")))).not.toContain("type")
  expect(Object.keys(Object(valueAt(spec2, "properties", "extra")))).toEqual(["description"])
})

function definitionOf(definitions: JsonValue | undefined): JsonValue | undefined {
  return Object.entries(isObject(definitions) ? definitions : {}).find(([name]) => name.endsWith(".OrderSpec"))?.[1]
}
