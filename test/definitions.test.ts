/** Definitions in a running server: creation, change and deletion of their kinds. */
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { text as textOf } from "node:stream/consumers"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { startServer } from "../runtime/library.ts"
import type { ApiObject, JsonObject } from "../runtime/base/json.ts"
import type { CollectionPlace, ObjectClient, ObjectPlace } from "../runtime/schema/object-client.ts"
import { createHttpClient, type HttpClient, type OpenAnswer } from "./support/http-client.ts"

const text = { type: "string" }
const kettleSchema: JsonObject = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { litres: { type: "integer", default: 1 }, note: text } },
    status: { type: "object", properties: { hot: { type: "boolean" } } },
  },
}

interface Version {
  readonly name: string
  readonly schema?: JsonObject
  readonly served?: boolean
  readonly storage?: boolean
  readonly subresources?: JsonObject
}

function definition(plural: string, kind: string, versions: readonly Version[] = [{ name: "v1" }], names: JsonObject = {}): ApiObject {
  return {
    apiVersion: "apiextensions.orch.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.kitchen.example.com` },
    spec: {
      group: "kitchen.example.com",
      scope: "Namespaced",
      names: { plural, kind, ...names },
      versions: versions.map(({ name, schema = kettleSchema, served = true, storage = true, subresources }) => ({
        name,
        served,
        storage,
        schema: { openAPIV3Schema: schema },
        ...(subresources !== undefined && { subresources }),
      })),
    },
  }
}

const definitions: CollectionPlace = { group: "apiextensions.orch.io", version: "v1", resource: "customresourcedefinitions", namespace: "" }
const named = (name: string): ObjectPlace => ({ ...definitions, name })
const kettles = (version = "v1"): CollectionPlace => ({ group: "kitchen.example.com", version, resource: "kettles", namespace: "default" })
const kettle = (name: string, version = "v1"): ObjectPlace => ({ ...kettles(version), name })
const kettleObject = (name: string, fields: JsonObject = {}, version = "v1"): ApiObject => ({
  apiVersion: `kitchen.example.com/${version}`,
  kind: "Kettle",
  metadata: { name },
  ...fields,
})

let server: Awaited<ReturnType<typeof startServer>>
let client: ObjectClient

beforeEach(async () => {
  server = await startServer()
  client = server.client
})
afterEach(() => server.stop())

/** Turns of the event loop until a request is answered. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let immediate = setImmediate(function count() {
    turns++
    immediate = setImmediate(count)
  })
  await work()
  clearImmediate(immediate)
  return turns
}

/** Resolves with the definition when it has a condition with this status. */
async function condition(name: string, type: string, status = "True"): Promise<ApiObject> {
  for await (const { object, type: event } of client.watch(definitions)) {
    const { conditions } = (object.status ?? {}) as { conditions?: { type: string; status: string }[] } // As the schema says.
    const found = conditions?.some((one) => one.type === type && one.status === status)
    if (object.metadata?.name === name && event !== "DELETED" && found === true) return object
  }
  throw new Error("the watch has ended")
}

async function gone(name: string): Promise<void> {
  await until(() => client.get(named(name)), isMissing)
}

async function define(one: ApiObject): Promise<void> {
  await client.create(definitions, one)
  await condition(one.metadata?.name ?? "", "Established")
}

