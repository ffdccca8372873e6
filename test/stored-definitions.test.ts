/**
 * Definitions that other servers have stored. test/stored-definitions has the values that the reference's library
 * writes for them, in JSON and in the compact encoding, and the objects that it reads from those values.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { systemClock } from "../runtime/base/clock.ts"
import type { ApiObject } from "../runtime/base/json.ts"
import { run } from "../runtime/commands/run.ts"
import { unwrapUnknown } from "../runtime/encoding/protobuf/codec.ts"
import { type LibraryOptions, startServer } from "../runtime/library.ts"
import { storeFolder } from "../runtime/launch/data-dir.ts"
import { openLmdbStore } from "../runtime/storage/lmdb/lmdb-store.ts"
import type { Store } from "../runtime/storage/store.ts"
import { createHttpClient } from "./support/http-client.ts"
import { openRegistry } from "./support/open-registry.ts"
import type { TestServer } from "./support/server.ts"
import recordings from "./stored-definitions/recorded.json" with { type: "json" }

const root = "/registry/apiextensions.k8s.io/customresourcedefinitions/"
const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

interface Recorded {
  readonly name: string
  readonly version: string
  /** The two possible stored values. */
  readonly values: Readonly<Record<"JSON" | "compact", Buffer>>
  readonly served: ApiObject
  readonly servedCompact: Buffer
}

const recorded: readonly Recorded[] = recordings.map(({ json, compact, served, servedCompact }) => ({
  name: json.metadata.name,
  version: json.apiVersion,
  values: { JSON: Buffer.from(JSON.stringify(json)), compact: Buffer.from(compact, "base64") },
  served,
  servedCompact: Buffer.from(servedCompact, "base64"),
}))
const cases = recorded.flatMap((one) => (["JSON", "compact"] as const).map((form) => ({ ...one, form, value: one.values[form] })))

async function put(store: Store, entries: readonly { readonly name: string; readonly value: Buffer }[]): Promise<void> {
  const writes = entries.map(({ name, value }) => ({ type: "put" as const, key: root + name, value }))
  expect(await store.commit({ checks: [], writes })).toMatchObject({ ok: true })
}

function unversioned(object: ApiObject | undefined): ApiObject {
  const { resourceVersion: _version, ...metadata } = object?.metadata ?? expect.fail("it is not there")
  return { ...object, metadata }
}

describe("what the reference reads from a value", () => {
  it.each(cases)("of $version in $form is read, and written with its bytes: $name", async ({ name, value, served, servedCompact }) => {
    const registry = await openRegistry({ vendor: "kubernetes" })
    onTestFinished(() => registry.close())
    await put(registry.store, [{ name, value }])
    const read = unversioned(await registry.get("customresourcedefinitions", name))
    expect(read).toEqual(served)
    const { codec } = await registry.handle("customresourcedefinitions")
    expect(Buffer.from(codec.encode(read).value)).toEqual(servedCompact)
  })

  it("is read again from the version that was stored before", async () => {
    const registry = await openRegistry({ vendor: "kubernetes" })
    onTestFinished(() => registry.close())
    const kinds = registry.registry.deps.kinds
    const before = kinds.findKind("apiextensions.orch.io", "v1beta1", "CustomResourceDefinition") ?? expect.fail("it is unknown")
    const handle = await registry.registry.handle(before)
    for (const { served } of recorded) expect(handle.toStored(handle.fromStored(served))).toEqual(served)
  })
})

