/**
 * An etcd written by several kinds of servers: Go programs with the reference's libraries read objects that this server
 * stored, and the other way round, object by object and key by key. The reference's libraries decide.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { parse } from "yaml"
import { kinds } from "../../generated/index.ts"
import { kindsOfVendor } from "../../runtime/definitions/definition-kind.ts"
import type { LibraryOptions } from "../../runtime/library.ts"
import type { JsonObject, JsonValue } from "../../runtime/base/json.ts"
import { isObject } from "../../runtime/base/json.ts"
import { parseJson, stringify } from "../../runtime/encoding/json/text.ts"
import { isStored, type Kind } from "../../runtime/schema/kind.ts"
import { vendorProfile } from "../../runtime/base/vendor.ts"
import { runCommand } from "../clients/command.ts"
import { arbitraryObject } from "../support/arbitrary-objects.ts"
import { type EtcdServer, forNewestEtcd, startEtcd } from "../support/etcd.ts"
import { createHttpClient } from "../support/http-client.ts"
import { startTestServer, type TestServer } from "../support/server.ts"
import { recordedBy } from "../stored-definitions/record.ts"
import { asGoReads, asObject } from "./go-forms.ts"
import recordings from "../stored-definitions/recorded.json" with { type: "json" }

const programs = process.env.ORCH_GO_CLIENTS
const why = programs === undefined ? " (go is not installed)" : ""

/** One entry of objects.yaml. */
interface Sample {
  /** Without the prefix. */
  readonly key: string
  /** The collection in which it is created. */
  readonly path: string
  readonly create: JsonObject & { readonly metadata: { readonly name: string } }
  readonly status?: JsonObject
  /** The object's key expires. */
  readonly ttl?: true
}

/** One key in the format of the Go program. */
interface Entry {
  readonly key: string
  readonly revision: number
  readonly ttl: number
  /** The stored bytes differ from the bytes that the reference would have stored for the object. */
  readonly foreign: boolean
  /** Absent where the value is not an object. */
  readonly object: JsonObject | undefined
}

const samples: readonly Sample[] = parse(readFileSync(fileURLToPath(new URL("store/objects.yaml", import.meta.url)), "utf8"))
const vendor = vendorProfile("kubernetes")
/** Turns on the kinds that are off by default. */
const everyVersion: LibraryOptions = {
  "runtime-config": { "api/all": true },
  "feature-gates": { ClusterTrustBundle: true, VolumeAttributesClass: true },
}
/** A lease is reused for a minute, so it lives that much longer. */
const leaseReuseSeconds = 60
const eventLeaseSeconds = 3600 + leaseReuseSeconds
const foreignTtlSeconds = 1200
const seed = 20260102
const arbitraryObjects = 30

/**
 * Kinds in their stored version, without kinds that only share a path, and without definitions, of which this server
 * shows only valid ones.
 */
const storedKinds = kindsOfVendor(kinds.filter(isStored), vendor).filter(
  ({ storage, group, kind, version, verbs }) =>
    verbs.includes("list") &&
    kind !== "CustomResourceDefinition" &&
    storage.format !== "json" &&
    storage.group === group &&
    storage.version === version &&
    storage.kind === kind,
)

it.skipIf(programs === undefined)(`encodes definitions as they are recorded${why}`, () => {
  expect(recordedBy(join(programs ?? "", "store"))).toEqual(recordings)
})