/** Repeats a request until the answer is accepted: the table of kinds follows the store a moment later. */
async function until<Result>(ask: () => Promise<Result>, accepts: (result: Result | Error) => boolean): Promise<void> {
  for (;;) {
    const result = await ask().catch((error: Error) => error)
    if (accepts(result)) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function httpClient(): HttpClient {
  const { url, caPem: authority } = server
  const http = createHttpClient({ protocol: "http2", port: Number(new URL(url).port), authority })
  onTestFinished(() => http.close())
  return http
}

async function watchOverHttp(path: string): Promise<OpenAnswer> {
  return httpClient().open({ method: "GET", path, headers: { authorization: `Bearer ${server.token}` } })
}

const isMissing = (result: unknown): boolean => result instanceof Error && "code" in result && result.code === 404

describe("a definition", () => {
  it("is established, and its kind served with defaults and without unknown fields", async () => {
    await define(definition("kettles", "Kettle"))
    const made = await client.create(kettles(), kettleObject("a", { spec: { note: "x", colour: "red" } }))
    expect(made).toMatchObject({ kind: "Kettle", metadata: { generation: 1 }, spec: { note: "x", litres: 1 } })
    expect(made.spec).not.toHaveProperty("colour")
    expect(await client.get(kettle("a"))).toEqual(made)
    await expect(client.create(kettles(), kettleObject("b", { spec: { litres: "many" } }))).rejects.toMatchObject({ code: 422 })
    const patched = await client.patch(kettle("a"), { spec: { litres: 4 } })
    expect(patched.metadata).toMatchObject({ generation: 2 })
    const labelled = await client.patch(kettle("a"), { metadata: { labels: { x: "y" } } })
    expect(labelled.metadata).toMatchObject({ generation: 2, labels: { x: "y" } })
    const applied = await client.apply(kettle("c"), kettleObject("c", { spec: { note: "applied" } }), { fieldManager: "tester" })
    expect(applied).toMatchObject({ spec: { note: "applied", litres: 1 } })
  })

  it("refuses nulls that are applied where its schema allows none", async () => {
    const fields: JsonObject = {
      note: text,
      none: { ...text, nullable: true },
      litres: { type: "integer", default: 1 },
      when: { type: "string", format: "date-time" },
      tags: { type: "object", additionalProperties: text },
    }
    await define(
      definition("kettles", "Kettle", [
        { name: "v1", schema: { type: "object", properties: { spec: { type: "object", properties: fields } } } },
      ]),
    )
    const apply = (spec: JsonObject, fieldManager = "tester"): Promise<ApiObject> =>
      client.apply(kettle("a"), kettleObject("a", { spec }), { fieldManager, force: true })
    const wrong = (field: string): object => ({ code: 422, details: { causes: [{ reason: "FieldValueTypeInvalid", field }] } })
    await expect(apply({ note: null })).rejects.toMatchObject(wrong("spec.note"))
    expect((await apply({ none: null, litres: null })).spec).toEqual({ none: null, litres: 1 })
    await expect(apply({ when: 5 })).rejects.toMatchObject(wrong("spec.when"))
    // A map that another manager still owns becomes null with the removal of its last value, as in the reference.
    await client.update(kettle("a"), { ...(await client.get(kettle("a"))), spec: { tags: { a: "1" } } })
    await apply({ tags: { a: "2" } })
    await expect(apply({})).rejects.toMatchObject(wrong("spec.tags"))
  })

  it("shows the default of a status, which a creation may not set", async () => {
    const status = { type: "object", default: { phase: "New" }, properties: { phase: text } }
    const rules = [{ rule: "!has(self.status)", message: "not before it is read" }]
    const schema = { type: "object", properties: { status }, "x-orch-validations": rules }
    await define(definition("kettles", "Kettle", [{ name: "v1", schema, subresources: { status: {} } }]))
    const made = await client.create(kettles(), kettleObject("a", { status: { phase: "Old" } }))
    expect(made).toMatchObject({ status: { phase: "New" } })
    expect(await client.get(kettle("a"))).toEqual(made)
  })

  it("scales objects that have no replicas yet", async () => {
    const spec = { type: "object", properties: { litres: { type: "integer" }, note: text } }
    const schema = { type: "object", properties: { spec, status: { type: "object", properties: { litres: { type: "integer" } } } } }
    const scale = { specReplicasPath: ".spec.litres", statusReplicasPath: ".status.litres" }
    await define(definition("kettles", "Kettle", [{ name: "v1", schema, subresources: { scale } }]))
    await client.create(kettles(), kettleObject("a"))
    const place = { ...kettle("a"), subresource: "scale" }
    const missing = 'the spec replicas field ".spec.litres"'
    await expect(client.patch(place, { metadata: { labels: { x: "y" } } })).rejects.toMatchObject({
      code: 400,
      message: `${missing} cannot be empty`,
    })
    const negative = { message: "Invalid value: -1: should be a non-negative integer", field: ".spec.litres" }
    await expect(client.patch(place, { spec: { replicas: -1 } })).rejects.toMatchObject({
      code: 422,
      details: { kind: "Kettle", causes: [negative] },
    })
    expect(await client.patch(place, { spec: { replicas: 3 } })).toMatchObject({ kind: "Scale", spec: { replicas: 3 } })
    expect(await client.get(kettle("a"))).toMatchObject({ spec: { litres: 3 } })
  })

  it("lets a manager apply fields that its schema keeps, or has no names for", async () => {
    const item = { type: "object", properties: { name: text } }
    const spec = { type: "object", "x-orch-preserve-unknown-fields": true, properties: { list: { type: "array", items: item } } }
    const open = { type: "object" }
    await define(definition("kettles", "Kettle", [{ name: "v1", schema: { type: "object", properties: { spec, open } } }]))
    const sent = kettleObject("a", { spec: { more: 1, list: [{ name: "x", unknown: 1 }] }, open: { any: 1 } })
    const applied = await client.apply(kettle("a"), sent, { fieldManager: "tester", fieldValidation: "Strict" })
    // Recorded from the reference: the manager owns pruned fields all the same.
    expect(applied).toMatchObject({ spec: { more: 1, list: [{ name: "x" }] }, open: {} })
    expect(applied.metadata?.managedFields?.[0]?.fieldsV1).toEqual({ "f:spec": { "f:more": {}, "f:list": {} }, "f:open": { "f:any": {} } })
  })

  it("has Tables whose rows are a list also when there are none", async () => {
    await define(definition("kettles", "Kettle"))
    const headers = { authorization: `Bearer ${server.token}`, accept: "application/json;as=Table;g=meta.orch.io;v=v1" }
    const { body } = await httpClient().send({ method: "GET", path: "/apis/kitchen.example.com/v1/kettles", headers })
    expect(JSON.parse(body.toString())).toMatchObject({ kind: "Table", rows: [] })
  })

  it("gets the names that nobody has, and others when they are free again", async () => {
    await define(definition("kettles", "Kettle", undefined, { shortNames: ["kt"] }))
    await client.create(definitions, definition("ketchups", "Ketchup", undefined, { shortNames: ["kt"] }))
    const refused = await condition("ketchups.kitchen.example.com", "NamesAccepted", "False")
    expect(refused.status).toMatchObject({ acceptedNames: { plural: "ketchups", kind: "Ketchup" } })
    expect((refused.status as JsonObject).acceptedNames).not.toHaveProperty("shortNames") // It is an object.
    await until(() => client.list({ ...kettles(), resource: "ketchups" }), isMissing)
    await client.delete(named("kettles.kitchen.example.com"))
    const accepted = await condition("ketchups.kitchen.example.com", "Established")
    expect(accepted.status).toMatchObject({ acceptedNames: { shortNames: ["kt"] } })
  })

  it("keeps status and the rest apart with a status sub-resource", async () => {
    await define(definition("kettles", "Kettle", [{ name: "v1", subresources: { status: {} } }]))
    const made = await client.create(kettles(), kettleObject("a", { spec: {}, status: { hot: true } }))
    expect(made).not.toHaveProperty("status")
    const status = await client.update(
      { ...kettle("a"), subresource: "status" },
      { ...made, metadata: { ...made.metadata, labels: { x: "y" } }, spec: { litres: 9 }, status: { hot: true } },
    )
    expect(status).toMatchObject({ spec: { litres: 1 }, status: { hot: true }, metadata: { generation: 1 } })
    expect(status.metadata).not.toHaveProperty("labels")
    const main = await client.update(kettle("a"), { ...status, spec: { litres: 2 }, status: { hot: false } })
    expect(main).toMatchObject({ spec: { litres: 2 }, status: { hot: true }, metadata: { generation: 2 } })
  })

  it("has several versions, of which one is stored", async () => {
    const old = { type: "object", properties: { spec: { type: "object", properties: { note: text } } } }
    await define(definition("kettles", "Kettle", [{ name: "v1" }, { name: "v1beta1", schema: old, storage: false }]))
    await client.create(kettles("v1beta1"), kettleObject("a", { spec: { note: "old" } }, "v1beta1"))
    expect(await client.get(kettle("a"))).toMatchObject({ apiVersion: "kitchen.example.com/v1", spec: { note: "old", litres: 1 } })
    const seen = await client.get(kettle("a", "v1beta1"))
    expect(seen).toMatchObject({ apiVersion: "kitchen.example.com/v1beta1", spec: { note: "old" } })
    expect(seen.spec).not.toHaveProperty("litres")
  })

  it("evaluates costly rules in turns of the event loop", async () => {
    const rule = "self.words.all(a, self.words.all(b, a <= b || b < a))"
    const words = { type: "array", maxItems: 100, items: { type: "string", maxLength: 5 } }
    const item = { type: "object", properties: { words }, "x-orch-validations": [{ rule }] }
    const schema = { type: "object", properties: { items: { type: "array", maxItems: 60, items: item } } }
    await define(definition("kettles", "Kettle", [{ name: "v1", schema }]))
    const created = (name: string, items: JsonObject[]): Promise<number> =>
      turnsOf(() => client.create(kettles(), kettleObject(name, { items })))
    const cheap = await created("cheap", [{ words: ["a"] }])
    const costly = await created("costly", Array(60).fill({ words: Array.from({ length: 100 }, (_, index) => String(index)) }))
    expect(costly - cheap).toBeGreaterThan(8)
  })

  it("counts what defaults add as sent, however the object is written", async () => {
    const item = { type: "object", properties: { note: { type: "string", default: "x".repeat(1000) } } }
    const schema = { type: "object", properties: { items: { type: "array", items: item } } }
    await define(definition("kettles", "Kettle", [{ name: "v1", schema }]))
    const items = Array(300).fill({})
    await client.create(kettles(), kettleObject("small", { items: [] }))
    const small = await turnsOf(() => client.apply(kettle("small"), kettleObject("small", { items: [] }), { fieldManager: "m" }))
    const turns = [
      await turnsOf(() => client.create(kettles(), kettleObject("created", { items }))),
      await turnsOf(() => client.apply(kettle("applied"), kettleObject("applied", { items }), { fieldManager: "m" })),
      await turnsOf(() => client.patch(kettle("small"), [{ op: "add", path: "/items", value: items }])),
    ]
    for (const one of turns) expect(one - small).toBeGreaterThan(4)
  })
})

describe("a definition that changes", () => {
  it("ends watches of its kind without an error, and gives stored objects new defaults", async () => {
    await define(definition("kettles", "Kettle"))
    const { metadata: before } = await client.create(kettles(), kettleObject("a"))
    const watching = await watchOverHttp("/apis/kitchen.example.com/v1/kettles?watch=1")
    const [first] = await once(watching.body, "data")
    await client.patch(named("kettles.kitchen.example.com"), [
      {
        op: "add",
        path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/lid",
        value: { type: "string", default: "blue" },
      },
      { op: "add", path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/default", value: {} },
    ])
    expect(String(first) + (await textOf(watching.body))).toMatch(/^\{"type":"ADDED",[^\n]*\n$/)
    const after = await client.get(kettle("a"))
    expect(after).toMatchObject({ spec: { lid: "blue" }, metadata: { uid: before?.uid, resourceVersion: before?.resourceVersion } })
  })

  it("moves objects to another storage version as they are written", async () => {
    await define(definition("kettles", "Kettle", [{ name: "v1" }, { name: "v2", storage: false }]))
    await client.create(kettles(), kettleObject("a", { spec: { note: "kept" } }))
    await client.patch(named("kettles.kitchen.example.com"), [
      { op: "replace", path: "/spec/versions/0/storage", value: false },
      { op: "replace", path: "/spec/versions/1/storage", value: true },
    ])
    const moved = await client.get(named("kettles.kitchen.example.com"))
    expect(moved.status).toMatchObject({ storedVersions: ["v1", "v2"] })
    for (const version of ["v1", "v2"])
      expect(await client.get(kettle("a", version))).toMatchObject({ apiVersion: `kitchen.example.com/${version}`, spec: { note: "kept" } })
  })

  it("loses no write that it meets", async () => {
    await define(definition("kettles", "Kettle"))
    const count = 60
    const writes = Array.from({ length: count }, (_, index) =>
      client.create(kettles(), kettleObject(`k${index}`, { spec: { note: `${index}` } })),
    )
    for (let round = 0; round < 5; round++) {
      await client.patch(named("kettles.kitchen.example.com"), [
        { op: "add", path: `/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/f${round}`, value: text },
      ])
    }
    expect(await Promise.all(writes)).toHaveLength(count)
    const { items } = await client.list(kettles())
    expect(items.map(({ metadata }) => metadata?.name).sort()).toEqual(Array.from({ length: count }, (_, index) => `k${index}`).sort())
  })
})

describe("a definition that is deleted", () => {
  it("takes its objects with it, and its path", async () => {
    await define(definition("kettles", "Kettle"))
    for (const name of ["a", "b", "c"]) await client.create(kettles(), kettleObject(name))
    await client.delete(named("kettles.kitchen.example.com"))
    await gone("kettles.kitchen.example.com")
    await until(() => client.list(kettles()), isMissing)
    await define(definition("kettles", "Kettle"))
    expect((await client.list(kettles())).items).toEqual([])
  })

  it("waits for finalizers of its objects, and takes no new ones meanwhile", async () => {
    await define(definition("kettles", "Kettle"))
    await client.create(kettles(), { ...kettleObject("a"), metadata: { name: "a", finalizers: ["example.com/held"] } })
    await client.delete(named("kettles.kitchen.example.com"))
    const held = await condition("kettles.kitchen.example.com", "Terminating")
    expect(held.metadata?.finalizers).toEqual(["customresourcecleanup.apiextensions.orch.io"])
    await until(
      () => client.create(kettles(), kettleObject("b")),
      (result) => result instanceof Error && "code" in result && result.code === 405,
    )
    await until(
      () => client.get(kettle("a")),
      (result) => "metadata" in result && result.metadata?.deletionTimestamp !== undefined,
    )
    await client.patch(kettle("a"), { metadata: { finalizers: null } })
    await gone("kettles.kitchen.example.com")
    await until(() => client.list(kettles()), isMissing)
  })
})

describe("controllers", () => {
  it("empty a namespace of custom objects", async () => {
    await define(definition("kettles", "Kettle"))
    await server.api.core.v1.namespaces.create({ metadata: { name: "kitchen" } })
    await client.create({ ...kettles(), namespace: "kitchen" }, kettleObject("a"))
    await server.api.core.v1.namespaces.delete("kitchen")
    await until(() => server.api.core.v1.namespaces.get("kitchen"), isMissing)
    expect((await client.list({ ...kettles(), namespace: "" })).items).toEqual([])
  })

  it("collect custom objects and their dependents, also of a kind that came back", async () => {
    for (let round = 0; round < 2; round++) {
      await define(definition("kettles", "Kettle"))
      const owner = await client.create(kettles(), kettleObject("owner"))
      const ownerReferences = [{ apiVersion: "kitchen.example.com/v1", kind: "Kettle", name: "owner", uid: owner.metadata?.uid ?? "" }]
      await client.create(kettles(), { ...kettleObject("below"), metadata: { name: "below", ownerReferences } })
      await server.api.core.v1.configmaps.create("default", { metadata: { name: "below", ownerReferences } })
      await client.delete(kettle("owner"))
      await until(() => client.get(kettle("below")), isMissing)
      await until(() => server.api.core.v1.configmaps.get("default", "below"), isMissing)
      await client.delete(named("kettles.kitchen.example.com"))
      await gone("kettles.kitchen.example.com")
    }
  })
})

describe("the dependents of objects whose definition goes", () => {
  async function own(name: string): Promise<ApiObject> {
    const owner = await client.create(kettles(), kettleObject(name))
    const ownerReferences = [{ apiVersion: "kitchen.example.com/v1", kind: "Kettle", name, uid: owner.metadata?.uid ?? "" }]
    await server.api.core.v1.configmaps.create("default", { metadata: { name, ownerReferences } })
    return owner
  }

  it("are collected, although nobody can look for their owners any more", async () => {
    await define(definition("kettles", "Kettle"))
    for (const name of ["a", "b", "c"]) await own(name)
    await client.delete(named("kettles.kitchen.example.com"))
    await gone("kettles.kitchen.example.com")
    for (const name of ["a", "b", "c"]) await until(() => server.api.core.v1.configmaps.get("default", name), isMissing)
  })
})

it("counts no change when an apply through another version than the stored one changes nothing", async () => {
  const properties = { spec: { type: "object", properties: { litres: { type: "integer" }, lids: { type: "integer", default: 1 } } } }
  const wider = { name: "v2", storage: false, schema: { type: "object", properties } }
  await client.create(definitions, definition("kettles", "Kettle", [{ name: "v1" }, wider]))
  await condition("kettles.kitchen.example.com", "Established")
  const apply = (): Promise<ApiObject> =>
    client.apply(kettle("a", "v2"), kettleObject("a", { spec: { litres: 2 } }, "v2"), { fieldManager: "cook" })
  const { metadata } = await apply()
  expect((await apply()).metadata).toEqual(metadata)
})

describe("a start", () => {
  it("serves what was defined before, with its objects", async () => {
    const folder = mkdtempSync(join(tmpdir(), "definitions-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const first = await startServer({ "data-dir": folder, crds: [definition("kettles", "Kettle")] })
    await first.client.create(kettles(), kettleObject("a", { spec: { note: "kept" } }))
    await first.stop()
    await using second = await startServer({ "data-dir": folder, keepAlive: false })
    expect(await second.client.get(kettle("a"))).toMatchObject({ spec: { note: "kept" } })
  })

  it("serves operations of objects that leave out their kind", async () => {
    await using other = await startServer({ crds: [definition("kettles", "Kettle")] })
    const made = await other.client.create(kettles(), { metadata: { name: "a" } })
    expect(made).toMatchObject({ apiVersion: "kitchen.example.com/v1", kind: "Kettle" })
    const { metadata } = made
    expect(await other.client.update(kettle("a"), { metadata, spec: { litres: 2 } })).toMatchObject({ kind: "Kettle", spec: { litres: 2 } })
  })

  it("installs definitions of files and of programs, which a reset keeps", async () => {
    const folder = mkdtempSync(join(tmpdir(), "definitions-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, "a.json"), JSON.stringify(definition("kettles", "Kettle")))
    await using other = await startServer({ crds: [folder, definition("pans", "Pan")] })
    await other.client.create(kettles(), kettleObject("a"))
    await other.client.create(definitions, definition("lids", "Lid"))
    await other.reset()
    expect((await other.client.list(kettles())).items).toEqual([])
    expect((await other.client.list({ ...kettles(), resource: "pans" })).items).toEqual([])
    expect((await other.client.list(definitions)).items.map(({ metadata }) => metadata?.name)).toEqual([
      "kettles.kitchen.example.com",
      "pans.kitchen.example.com",
    ])
  })

  it("takes groups of definitions as they are written there", async () => {
    const source = definition("kettles", "Kettle")
    const group = "kitchen.k8s.io"
    const metadata = { name: `kettles.${group}`, annotations: { "api-approved.kubernetes.io": "unapproved, a test" } }
    const own = { ...source, apiVersion: "apiextensions.k8s.io/v1", metadata, spec: { ...(source.spec as JsonObject), group } } // As above.
    await using other = await startServer({ vendor: "kubernetes", crds: [own] })
    for (const written of [group, "kitchen.orch.io"]) {
      const made = await other.client.create({ ...kettles(), group: written }, { metadata: { generateName: "a-" } })
      expect(made.apiVersion).toBe(`${group}/v1`)
    }
    expect((await other.client.list({ ...kettles(), group })).items).toHaveLength(2)
  })

  it("refuses definitions that are wrong, or of another vendor", async () => {
    await expect(startServer({ crds: [definition("kettles", "kettle of no kind")] })).rejects.toThrow(
      /^startServer: crds: the definition "kettles.kitchen.example.com" was refused/,
    )
    await expect(startServer({ vendor: "kubernetes", crds: [definition("kettles", "Kettle")] })).rejects.toThrow(
      /apiextensions\.k8s\.io\/v1/,
    )
    const file = join(mkdtempSync(join(tmpdir(), "definitions-")), "a.json")
    onTestFinished(() => rmSync(dirname(file), { recursive: true }))
    writeFileSync(file, JSON.stringify(definition("kettles", "kettle of no kind")))
    await expect(startServer({ crds: [file] })).rejects.toThrow(`--crd: ${file}: the definition`)
    await expect(startServer({ crd: ["/no/such/folder"] })).rejects.toThrow("--crd: /no/such/folder does not exist")
  })
})