describe("a store with definitions of v1beta1", { timeout: 120_000 }, () => {
  const kettles = "/apis/kitchen.example.com/v1/namespaces/default/kettles"
  const kettle = { apiVersion: "kitchen.example.com/v1", kind: "Kettle", metadata: { name: "a" }, spec: { litres: 3, colour: "red" } }

  it.each(["JSON", "compact"] as const)("in %s is served, and migrated by store migrate", async (form) => {
    const dir = mkdtempSync(join(tmpdir(), "stored-definitions-"))
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
    const data = { "data-dir": join(dir, "data"), vendor: "kubernetes" } as const
    const stored = recorded.filter(({ version }) => version.endsWith("/v1beta1"))
    const values = stored.map((one) => ({ name: one.name, value: one.values[form] }))
    await withStore(data["data-dir"], (store) => put(store, values))

    await served(data, async ({ request }) => {
      const { items } = JSON.parse((await request("GET", path)).body.toString())
      expect(items.map(({ metadata }: ApiObject) => metadata?.name).sort()).toEqual(stored.map(({ name }) => name).sort())
      // Established by the server that stored it: served at once.
      const created = await request("POST", kettles, JSON.stringify(kettle))
      expect([created.status, JSON.parse(created.body.toString())]).toMatchObject([201, { spec: kettle.spec }])
      // The server that stored it had not established it yet.
      await vi.waitFor(async () => expect((await request("GET", "/apis/kitchen.example.com/v1alpha1/spoons")).status).toBe(200))
      const invalid = { ...kettle, metadata: { name: "b" }, spec: { litres: 11 } }
      expect((await request("POST", kettles, JSON.stringify(invalid))).status).toBe(422)
      expect((await request("GET", path.replace("/v1/", "/v1beta1/"))).status).toBe(404)
      const document = JSON.parse((await request("GET", "/openapi/v2")).body.toString())
      expect(document.definitions["com.example.kitchen.v1.Kettle"]).not.toHaveProperty("properties")
      const patched = await request(
        "PATCH",
        `${path}/spoons.kitchen.example.com`,
        '{"metadata":{"labels":{"a":"b"}}}',
        "application/merge-patch+json",
      )
      expect([patched.status, JSON.parse(patched.body.toString()).metadata?.labels]).toEqual([200, { a: "b" }])
    })

    const versions = (): Promise<readonly string[]> => withStore(data["data-dir"], storedVersions)
    // The server has written its conditions into the definitions.
    expect(new Set(await versions())).toEqual(new Set(["apiextensions.k8s.io/v1"]))
    await withStore(data["data-dir"], (store) => put(store, values))
    const place = ["--data-dir", data["data-dir"], "--vendor", "kubernetes"]
    const migrated = await command("store", "migrate", ...place)
    expect(migrated).toEqual({ code: 0, text: expect.stringContaining(`${stored.length} objects, ${stored.length} were rewritten`) })
    expect(new Set(await versions())).toEqual(new Set(["apiextensions.k8s.io/v1"]))
    expect(await command("store", "migrate", ...place)).toMatchObject({ text: expect.stringContaining("nothing to migrate") })

    // The values were written after the record of the path said that there are none.
    await withStore(data["data-dir"], (store) => put(store, values))
    const json = { "storage-media-type": "application/json" } as const
    expect(await command("store", "migrate", ...place, "--storage-media-type=application/json")).toMatchObject({ code: 0 })
    expect(new Set(await versions())).toEqual(new Set(["apiextensions.k8s.io/v1"]))
    await served({ ...data, ...json }, async ({ request }) => {
      const got = await request("GET", `${kettles}/a`)
      expect(JSON.parse(got.body.toString())).toMatchObject({ spec: kettle.spec })
      const invalid = { ...kettle, metadata: { name: "b" }, spec: { litres: 11 } }
      expect((await request("POST", kettles, JSON.stringify(invalid))).status).toBe(422)
    })
  })
})

async function withStore<T>(dataDir: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openLmdbStore({ dir: storeFolder(dataDir), clock: systemClock })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** The stored version of each definition. */
async function storedVersions(store: Store): Promise<readonly string[]> {
  const { items } = await store.list({ prefix: root })
  return items.map(({ value }) => {
    const isJson = value[0] === "{".charCodeAt(0)
    return isJson ? JSON.parse(Buffer.from(value).toString()).apiVersion : unwrapUnknown(value).apiVersion
  })
}

async function served(options: LibraryOptions, work: (server: Pick<TestServer, "request">) => Promise<void>): Promise<void> {
  const server = await startServer(options)
  const client = createHttpClient({ protocol: "http2", port: Number(new URL(server.url).port), authority: server.caPem })
  try {
    await work({
      request: (method, at, body, contentType = "application/json") =>
        client.send({
          method,
          path: at,
          headers: { authorization: `Bearer ${server.token}`, ...(body !== undefined && { "content-type": contentType }) },
          ...(body !== undefined && { body: Buffer.from(body) }),
        }),
    })
  } finally {
    client.close()
    await server.stop()
  }
}

async function command(...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = []
  const print = (line: string): unknown => lines.push(line)
  const code = await run(args, { cwd: tmpdir(), env: {}, print, printError: print, now: () => 0 })
  return { code, text: lines.join("\n") }
}
