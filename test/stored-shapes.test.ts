/** A schema author's own kinds over restarts: stored data stays readable, or the start explains what to do. */
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { runGenerator } from "../codegen/cli.ts"
import { run } from "../runtime/commands/run.ts"
import { systemClock } from "../runtime/base/clock.ts"
import { vendorProfile } from "../runtime/base/vendor.ts"
import { storeFolder } from "../runtime/launch/data-dir.ts"
import { loadApiFolder } from "../runtime/launch/user-api.ts"
import { type LibraryOptions, startServer } from "../runtime/library.ts"
import { KindTable } from "../runtime/registry/kinds.ts"
import { openMigration } from "../runtime/registry/migrate-objects.ts"
import { shapesPrefix, StoredShapes } from "../runtime/registry/stored-shapes.ts"
import { openLmdbStore } from "../runtime/storage/lmdb/lmdb-store.ts"
import type { Store } from "../runtime/storage/store.ts"
import { createHttpClient } from "./support/http-client.ts"
import { forNewestEtcd, startEtcd } from "./support/etcd.ts"

const group = "kitchen.example.com"
const doc = "A thing."
const path = `/apis/${group}/v1/namespaces/default/cups`

/** A folder for schemas, generated code, behaviours and data, removed after the test. */
function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "stored-shapes-"))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

interface Fields {
  readonly [name: string]: object
}

/** The schema of cups. `types`: the types that the kind refers to. */
function cup(fields: Fields, more: object = {}): object {
  const types = { CupSpec: { doc, fields } }
  return {
    kind: "Cup",
    group,
    version: "v1",
    doc,
    scope: "Namespaced",
    names: { plural: "cups" },
    fields: { spec: { type: "CupSpec", number: 2, doc } },
    types,
    ...more,
  }
}

async function generate(dir: string, schemas: Readonly<Record<string, object>>): Promise<string> {
  const printed: string[] = []
  rmSync(join(dir, "schemas"), { recursive: true, force: true })
  for (const [name, schema] of Object.entries(schemas)) {
    const file = join(dir, "schemas", `${name}.yaml`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(schema))
  }
  const print = (line: string): unknown => printed.push(line)
  const code = await runGenerator(["--schemas", "schemas", "--out", "api"], { cwd: dir, print, printError: print, now: () => 0 })
  expect(code, printed.join("\n")).toBe(0)
  return join(dir, "api")
}

interface Answer {
  readonly status: number
  readonly body: string
}