forNewestEtcd((binary) => {
  describe.skipIf(programs === undefined)(`a store shared with Go programs${why}`, { timeout: 180_000 }, () => {
    let etcd: EtcdServer

    beforeEach(async () => {
      etcd = await startEtcd(binary)
    })
    afterEach(() => etcd.dispose())

    const start = (): Promise<TestServer> => startTestServer({ vendor: "kubernetes", "store-servers": [etcd.url], ...everyVersion })

    async function runStore(command: string, input = ""): Promise<Map<string, Entry>> {
      const { code, stderr, stdout } = await runCommand(join(programs ?? "", "store"), ["-server", etcd.url, command], { input })
      expect(stderr).toBe("")
      expect(code).toBe(0)
      const entries = stdout.split("\n").flatMap((line) => (line === "" ? [] : [entryOf(line)]))
      return new Map(entries.map((entry) => [entry.key, entry]))
    }

    it("reads what this server stored, under the reference's keys, after creation, change and removal", async () => {
      const server = await start()
      for (const sample of samples) await create(server, sample)
      expectSame(await runStore("read"), await listEverything(server))

      const annotations = { "example.com/long": "ä".repeat(5000) }
      await label(server, "", annotations)
      const updated = await runStore("read")
      expectSame(updated, await listEverything(server))
      for (const { key } of samples) {
        expect(metadataOf(updated.get(`/registry/${key}`)?.object), key).toMatchObject({ labels: { updated: "yes" }, annotations })
      }

      await succeed(server, "DELETE", "/api/v1/namespaces/interop/secrets/passwords")
      await succeed(server, "DELETE", "/api/v1/namespaces/interop/services/front")
      const left = await runStore("read")
      for (const path of ["secrets/interop/passwords", "services/specs/interop/front", "services/endpoints/interop/front"]) {
        expect(updated.has(`/registry/${path}`)).toBe(true)
        expect(left.has(`/registry/${path}`)).toBe(false)
      }
    })

    it("stores what a running server lists and watches, a new server lists, and clients may change", async () => {
      const server = await start()
      for (const sample of samples) await create(server, sample)
      const originals = await runStore("read")
      const watch = await watchConfigMaps(server)
      const foreign = samples.map(({ key, ttl }) =>
        foreignOf(key, originals.get(`/registry/${key}`)?.object, ttl === true ? foreignTtlSeconds : 0),
      )
      const written = await runStore("write", foreign.map((entry) => `${stringify(entry)}\n`).join(""))
      expect(await watch.next()).toMatchObject({ type: "ADDED", object: { metadata: { name: "settings-foreign" } } })

      const stored = await runStore("read")
      const shown = await listEverything(server)
      expectSame(stored, shown)
      for (const { key, ttl } of foreign) {
        const lease = ttl === 0 ? 0 : ttl + leaseReuseSeconds
        expect(stored.get(key), key).toMatchObject({ revision: written.get(key)?.revision, ttl: lease })
      }
      // Each server writes its own Service.
      const listedAnew = await listEverything(await start())
      for (const { key } of foreign) expect(listedAnew.get(key), key).toEqual(shown.get(key))

      await label(server, "-foreign")
      expect(await watch.next()).toMatchObject({ type: "MODIFIED", object: { metadata: { labels: { updated: "yes" } } } })
      const updated = await runStore("read")
      expectSame(updated, await listEverything(server))
      for (const { key } of foreign) expect(metadataOf(updated.get(key)?.object), key).toMatchObject({ labels: { updated: "yes" } })

      // The reference's own update of an existing object.
      const settings = foreign.filter(({ key }) => key === "/registry/configmaps/interop/settings-foreign")
      await runStore("write", settings.map((entry) => stringify(entry)).join(""))
      expect(await watch.next()).toMatchObject({ type: "MODIFIED", object: { data: { key: "value" } } })
      watch.close()
    })

    it("stores objects of any kind, whatever their fields, so that this server shows the same", async () => {
      const keys = new Map<Kind, readonly string[]>()
      const lines: string[] = []
      for (const kind of storedKinds) {
        const { shape } = await kind.load()
        const objects = fc.sample(arbitraryObject(shape), { numRuns: arbitraryObjects, seed })
        const entries = objects.map((object, index) => arbitraryEntry(kind, object, `any-${index}`))
        keys.set(
          kind,
          entries.map(({ key }) => key),
        )
        lines.push(...entries.map((entry) => `${stringify(entry)}\n`))
      }
      await runStore("write", lines.join(""))
      const server = await start()
      const stored = await runStore("read")
      for (const [kind, own] of keys) {
        const listed = await listKind(server, kind)
        for (const key of own) expect(asGoReads(withoutVersion(listed.get(key))), key).toEqual(stored.get(key)?.object)
      }
    })
  })
})

