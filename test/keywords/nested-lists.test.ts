/** Lists of lists, and maps of lists and maps, over HTTP; documented enums of their items in OpenAPI. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest"
import { isObject, type JsonObject, type JsonValue } from "../../runtime/base/json.ts"
import { type JsonAnswer, type OwnProject, ownNamespace, startOwn, valueAt } from "../support/own-kinds.ts"

const schema = `kind: Board
group: kitchen.example.com
version: v1
doc: A board of words.
scope: Namespaced
names: {plural: boards}
columns:
  - {name: Rows, type: integer, value: size(spec.rows)}
  - {name: First, type: string, value: "join(spec.rows[0], ' ')"}
fields:
  spec:
    doc: What is on it.
    fields:
      rows: {type: "[][]string", maxItems: 3, items: {maxItems: 2, items: {enum: {Tea: Leaves in hot water., Ale: Malt and hops.}}}, doc: Rows of words.}
      deep: {type: "[][][]int32", items: {items: {items: {minimum: 1}}}, doc: A box of numbers.}
      groups: {type: "map<[]string>", values: {minItems: 1, items: {maxLength: 3}}, doc: Words by name.}
      tables: {type: "map<map<int32>>", values: {keys: {maxLength: 2}, values: {maximum: 9}}, doc: Numbers by two names.}
      cells: {type: "[][]Cell", doc: Rows of cells.}
      lists: {type: "map<[]Cell>", doc: Cells by name.}
    rules:
      - {rule: "rows.all(row, row.size() > 0)", at: rows, message: must not have empty rows}
      - {rule: "cells.all(row, row.exists(cell, cell.name != 'x'))", at: cells, message: must have another cell than x}
types:
  Cell:
    doc: A cell.
    fields:
      name: {type: string, required: true, maxLength: 5, doc: Its name.}
      size: {type: int32, default: 7, doc: Its size.}
`
const path = `/apis/kitchen.example.com/v1/namespaces/${ownNamespace}/boards`
let server: OwnProject
beforeAll(async () => {
  server = await startOwn({ "kitchen.example.com/v1/board.yaml": schema })
})
afterEach(() => server.send("DELETE", path))
afterAll(() => server.stop())

function board(spec: JsonObject, name = "one"): JsonObject {
  return { apiVersion: "kitchen.example.com/v1", kind: "Board", metadata: { name }, spec }
}

function specOf({ status, body }: JsonAnswer, expected = 200): unknown {
  expect(status, JSON.stringify(body)).toBe(expected)
  return body["spec"]
}

const full: JsonObject = {
  rows: [["Tea"], ["Ale", "Tea"]],
  deep: [[[1, 2], [3]], []],
  groups: { a: ["x", "y"] },
  tables: { a: { b: 1 } },
  cells: [[{ name: "a", size: 7 }], [{ name: "b", size: 2 }]],
  lists: { a: [{ name: "c", size: 7 }] },
}

test("they are kept by create, get, list, table and watch, with the defaults of the structs in them", async () => {
  const sent = { ...full, cells: [[{ name: "a" }], [{ name: "b", size: 2 }]], lists: { a: [{ name: "c" }] } }
  const made = await server.send("POST", path, board(sent))
  expect(specOf(made, 201)).toEqual(full)
  expect(specOf(await server.send("GET", `${path}/one`))).toEqual(full)
  expect((await server.send("GET", path)).body["items"]).toMatchObject([{ spec: full }])
  await server.send("PUT", `${path}/one`, board({ rows: [["Ale"]] }))
  const from = valueAt(made.body, "metadata", "resourceVersion")
  const event = await server.send("GET", `${path}?watch=true&resourceVersion=${from}&timeoutSeconds=1`)
  expect(valueAt(event.body, "object", "spec")).toEqual({ rows: [["Ale"]] })
})

test("a null in a list of lists or maps is the empty one, so that no item is null", async () => {
  const spec = { deep: [null, [null, [1]]], groups: { a: null }, tables: { a: null }, rows: [] }
  const made = await server.send("POST", path, board({ ...spec, groups: {} }))
  expect(specOf(made, 201)).toEqual({ deep: [[], [[], [1]]], tables: { a: {} } })
})

test("limits hold at each depth, and name the item", async () => {
  const spec = {
    rows: [
      ["Tea", "Milk"],
      ["Tea", "Tea", "Tea"],
    ],
    deep: [[[1, 0]]],
    groups: { a: ["long"], b: [] },
    tables: { a: { long: 1, b: 10 } },
    cells: [[{ name: "a" }, {}], [{ name: "toolong" }]],
    lists: { a: [{}] },
  }
  const { status, body } = await server.send("POST", path, board(spec))
  const causes = valueAt(body, "details", "causes")
  expect([status, Array.isArray(causes) && causes.map((cause) => valueAt(cause, "field"))]).toEqual([
    422,
    [
      "spec.rows[0][1]",
      "spec.rows[1]",
      "spec.deep[0][0][1]",
      "spec.groups[a][0]",
      "spec.groups[b]",
      "spec.tables[a][long]",
      "spec.tables[a][b]",
      "spec.cells[0][1].name",
      "spec.cells[1][0].name",
      "spec.lists[a][0].name",
    ],
  ])
})

test("a value of another depth is refused with its path", async () => {
  const flat = await server.send("POST", path, board({ rows: ["Tea"] }))
  expect([flat.status, flat.body["message"]]).toEqual([400, expect.stringContaining("spec.rows[0] of type []string")])
  const deep = await server.send("POST", path, board({ groups: { a: [["x"]] } }))
  expect([deep.status, deep.body["message"]]).toEqual([400, expect.stringContaining("spec.groups.a[0] of type string")])
})

test("rules and columns read them", async () => {
  expect((await server.send("POST", path, board({ rows: [["Tea"], []] }))).body["message"]).toContain("must not have empty rows")
  expect((await server.send("POST", path, board({ cells: [[{ name: "x" }]] }))).body["message"]).toContain("must have another cell than x")
  await server.send("POST", path, board({ rows: [["Ale", "Tea"], ["Tea"]] }))
  const table = await server.send("GET", path, undefined, undefined, "application/json;as=Table;g=meta.orch.io;v=v1")
  expect(valueAt(table.body, "rows")).toMatchObject([{ cells: [2, "Ale Tea"] }])
})

test("patches replace a list of lists as a whole, and a JSON patch reaches into it", async () => {
  await server.send("POST", path, board(full))
  for (const type of ["application/merge-patch+json", "application/strategic-merge-patch+json"]) {
    const patched = await server.send("PATCH", `${path}/one`, { spec: { rows: [["Ale"]], groups: { b: ["z"] } } }, type)
    expect(specOf(patched)).toMatchObject({ rows: [["Ale"]], groups: { a: ["x", "y"], b: ["z"] } })
  }
  const operations = [{ op: "add", path: "/spec/rows/0/0", value: "Tea" }]
  const patched = await server.send("PATCH", `${path}/one`, operations, "application/json-patch+json")
  expect(specOf(patched)).toMatchObject({ rows: [["Tea", "Ale"]] })
})

test("apply owns a list of lists as a whole, and the entries of a map of lists one by one", async () => {
  const apply = (manager: string, spec: JsonObject): Promise<JsonAnswer> =>
    server.send("PATCH", `${path}/one?fieldManager=${manager}`, board(spec), "application/apply-patch+yaml")
  specOf(await apply("first", { rows: [["Tea"]], groups: { a: ["x"] }, tables: { a: { b: 1 } } }), 201)
  const second = await apply("second", { groups: { b: ["y"] }, tables: { a: { c: 2 } } })
  expect(specOf(second)).toEqual({ rows: [["Tea"]], groups: { a: ["x"], b: ["y"] }, tables: { a: { b: 1, c: 2 } } })
  expect((await apply("second", { rows: [["Ale"]] })).status).toBe(409)
  expect((await apply("second", { groups: { a: ["z"] } })).status).toBe(409)
  expect(specOf(await apply("first", { groups: {} }))).toEqual({ groups: { b: ["y"] }, tables: { a: { c: 2 } } })
})

test("it is the same after a restart, in every encoding of the store", async () => {
  for (const media of ["application/vnd.orch.protobuf", "application/json", "application/yaml"] as const) {
    const data = mkdtempSync(join(tmpdir(), "own-store-"))
    onTestFinished(() => rmSync(data, { recursive: true }))
    const options = { "data-dir": data, "storage-media-type": media }
    const before = await server.start(options)
    const spec = specOf(await before.send("POST", path, board(full)), 201)
    await before.stop()
    const after = await server.start(options)
    const kept = specOf(await after.send("GET", `${path}/one`))
    await after.stop()
    expect([spec, kept], media).toEqual([full, full])
  }
})

test("OpenAPI publishes the depth, and the docs of the words inside", async () => {
  const v3 = await server.send("GET", "/openapi/v3/apis/kitchen.example.com/v1")
  const properties = valueAt(definitionOf(valueAt(v3.body, "components", "schemas")), "properties")
  expect(properties).toMatchObject({
    rows: {
      description: 'Rows of words.\n\nPossible enum values:\n - `"Ale"`: Malt and hops.\n - `"Tea"`: Leaves in hot water.',
      type: "array",
      items: { type: "array", items: { type: "string" } },
    },
    deep: { type: "array", items: { type: "array", items: { type: "array", items: { type: "integer" } } } },
    groups: { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
    tables: { type: "object", additionalProperties: { type: "object", additionalProperties: { type: "integer" } } },
  })
})

function definitionOf(definitions: JsonValue | undefined): JsonValue | undefined {
  return Object.entries(isObject(definitions) ? definitions : {}).find(([name]) => name.endsWith(".BoardSpec"))?.[1]
}