/** Runs a server for as long as `work` takes. */
async function withServer<T>(
  options: LibraryOptions,
  work: (ask: (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Answer>) => Promise<T>,
): Promise<T> {
  const server = await startServer(options)
  const client = createHttpClient({ protocol: "http2", port: Number(new URL(server.url).port), authority: server.caPem })
  try {
    return await work(async (method, at, body, headers = {}) => {
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json"
      const answer = await client.send({
        method,
        path: at,
        headers: { authorization: `Bearer ${server.token}`, ...(body !== undefined && { "content-type": type }), ...headers },
        ...(body !== undefined && { body: Buffer.from(JSON.stringify(body)) }),
      })
      return { status: answer.status, body: answer.body.toString("utf8") }
    })
  } finally {
    client.close()
    await server.stop()
  }
}

function object(spec: object, version = "v1"): object {
  return { apiVersion: `${group}/${version}`, kind: "Cup", metadata: { name: "a" }, spec }
}

async function command(...args: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = []
  const print = (line: string): unknown => lines.push(line)
  const code = await run(args, { cwd: tmpdir(), env: {}, print, printError: print, now: () => 0 })
  return { code, text: lines.join("\n") }
}

/** Begins a migration, which ends after its first commit. */
async function migrateOnePage(api: string, dir: string): Promise<void> {
  const kinds = new KindTable((await loadApiFolder(api)).kinds)
  const [stored] = kinds.all()
  const store = await openLmdbStore({ dir, clock: systemClock })
  let commits = 0
  const failing = new Proxy(store, {
    get: (target, name) =>
      name === "commit"
        ? (change: Parameters<Store["commit"]>[0]) => (commits++ > 0 ? Promise.reject(new Error("the power fails")) : target.commit(change))
        : Reflect.get(target, name, target),
  })
  const how = { store: failing, prefix: "/registry/", format: "compact" } as const
  const kept = (await new StoredShapes(how).records()).get(stored?.storage.path ?? "")
  if (stored === undefined || kept === undefined) throw new Error("there is no record of a stored shape")
  const migration = await openMigration({ ...how, kinds, vendor: vendorProfile("orch"), nowMs: systemClock.nowMs }, stored, kept)
  try {
    await migration?.run()
  } finally {
    await store.close()
  }
}

const size = { type: "int32", doc }
const width = { type: "int32", doc }

describe("a kind of one's own", { timeout: 120_000 }, () => {
  it("keeps fields that the compact encoding does not hold, and is not served in it", async () => {
    const dir = folder()
    const spec = { size, rows: { type: "[][]string", doc }, free: { type: "Free", number: 3, doc } }
    const api = await generate(dir, {
      [`${group}/v1/cup`]: cup(
        { ...spec, size: { ...size, number: 1 } },
        { types: { CupSpec: { doc, fields: spec }, Free: { doc, preserveUnknown: true } } },
      ),
    })
    const options: LibraryOptions = { api: [api], "data-dir": join(dir, "data"), vendor: "kubernetes" }
    const before = await withServer(options, async (ask) => {
      expect(await ask("POST", path, object({ size: 3, rows: [["a"], []], free: { any: { thing: [null, 1] } } }))).toMatchObject({
        status: 201,
      })
      expect(await ask("GET", `${path}/a`, undefined, { accept: "application/vnd.kubernetes.protobuf" })).toMatchObject({ status: 406 })
      const both = "application/vnd.kubernetes.protobuf,application/json"
      expect((await ask("GET", `${path}/a`, undefined, { accept: both })).body).toContain('"thing":[null,1]')
      const partial = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
      expect(await ask("GET", `${path}/a`, undefined, { accept: partial })).toMatchObject({ status: 200 })
      const compact = { "content-type": "application/vnd.kubernetes.protobuf" }
      expect(await ask("POST", path, {}, compact)).toMatchObject({ status: 415 })
      return (await ask("GET", `${path}/a`)).body
    })
    expect(await withServer(options, async (ask) => (await ask("GET", `${path}/a`)).body)).toBe(before)
  })

  it("is not read with other numbers; store migrate rewrites it", async () => {
    const dir = folder()
    const api = await generate(dir, { [`${group}/v1/cup`]: cup({ size: { ...size, number: 1 }, width: { ...width, number: 2 } }) })
    const options = { api: [api], "data-dir": join(dir, "data") }
    await withServer(options, (ask) => ask("POST", path, object({ size: 1, width: 2 })))
    await generate(dir, { [`${group}/v1/cup`]: cup({ size: { ...size, number: 2 }, width: { ...width, number: 1 } }) })
    await expect(startServer(options)).rejects.toThrow(
      /the cups of the store: the field spec.size of kitchen.example.com\/v1 Cup was written as number 1, "int32 size", and this server would read "int32 width"[^]*store migrate/,
    )
    const place = ["--data-dir", join(dir, "data"), "--api", api]
    expect(await command("store", "migrate", "--dry-run", ...place)).toEqual({
      code: 0,
      text: "kitchen.example.com/v1 Cup: 1 objects, 1 would be rewritten\nnothing was written (--dry-run)",
    })
    await expect(startServer(options)).rejects.toThrow("store migrate")
    expect(await command("store", "migrate", ...place)).toMatchObject({
      code: 0,
      text: "kitchen.example.com/v1 Cup: 1 objects, 1 were rewritten",
    })
    expect(await command("store", "migrate", ...place)).toMatchObject({ text: expect.stringContaining("nothing to migrate") })
    expect((await command("store", "verify", ...place)).code).toBe(0)
    const after = await withServer(options, async (ask) => (await ask("GET", `${path}/a`)).body)
    expect(JSON.parse(after).spec).toEqual({ size: 1, width: 2 })
  })

  it("is not served while a migration is half done, and the next one finishes it", async () => {
    const dir = folder()
    const api = await generate(dir, { [`${group}/v1/cup`]: cup({ size: { ...size, number: 1 }, width: { ...width, number: 2 } }) })
    const options = { api: [api], "data-dir": join(dir, "data") }
    const names = Array.from({ length: 250 }, (_none, index) => `cup-${index}`)
    await withServer(options, async (ask) => {
      for (const [index, name] of names.entries())
        await ask("POST", path, { ...object({ size: index, width: 1000 + index }), metadata: { name } })
    })
    await generate(dir, { [`${group}/v1/cup`]: cup({ size: { ...size, number: 2 }, width: { ...width, number: 1 } }) })
    await expect(migrateOnePage(api, storeFolder(options["data-dir"]))).rejects.toThrow("the power fails")
    await expect(startServer(options)).rejects.toThrow(/a migration of them was begun and not finished[^]*store migrate/)
    const place = ["--data-dir", options["data-dir"], "--api", api]
    expect(await command("store", "migrate", ...place)).toMatchObject({ code: 0, text: expect.stringContaining("150 were rewritten") })
    const { items } = await withServer(options, async (ask) => JSON.parse((await ask("GET", path)).body))
    const specs = items.map(({ metadata, spec }: { metadata: { name: string }; spec: object }) => [metadata.name, spec])
    expect(Object.fromEntries(specs)).toEqual(
      Object.fromEntries(names.map((name, index) => [name, { ...(index > 0 && { size: index }), width: 1000 + index }])),
    )
  })

  it("may get fields, and lose some whose numbers stay unused", async () => {
    const dir = folder()
    const options = { api: [join(dir, "api")], "data-dir": join(dir, "data") }
    await generate(dir, { [`${group}/v1/cup`]: cup({ size: { ...size, number: 1 }, width: { ...width, number: 2 } }) })
    await withServer(options, (ask) => ask("POST", path, object({ size: 1, width: 2 })))
    await generate(dir, { [`${group}/v1/cup`]: cup({ size: { ...size, number: 1 }, depth: { ...width, number: 3 } }) })
    await withServer(options, async (ask) => expect(JSON.parse((await ask("GET", `${path}/a`)).body).spec).toEqual({ size: 1 }))
    await generate(dir, { [`${group}/v1/cup`]: cup({ size: { ...size, number: 1 }, other: { ...width, number: 2 } }) })
    await expect(startServer(options)).rejects.toThrow('spec.width of kitchen.example.com/v1 Cup was written as number 2, "int32 width"')
    const place = ["--data-dir", join(dir, "data"), "--api", join(dir, "api")]
    const refused = await command("store", "migrate", ...place)
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining("spec.width (in 1 objects)") })
    expect((await command("store", "migrate", "--drop", ...place)).code).toBe(0)
    await withServer(options, async (ask) => expect(JSON.parse((await ask("GET", `${path}/a`)).body).spec).toEqual({ size: 1 }))
  })

  it("changes its storage version while the old one is served, and migrates to the new one", async () => {
    const dir = folder()
    const options = { api: [join(dir, "api")], "data-dir": join(dir, "data") }
    const v1beta1 = cup({ size: { ...size, number: 1 } }, { version: "v1beta1" })
    const beta = `/apis/${group}/v1beta1/namespaces/default/cups`
    await generate(dir, { [`${group}/v1beta1/cup`]: v1beta1 })
    await withServer(options, (ask) => ask("POST", beta, object({ size: 1 }, "v1beta1")))
    const v1 = cup({ size: { ...size, number: 2 }, width: { ...width, number: 3 } })
    await generate(dir, { [`${group}/v1/cup`]: v1 })
    await expect(startServer(options)).rejects.toThrow(
      "the store has them as kitchen.example.com/v1beta1 Cup, and this server reads kitchen.example.com/v1 Cup there",
    )
    await generate(dir, { [`${group}/v1/cup`]: v1, [`${group}/v1beta1/cup`]: { ...v1beta1, storage: { sharedWith: `${group}/v1 Cup` } } })
    await withServer(options, async (ask) => {
      expect(JSON.parse((await ask("GET", `${path}/a`)).body)).toMatchObject({ apiVersion: `${group}/v1`, spec: { size: 1 } })
      expect(JSON.parse((await ask("GET", `${beta}/a`)).body)).toMatchObject({ apiVersion: `${group}/v1beta1`, spec: { size: 1 } })
    })
    expect((await command("store", "migrate", "--data-dir", join(dir, "data"), "--api", join(dir, "api"))).text).toContain(
      "1 were rewritten",
    )
    await generate(dir, { [`${group}/v1/cup`]: v1 })
    await withServer(options, async (ask) => expect(JSON.parse((await ask("GET", `${path}/a`)).body).spec).toEqual({ size: 1 }))
  })

  it("is remembered of a store that another program filled, in a version that is still read", async () => {
    const dir = folder()
    const options = { api: [join(dir, "api")], "data-dir": join(dir, "data") }
    const v1 = cup({ size: { ...size, number: 1 } })
    const v1beta1 = (number: number): object => cup({ size: { ...size, number } }, { version: "v1beta1" })
    const unserved = { served: false, storage: { sharedWith: `${group}/v1 Cup` } }
    await generate(dir, { [`${group}/v1beta1/cup`]: v1beta1(3) })
    await withServer(options, (ask) => ask("POST", path.replace("/v1/", "/v1beta1/"), object({ size: 7 }, "v1beta1")))
    // Another program keeps no records of shapes.
    const store = await openLmdbStore({ dir: storeFolder(options["data-dir"]), clock: systemClock })
    const { items } = await store.list({ prefix: shapesPrefix("/registry/") })
    await store.commit({ checks: [], writes: items.map(({ key }) => ({ type: "delete" as const, key })) })
    await store.close()
    await generate(dir, { [`${group}/v1/cup`]: v1, [`${group}/v1beta1/cup`]: { ...v1beta1(3), ...unserved } })
    await withServer(options, async (ask) => expect(JSON.parse((await ask("GET", `${path}/a`)).body).spec).toEqual({ size: 7 }))
    await generate(dir, { [`${group}/v1/cup`]: v1, [`${group}/v1beta1/cup`]: { ...v1beta1(4), ...unserved } })
    // The test must stop a started server before it removes the folder.
    const started = await startServer(options).then((server) => server.stop().then(() => "it started"), String)
    expect(started).toContain('spec.size of kitchen.example.com/v1beta1 Cup was written as number 3, "int32 size"')
  })

  it("keeps what only the stored version has, and runs its behaviours, in writes through an older one", async () => {
    const dir = folder()
    const shared = { sharedWith: `${group}/v1 Cup` }
    mkdirSync(join(dir, "behaviours"))
    writeFileSync(
      join(dir, "behaviours", "count-writes.ts"),
      `export const countWrites = () => ({ prepareUpdate(object) { object.spec.writes = (object.spec.writes ?? 0) + 1 } })`,
    )
    const api = await generate(dir, {
      [`${group}/v1/cup`]: cup(
        { size: { ...size, number: 1 }, width: { ...width, number: 2 }, writes: { ...size, number: 3 } },
        { behaviours: ["countWrites"], update: { createOnUpdate: false } },
      ),
      [`${group}/v1beta1/cup`]: cup({ size: { ...size, number: 1 } }, { version: "v1beta1", storage: shared }),
    })
    await withServer({ api: [api] }, async (ask) => {
      const old = `/apis/${group}/v1beta1/namespaces/default/cups/a`
      await ask("POST", path, object({ size: 1, width: 2 }))
      expect(await ask("PUT", old, object({ size: 5 }, "v1beta1"))).toMatchObject({ status: 200 })
      expect(JSON.parse((await ask("GET", `${path}/a`)).body).spec).toEqual({ size: 5, width: 2, writes: 1 })
      expect(await ask("PATCH", old, { spec: { size: 6 } })).toMatchObject({ status: 200 })
      expect(JSON.parse((await ask("GET", `${path}/a`)).body).spec).toEqual({ size: 6, width: 2, writes: 2 })
      expect(await ask("PATCH", `${path}/a`, { spec: { size: 7 } })).toMatchObject({ status: 200 })
      expect(JSON.parse((await ask("GET", `${path}/a`)).body).spec).toEqual({ size: 7, width: 2, writes: 3 })
    })
  })
})

describe("on etcd", { timeout: 120_000 }, () => {
  forNewestEtcd((binary) => {
    it("a second server with other numbers is refused, and a migrated store is served", async () => {
      const etcd = await startEtcd(binary)
      onTestFinished(() => etcd.dispose())
      const dir = folder()
      const options = { api: [join(dir, "api")], "store-servers": [etcd.url], "data-dir": join(dir, "data") }
      await generate(dir, { [`${group}/v1/cup`]: cup({ size: { ...size, number: 1 }, width: { ...width, number: 2 } }) })
      await withServer(options, async (ask) => {
        await ask("POST", path, object({ size: 1, width: 2 }))
        await generate(dir, { [`${group}/v1/cup`]: cup({ size: { ...size, number: 5 }, width: { ...width, number: 1 } }) })
        await expect(startServer({ ...options, "data-dir": join(dir, "other") })).rejects.toThrow("store migrate")
      })
      const migrated = await command("store", "migrate", "--store-servers", etcd.url, "--api", join(dir, "api"))
      expect(migrated, migrated.text).toMatchObject({ code: 0 })
      await withServer(options, async (ask) => expect(JSON.parse((await ask("GET", `${path}/a`)).body).spec).toEqual({ size: 1, width: 2 }))
    })
  })
})
