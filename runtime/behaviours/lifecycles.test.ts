/** The small behaviours: nodes, secrets, service accounts, endpoints, namespaces. */
import { afterEach, beforeEach, expect, test } from "vitest"
import { openRegistry, type OpenRegistry } from "../../test/support/open-registry.ts"
import type { ApiObject, JsonObject } from "../base/json.ts"

let one: OpenRegistry
beforeEach(async () => {
  one = await openRegistry()
})
afterEach(() => one.close())

const node = (spec: JsonObject, status: JsonObject = {}): ApiObject => ({ metadata: { name: "n" }, spec, status })

test.each([
  { spec: { podCIDR: "10.1.0.0/24" }, podCIDRs: ["10.1.0.0/24"] },
  { spec: { podCIDRs: ["10.1.0.0/24", "fd00::/64"] }, podCIDRs: ["10.1.0.0/24", "fd00::/64"] },
  { spec: { podCIDR: "10.2.0.0/24", podCIDRs: ["10.1.0.0/24"] }, podCIDRs: ["10.2.0.0/24"] },
])("pod ranges of $spec are in sync", async ({ spec, podCIDRs }) => {
  expect((await one.create("nodes", node(spec))).spec).toMatchObject({ podCIDR: podCIDRs[0], podCIDRs })
})

test("a range added later sets both fields", async () => {
  await one.create("nodes", node({}))
  const updated = await one.update("nodes", "n", (old) => ({ ...old, spec: { podCIDRs: ["10.1.0.0/24"] } }))
  expect(updated.spec).toMatchObject({ podCIDR: "10.1.0.0/24" })
})

test("amounts of nodes are rounded to thousandths", async () => {
  const created = await one.create("nodes", node({}, { capacity: { cpu: "0.0001" } }))
  expect(created.status).toMatchObject({ capacity: { cpu: "1m" }, allocatable: { cpu: "1m" } })
  const updated = await one.update("nodes", "n", (old) => ({ ...old, status: { capacity: { cpu: "2.00001" } } }), { subresource: "status" })
  expect(updated.status).toMatchObject({ capacity: { cpu: "2001m" } })
})

test("stringData of a secret becomes data and takes precedence", async () => {
  const created = await one.create("secrets", {
    metadata: { name: "s", namespace: "a" },
    data: { a: "MQ==", b: "Mg==" },
    stringData: { b: "ü", "c.d": "" },
  })
  expect(created.data).toEqual({ a: "MQ==", b: "w7w=", "c.d": "" })
  expect(created.stringData).toBeUndefined()
})

test("stringData is merged on update too, and counts for immutability", async () => {
  await one.create("secrets", { metadata: { name: "s", namespace: "a" }, data: { a: "MQ==" }, immutable: true })
  const same = await one.update("secrets", "a/s", (old) => ({ ...old, stringData: { a: "1" } }))
  expect(same.data).toEqual({ a: "MQ==" })
  await expect(one.update("secrets", "a/s", (old) => ({ ...old, stringData: { a: "2" } }))).rejects.toMatchObject({ code: 422 })
})

test("service accounts keep only the names of secrets", async () => {
  const secrets = [{ name: "x", namespace: "elsewhere", kind: "Secret", uid: "u" }]
  expect((await one.create("serviceaccounts", { metadata: { name: "s", namespace: "a" }, secrets })).secrets).toEqual([{ name: "x" }])
  const updated = await one.update("serviceaccounts", "a/s", (old) => ({ ...old, secrets: [{ name: "y", uid: "u" }] }))
  expect(updated.secrets).toEqual([{ name: "y" }])
})

test("endpoints are stored as they are sent, and failures name the client's field paths", async () => {
  const subsets = [
    { addresses: [{ ip: "192.0.2.2" }], ports: [{ port: 80 }] },
    { addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] },
  ]
  const created = await one.create("endpoints", { metadata: { name: "e", namespace: "a" }, subsets })
  expect(created.subsets).toEqual(subsets.map(({ addresses }) => ({ addresses, ports: [{ port: 80, protocol: "TCP" }] })))
  const wrong = [...subsets, { addresses: [{ ip: "127.0.0.1" }], ports: [{ port: 80 }] }]
  const fault = { code: 422, details: { causes: [expect.objectContaining({ field: "subsets[2].addresses[0].ip" })] } }
  await expect(one.create("endpoints", { metadata: { name: "f", namespace: "a" }, subsets: wrong })).rejects.toMatchObject(fault)
})

test("a new namespace is active, labelled, and held by the server's finalizer", async () => {
  const created = await one.create("namespaces", {
    metadata: { name: "n", labels: { "orch.io/metadata.name": "wrong" } },
    spec: { finalizers: ["example.com/own"] },
  })
  expect(created).toMatchObject({
    metadata: { labels: { "orch.io/metadata.name": "n" } },
    spec: { finalizers: ["example.com/own", "orch"] },
    status: { phase: "Active" },
  })
})

test("deleting a namespace marks it; it disappears with its last finalizer", async () => {
  await one.create("namespaces", { metadata: { name: "n" } })
  const { object, removed } = await one.remove("namespaces", "n")
  expect(removed).toBe(false)
  expect(object.status).toMatchObject({ phase: "Terminating" })
  expect((await one.remove("namespaces", "n")).removed).toBe(false)
  await one.update("namespaces", "n", (old) => ({ ...old, spec: { finalizers: [] } }), { subresource: "finalize" })
  expect(await one.get("namespaces", "n")).toBeUndefined()
})