/** Expects every sample under its key, with expiring events, and equal to the object that the server lists. */
function expectSame(stored: ReadonlyMap<string, Entry>, listed: ReadonlyMap<string, JsonObject>): void {
  for (const { key, ttl } of samples) expect(stored.get(`/registry/${key}`)?.ttl, key).toBe(ttl === true ? eventLeaseSeconds : 0)
  for (const [key, object] of listed) {
    // The server may renew it between the two reads.
    if (key === "/registry/leases/kube-system/orch-apiserver") continue
    expect(stored.get(key)?.object, key).toEqual(withoutVersion(object))
    const revision = Number(metadataOf(object)["resourceVersion"])
    expect(stored.get(key), key).toMatchObject({ revision, foreign: false })
  }
  // Keys that are not objects of a kind: the allocations of addresses and ports, and this server's secret and records.
  const others = [...stored.values()].filter(({ key }) => !listed.has(key)).map(({ key, object }) => [key, object?.["kind"]])
  const shapes = "/registry/orch-apiserver/shapes/"
  expect(others.flatMap(([key = ""]) => (String(key).startsWith(shapes) ? [String(key).slice(shapes.length)] : []))).toEqual(
    expect.arrayContaining(["configmaps", "pods", "services/specs"]),
  )
  // The address depends on the machine.
  const leases = "/registry/masterleases/"
  expect(others.filter(([key = ""]) => String(key).startsWith(leases)).map(([, kind]) => kind)).toEqual(["Endpoints"])
  expect(others.filter(([key = ""]) => !String(key).startsWith(shapes) && !String(key).startsWith(leases))).toEqual([
    ["/registry/orch-apiserver/continue-secret", undefined],
    ["/registry/ranges/serviceips", "RangeAllocation"],
    ["/registry/ranges/servicenodeports", "RangeAllocation"],
  ])
}

function entryOf(line: string): Entry {
  const { foreign, key, object, revision, ttl } = asObject(parseJson(line).value)
  const stored = { foreign: foreign === true, object: isObject(object) ? object : undefined }
  return { key: String(key), revision: Number(revision), ttl: Number(ttl ?? 0), ...stored }
}

/** The same object as another writer's: with another name and uid, without values that must be unique in a cluster. */
function foreignOf(path: string, original: JsonObject | undefined, ttl: number): { key: string; ttl: number; object: JsonObject } {
  const object = asObject(original)
  const metadata = metadataOf(object)
  const name = `${String(metadata["name"])}-foreign`
  const { clusterIP: _ip, clusterIPs: _ips, healthCheckNodePort: _port, ports, ...spec } = asObject(object["spec"] ?? {})
  const own = { ...spec, ...(Array.isArray(ports) && { ports: ports.map(withoutNodePort) }) }
  return {
    key: `/registry/${path}-foreign`,
    ttl,
    object: { ...object, metadata: { ...metadata, name, uid: `uid-of-${name}` }, ...(isObject(object["spec"]) && { spec: own }) },
  }
}

function withoutNodePort(port: JsonValue): JsonValue {
  const { nodePort: _number, ...others } = asObject(port)
  return others
}

function arbitraryEntry(kind: Kind, object: JsonObject, name: string): { key: string; object: JsonObject } {
  const { namespaced } = kind
  const metadata = {
    name,
    ...(namespaced && { namespace: "any" }),
    uid: name,
    creationTimestamp: "2026-01-02T03:04:05Z",
    labels: { a: "b" },
  }
  const key = `/registry/${kind.storage.path}/${namespaced ? "any/" : ""}${name}`
  const spec = asObject(object["spec"] ?? {})
  // Required fields, without which no object can be created. The reference writes `null` and "" for them.
  const required = new Map<string, JsonObject>([
    ["deployments", { selector: spec["selector"] ?? {} }],
    ["certificatesigningrequests", { request: spec["request"] || "AA==" }],
  ]).get(kind.resource)
  return { key, object: { ...object, ...(required && { spec: { ...spec, ...required } }), ...typeOf(kind), metadata } }
}

