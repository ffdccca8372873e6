/** `references` over HTTP: objects that must exist when their name is written, and may be gone later. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import { type JsonAnswer, type OwnServer, ownNamespace, startOwn, valueAt } from "../support/own-kinds.ts"

const kettle = (version: string, more: string): string => `kind: Kettle
group: kitchen.example.com
version: ${version}
doc: A kettle.
scope: Namespaced
names: {plural: kettles}
${more}update: {keeps: [status]}
subresources: {status: {keeps: [spec]}}
fields:
  spec:
    doc: What is wanted.
    fields:
      config: {type: string, references: core/v1 ConfigMap, doc: Its settings.}
      colour: {type: string, doc: How it looks.}
      secret: {type: string, references: {kind: core/v1 Secret, namespace: secretNamespace}, doc: Its key.}
      secretNamespace: {type: string, doc: Where the key is.}
      shelves: {type: "[]string", references: kitchen.example.com/v2 Shelf, doc: Where it may be kept.}
      node: {type: string, nullable: true, references: core/v1 Namespace, doc: Where it is.}
      parts:
        type: "[]fields"
        listType: map
        mapKeys: [name]
        doc: What it is made of.
        fields:
          name: {type: string, required: true, doc: Its name.}
          shelf: {type: string, references: kitchen.example.com/v1 Shelf, doc: Where it is kept.}
  status:
    doc: What was seen.
    fields:
      last: {type: string, references: core/v1 ConfigMap, doc: The settings that are in use.}
      times: {type: int32, doc: How often.}
`
const shelf = (version: string, more: string): string => `kind: Shelf
group: kitchen.example.com
version: ${version}
doc: A shelf.
scope: Cluster
names: {plural: shelves}
${more}fields:
  spec: {doc: What is wanted., fields: {width: {type: int32, doc: How wide.}, above: {type: string, references: kitchen.example.com/v1 Shelf, doc: What it is below of.}}}
`
const space = `/api/v1/namespaces/${ownNamespace}`
const kettles = `/apis/kitchen.example.com/v1/namespaces/${ownNamespace}/kettles`
const shelves = "/apis/kitchen.example.com/v1/shelves"
let server: OwnServer
beforeAll(async () => {
  server = await startOwn({
    "kitchen.example.com/v1/kettle.yaml": kettle("v1", ""),
    "kitchen.example.com/v1beta1/kettle.yaml": kettle("v1beta1", "storage: {sharedWith: kitchen.example.com/v1 Kettle}\n"),
    "kitchen.example.com/v1/shelf.yaml": shelf("v1", ""),
    "kitchen.example.com/v2/shelf.yaml": shelf("v2", "storage: {sharedWith: kitchen.example.com/v1 Shelf}\n"),
  })
  await server.send("POST", "/api/v1/namespaces", { metadata: { name: "cellar" } })
})
beforeEach(async () => {
  for (const path of [kettles, shelves, `${space}/configmaps`, `${space}/secrets`, "/api/v1/namespaces/cellar/secrets"])
    await server.send("DELETE", path)
})
afterAll(() => server.stop())

function object(spec: JsonObject, name = "one", more: JsonObject = {}): JsonObject {
  return { apiVersion: "kitchen.example.com/v1", kind: "Kettle", metadata: { name }, spec, ...more }
}

function config(name: string): Promise<JsonAnswer> {
  return server.send("POST", `${space}/configmaps`, { metadata: { name } })
}

function causesOf({ status, body }: JsonAnswer): JsonValue[] {
  expect(status, JSON.stringify(body)).toBe(422)
  const causes = valueAt(body, "details", "causes")
  return Array.isArray(causes) ? causes : []
}

test("create refuses a missing object by field and name, and accepts it once it exists", async () => {
  const refused = await server.send("POST", kettles, object({ config: "settings" }))
  expect(refused.body).toMatchObject({
    code: 422,
    reason: "Invalid",
    message: 'Kettle.kitchen.example.com "one" is invalid: spec.config: Not found: "settings"',
    details: { causes: [{ reason: "FieldValueNotFound", message: 'Not found: "settings"', field: "spec.config" }] },
  })
  await config("settings")
  expect((await server.send("POST", kettles, object({ config: "settings" }))).status).toBe(201)
})

test("all missing objects are reported together with other failures, items of lists by their index", async () => {
  await server.send("POST", shelves, { metadata: { name: "top" } })
  const spec = { config: "a/b", shelves: ["top", "low", ""], parts: [{ name: "lid", shelf: "top" }, { shelf: "low" }], node: null }
  const causes = causesOf(await server.send("POST", kettles, object(spec)))
  expect(causes.map((cause) => valueAt(cause, "field"))).toEqual([
    "spec.parts[1].name",
    "spec.config",
    "spec.shelves[1]",
    "spec.parts[1].shelf",
  ])
})

test("dry runs look, too, and write nothing", async () => {
  expect(causesOf(await server.send("POST", `${kettles}?dryRun=All`, object({ config: "settings" })))).toHaveLength(1)
  await config("settings")
  expect((await server.send("POST", `${kettles}?dryRun=All`, object({ config: "settings" }))).status).toBe(201)
  expect((await server.send("GET", `${kettles}/one`)).status).toBe(404)
})

test("update, each patch and apply check names that are new or changed", async () => {
  await config("settings")
  await server.send("POST", kettles, object({ config: "settings" }))
  const missing = { spec: { config: "gone" } }
  expect(causesOf(await server.send("PUT", `${kettles}/one`, object(missing.spec)))).toHaveLength(1)
  for (const type of ["application/merge-patch+json", "application/strategic-merge-patch+json"])
    expect(causesOf(await server.send("PATCH", `${kettles}/one`, missing, type))).toHaveLength(1)
  const operations = [{ op: "replace", path: "/spec/config", value: "gone" }]
  expect(causesOf(await server.send("PATCH", `${kettles}/one`, operations, "application/json-patch+json"))).toHaveLength(1)
  for (const name of ["one", "two"]) {
    const path = `${kettles}/${name}?fieldManager=a&force=true`
    expect(causesOf(await server.send("PATCH", path, object(missing.spec, name), "application/apply-patch+yaml"))).toHaveLength(1)
  }
})

test("a reference that stays is not checked again: its object may be gone", async () => {
  await config("settings")
  await server.send("POST", shelves, { metadata: { name: "top" } })
  const spec = { config: "settings", shelves: ["top"], parts: [{ name: "lid", shelf: "top" }] }
  await server.send("POST", kettles, object(spec))
  await server.send("DELETE", `${space}/configmaps/settings`)
  await server.send("DELETE", `${shelves}/top`)
  const parts = [{ name: "foot" }, { name: "lid", shelf: "top" }]
  const kept = await server.send("PUT", `${kettles}/one`, object({ ...spec, parts, colour: "red" }))
  expect(kept.status, JSON.stringify(kept.body)).toBe(200)
  expect(causesOf(await server.send("PUT", `${kettles}/one`, object({ ...spec, shelves: ["top", "low"] })))).toMatchObject([
    { field: "spec.shelves[1]" },
  ])
  expect((await server.send("PUT", `${kettles}/one`, object({}))).status).toBe(200)
  expect(causesOf(await server.send("PUT", `${kettles}/one`, object(spec)))).toHaveLength(3)
  expect((await server.send("DELETE", `${kettles}/one`)).status).toBe(200)
})

test("a sub-resource checks what it writes", async () => {
  await server.send("POST", kettles, object({}))
  const status = (last: string): Promise<JsonAnswer> =>
    server.send("PATCH", `${kettles}/one/status`, { status: { last } }, "application/merge-patch+json")
  expect(causesOf(await status("settings"))).toMatchObject([{ field: "status.last" }])
  await config("settings")
  expect((await status("settings")).status).toBe(200)
})

test("a field may name the namespace; another namespace makes it another reference", async () => {
  await server.send("POST", "/api/v1/namespaces/cellar/secrets", { metadata: { name: "key" } })
  expect(causesOf(await server.send("POST", kettles, object({ secret: "key" })))).toMatchObject([{ field: "spec.secret" }])
  expect((await server.send("POST", kettles, object({ secret: "key", secretNamespace: "cellar" }))).status).toBe(201)
  expect(causesOf(await server.send("PUT", `${kettles}/one`, object({ secret: "key" })))).toMatchObject([{ field: "spec.secret" }])
  expect(causesOf(await server.send("PUT", `${kettles}/one`, object({ secret: "key", secretNamespace: "a/b" })))).toHaveLength(1)
})

test("every version of a kind checks, and finds objects of every version", async () => {
  const beta = `/apis/kitchen.example.com/v1beta1/namespaces/${ownNamespace}/kettles`
  const spec = { shelves: ["top"], parts: [{ name: "lid", shelf: "top" }] }
  expect(causesOf(await server.send("POST", beta, { metadata: { name: "one" }, spec }))).toHaveLength(2)
  await server.send("POST", "/apis/kitchen.example.com/v2/shelves", { metadata: { name: "top" } })
  expect((await server.send("POST", beta, { metadata: { name: "one" }, spec })).status).toBe(201)
})

test("objects of a cluster-wide kind refer to each other; none to itself before it exists", async () => {
  const made = (name: string, above: string): Promise<JsonAnswer> => server.send("POST", shelves, { metadata: { name }, spec: { above } })
  expect(causesOf(await made("top", "top"))).toMatchObject([{ field: "spec.above", message: 'Not found: "top"' }])
  expect((await made("top", "")).status).toBe(201)
  expect((await made("low", "top")).status).toBe(201)
})

test("one write may name 256 other objects", async () => {
  await server.send("POST", shelves, { metadata: { name: "top" } })
  const many = (count: number): Promise<JsonAnswer> =>
    server.send("POST", `${kettles}?dryRun=All`, object({ shelves: Array.from({ length: count }, () => "top") }))
  expect((await many(256)).status).toBe(201)
  expect(causesOf(await many(300))).toMatchObject([
    { reason: "FieldValueForbidden", message: "Forbidden: must name at most 256 other objects in one write", field: "spec.shelves[256]" },
  ])
})