function typeOf(kind: Kind): { apiVersion: string; kind: string } {
  return { apiVersion: vendor.apiVersion(kind.group === "" ? kind.version : `${kind.group}/${kind.version}`), kind: kind.kind }
}

async function create(server: TestServer, { path, create: object, status }: Sample): Promise<void> {
  await succeed(server, "POST", path, object)
  if (status !== undefined) await succeed(server, "PATCH", `${path}/${object.metadata.name}/status`, { status })
}

/** Changes every sample, or the objects made from them. */
async function label(server: TestServer, suffix: string, annotations: JsonObject = {}): Promise<void> {
  for (const { create: object, path } of samples) {
    await succeed(server, "PATCH", `${path}/${object.metadata.name}${suffix}`, { metadata: { labels: { updated: "yes" }, annotations } })
  }
}

async function succeed(server: TestServer, method: string, path: string, body?: JsonObject): Promise<void> {
  const contentType = method === "PATCH" ? "application/merge-patch+json" : "application/json"
  const { status, body: answer } = await server.request(method, path, body === undefined ? undefined : stringify(body), contentType)
  expect(status, `${method} ${path}: ${answer.toString()}`).toBeLessThan(300)
}

/** Every object of every kind by its key, as listed, with its type. */
async function listEverything(server: TestServer): Promise<Map<string, JsonObject>> {
  const all = new Map<string, JsonObject>()
  for (const kind of storedKinds) for (const [key, object] of await listKind(server, kind)) all.set(key, object)
  return all
}

async function listKind(server: TestServer, kind: Kind): Promise<Map<string, JsonObject>> {
  const { apiVersion } = typeOf(kind)
  const { status, body } = await server.request("GET", `/${kind.group === "" ? "api" : "apis"}/${apiVersion}/${kind.resource}`)
  expect(status).toBe(200)
  const { items } = asObject(parseJson(body.toString()).value)
  const objects = new Map<string, JsonObject>()
  for (const item of Array.isArray(items) ? items : []) {
    const { name, namespace } = metadataOf(asObject(item))
    const place = namespace === undefined ? String(name) : `${String(namespace)}/${String(name)}`
    objects.set(`/registry/${kind.storage.path}/${place}`, { ...asObject(item), ...typeOf(kind) })
  }
  return objects
}

function withoutVersion(object: JsonObject | undefined): JsonObject {
  const { resourceVersion: _version, ...metadata } = metadataOf(object)
  return { ...object, metadata }
}

function metadataOf(object: JsonObject | undefined): JsonObject {
  return asObject(object?.["metadata"])
}

/** Events from now on, one at a time. */
async function watchConfigMaps(server: TestServer): Promise<{ next(): Promise<JsonObject>; close(): void }> {
  const client = createHttpClient({ protocol: "http1", port: Number(new URL(server.url).port), authority: server.caPem })
  const list = await server.request("GET", "/api/v1/configmaps?limit=1")
  const version = String(metadataOf(asObject(parseJson(list.body.toString()).value))["resourceVersion"])
  const { body } = await client.open({
    method: "GET",
    path: `/api/v1/configmaps?watch=1&resourceVersion=${version}`,
    headers: { authorization: `Bearer ${server.token}` },
  })
  const lines = createInterface(body)[Symbol.asyncIterator]()
  return {
    async next() {
      const { done, value } = await lines.next()
      return done === true ? expect.fail("the watch ended") : asObject(parseJson(value).value)
    },
    close: () => client.close(),
  }
}
