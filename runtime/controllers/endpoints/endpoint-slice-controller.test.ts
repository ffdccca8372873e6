import { afterEach, beforeEach, expect, test } from "vitest"
import { beforeCommit, countCommits, failCommits, retried } from "../../../test/support/controller-faults.ts"
import { makePod, makeService, report } from "../../../test/support/endpoint-objects.ts"
import { openRegistry, type OpenRegistry } from "../../../test/support/open-registry.ts"
import type { EndpointSlice } from "../../../generated/discovery.orch.io/v1/endpoint-slice/types.ts"
import { typed } from "../../schema/typed.ts"
import type { KeyedController } from "../keyed-controller.ts"
import { startEndpointSliceController } from "./endpoint-slice-controller.ts"
import { startEndpointsController } from "./endpoints-controller.ts"

let one: OpenRegistry
let controller: KeyedController
beforeEach(async () => {
  one = await openRegistry({ behaviourOptions: { "service-cluster-ip-range": ["10.0.0.0/24", "fd00::/112"] } })
  controller = startEndpointSliceController(one)
})
afterEach(async () => {
  await controller.stop()
  await one.close()
})

async function slices(): Promise<EndpointSlice[]> {
  await controller.idle()
  const all = await Promise.all((await one.names("endpointslices")).map((path) => one.get("endpointslices", path)))
  return all.map((slice) => typed<EndpointSlice>(slice ?? {}))
}

/** Addresses of each slice. */
async function addresses(): Promise<string[][]> {
  return (await slices()).map(({ endpoints }) => (endpoints ?? []).flatMap((endpoint) => endpoint.addresses))
}

test("a slice names its service as owner, and each pod with its state", async () => {
  const service = await makeService(one, {}, { labels: { team: "x", "orch.io/service-name": "forged" } })
  await makePod(one, "p1")
  await makePod(one, "p2", { ips: ["10.1.0.2"], ready: false })
  const uid = (await one.get("pods", "a/p1"))?.metadata?.uid
  expect(await slices()).toEqual([
    expect.objectContaining({
      addressType: "IPv4",
      ports: [{ name: "http", port: 8080, protocol: "TCP" }],
      metadata: expect.objectContaining({
        generateName: "web-",
        labels: { team: "x", "orch.io/service-name": "web", "endpointslice.orch.io/managed-by": "endpointslice-controller.orch.io" },
        ownerReferences: [
          { apiVersion: "v1", kind: "Service", name: "web", uid: service.metadata?.uid, controller: true, blockOwnerDeletion: true },
        ],
      }),
      endpoints: [
        {
          addresses: ["10.1.0.1"],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: "node",
          targetRef: { kind: "Pod", namespace: "a", name: "p1", uid },
        },
        expect.objectContaining({ addresses: ["10.1.0.2"], conditions: { ready: false, serving: false, terminating: false } }),
      ],
    }),
  ])
})

test("a service without pods has one empty slice, of each family", async () => {
  await makeService(one, { ipFamilyPolicy: "RequireDualStack" })
  const empty = await slices()
  expect(empty.map(({ addressType, endpoints }) => [addressType, endpoints]).sort()).toEqual([
    ["IPv4", null],
    ["IPv6", null],
  ])
  await makePod(one, "p1", { ips: ["10.1.0.1", "fd01::1"] })
  expect((await addresses()).sort()).toEqual([["10.1.0.1"], ["fd01::1"]])
  // The empty slices were filled.
  expect((await slices()).map(({ metadata }) => metadata.name).sort()).toEqual(empty.map(({ metadata }) => metadata.name).sort())
})

test("a pod that ends serves until it is gone, and is ready only if the service publishes those that are not", async () => {
  await makeService(one)
  await makePod(one, "p1")
  await one.remove("pods", "a/p1", { gracePeriodSeconds: 30 })
  const conditions = async (): Promise<unknown> => (await slices())[0]?.endpoints?.[0]?.conditions
  expect(await conditions()).toEqual({ ready: false, serving: true, terminating: true })
  await one.update("services", "a/web", (old) => ({ ...old, spec: { ...(old["spec"] as object), publishNotReadyAddresses: true } }))
  expect(await conditions()).toEqual({ ready: true, serving: true, terminating: true })
})

test("a hundred endpoints to a slice, and a change writes one slice", async () => {
  await controller.stop()
  await makeService(one)
  for (let index = 0; index < 250; index++) await makePod(one, `p${index}`, { ips: [`10.2.0.${index + 1}`] })
  controller = startEndpointSliceController(one)
  expect((await addresses()).map((slice) => slice.length).sort()).toEqual([100, 100, 50])
  const commits = countCommits(one, "/endpointslices/")
  await report(one, "p7", { ips: ["10.2.0.8"], ready: false })
  await report(one, "p8", { ips: ["10.2.0.9"], ready: false })
  await controller.idle()
  // A service with so many pods waits a little.
  expect(commits()).toBe(0)
  await retried(one, controller, 250)
  expect(commits()).toBe(1)
  await makePod(one, "more", { ips: ["10.3.0.1"] })
  await controller.idle()
  await retried(one, controller, 250)
  expect((await addresses()).map((slice) => slice.length).sort()).toEqual([100, 100, 51])
  expect(commits()).toBe(2)
})

test("what others change is put right, and slices of others stay", async () => {
  await makeService(one)
  await makePod(one, "p1")
  const [slice] = await slices()
  await one.create("endpointslices", {
    metadata: { name: "mine", namespace: "a", labels: { "orch.io/service-name": "web" } },
    addressType: "IPv4",
    endpoints: [],
  })
  await one.update("endpointslices", `a/${slice?.metadata.name}`, (old) => ({ ...old, endpoints: [] }))
  expect(await addresses()).toEqual([[], ["10.1.0.1"]])
  await one.remove("endpointslices", `a/${slice?.metadata.name}`)
  expect(await addresses()).toEqual([[], ["10.1.0.1"]])
  expect((await slices()).map(({ metadata }) => metadata.name)).not.toContain(slice?.metadata.name)
})

test("ports that differ make slices of their own; those that are not used any more go", async () => {
  await makeService(one)
  await makePod(one, "p1", { port: 8080 })
  await makePod(one, "p2", { ips: ["10.1.0.2"], port: 9090 })
  expect((await slices()).map(({ ports }) => ports?.[0]?.port).sort()).toEqual([8080, 9090])
  await one.update("services", "a/web", (old) => ({ ...old, spec: { ...(old["spec"] as object), ports: [{ port: 80, targetPort: 1 }] } }))
  expect((await slices()).map(({ ports, endpoints }) => [ports?.[0]?.port, endpoints?.length])).toEqual([[1, 2]])
})

test("a restart, and a change that is none of the endpoints, write nothing", async () => {
  await makeService(one, { clusterIP: "None" }, { labels: { team: "x" } })
  await makePod(one, "p1")
  await controller.idle()
  const commits = countCommits(one, "/endpointslices/")
  await one.update("pods", "a/p1", (old) => ({ ...old, metadata: { ...old.metadata, annotations: { note: "x" } } }))
  await controller.stop()
  controller = startEndpointSliceController(one)
  await controller.idle()
  expect(commits()).toBe(0)
})

test("a conflict, a store that fails and a slice that goes meanwhile", async () => {
  await makeService(one)
  await makePod(one, "p1")
  const [slice] = await slices()
  const path = `a/${slice?.metadata.name}`
  const changed = beforeCommit(one, `/endpointslices/${path}`, () =>
    one.update("endpointslices", path, (old) => ({ ...old, metadata: { ...old.metadata, annotations: { other: "yes" } } })),
  )
  await report(one, "p1", { ready: false })
  await retried(one, controller)
  expect([changed(), (await slices())[0]?.metadata.annotations]).toEqual([true, { other: "yes" }])
  expect((await slices())[0]?.endpoints?.[0]?.conditions.ready).toBe(false)
  const failed = failCommits(one, "/endpointslices/", 2)
  await report(one, "p1", {})
  await retried(one, controller)
  expect([failed(), (await slices())[0]?.endpoints?.[0]?.conditions.ready]).toEqual([2, true])
  const gone = beforeCommit(one, `/endpointslices/${path}`, () => one.remove("endpointslices", path))
  await makePod(one, "p2", { ips: ["10.1.0.2"] })
  await retried(one, controller)
  expect([gone(), await addresses()]).toEqual([true, [["10.1.0.1", "10.1.0.2"]]])
})

test("both controllers of endpoints read each pod once", async () => {
  await controller.stop()
  const deps = { ...one }
  const [slice, endpoints] = [startEndpointSliceController(deps), startEndpointsController(deps)]
  await makeService(one)
  await makePod(one, "p1")
  await Promise.all([slice.idle(), endpoints.idle()])
  await slice.stop()
  await makePod(one, "p2", { ips: ["10.1.0.2"] })
  await endpoints.idle()
  const { subsets } = (await one.get("endpoints", "a/web")) as unknown as { subsets: { addresses: unknown[] }[] }
  expect(subsets[0]?.addresses).toHaveLength(2)
  await endpoints.stop()
})

const triggerTime = "endpoints.orch.io/last-change-trigger-time"
const makeNode = (name: string, zone: string) => one.create("nodes", { metadata: { name, labels: { "topology.orch.io/zone": zone } } })

async function zones(): Promise<Record<string, string | null | undefined>> {
  const all = (await slices()).flatMap(({ endpoints }) => endpoints ?? [])
  return Object.fromEntries(all.map(({ targetRef, zone }) => [targetRef?.name ?? "", zone]))
}

test("an endpoint has the zone of its node, also when that is known later, changes or goes", async () => {
  await makeNode("node", "east")
  await makeService(one)
  await makePod(one, "p1")
  await makePod(one, "p2", { ips: ["10.1.0.2"], spec: { nodeName: "other" } })
  expect(await zones()).toEqual({ p1: "east", p2: undefined })
  await makeNode("other", "west")
  expect(await zones()).toEqual({ p1: "east", p2: "west" })
  await one.update("nodes", "node", (old) => ({ ...old, metadata: { ...old.metadata, labels: { "topology.orch.io/zone": "south" } } }))
  expect(await zones()).toEqual({ p1: "south", p2: "west" })
  await one.remove("nodes", "other")
  expect(await zones()).toEqual({ p1: "south", p2: undefined })
})

test("changes of nodes that are none of the zones write nothing, and a restart neither", async () => {
  await makeNode("node", "east")
  await makeService(one)
  await makePod(one, "p1")
  await controller.idle()
  const commits = countCommits(one, "/endpointslices/")
  await one.update("nodes", "node", (old) => ({ ...old, status: { phase: "Running" } }), { subresource: "status" })
  await makeNode("empty", "west")
  await controller.idle()
  await controller.stop()
  controller = startEndpointSliceController(one)
  await controller.idle()
  expect(commits()).toBe(0)
  expect(await zones()).toEqual({ p1: "east" })
})

test("a slice that is written says since when what it tells is so", async () => {
  const service = await makeService(one)
  const times = async (): Promise<(string | undefined)[]> => (await slices()).map(({ metadata }) => metadata.annotations?.[triggerTime])
  expect(await times()).toEqual([service.metadata?.creationTimestamp])
  await makePod(one, "p1", { since: "2030-01-01T00:00:01Z" })
  expect(await times()).toEqual(["2030-01-01T00:00:01Z"])
  await report(one, "p1", { ready: false, since: "2030-01-01T00:00:09Z" })
  expect(await times()).toEqual(["2030-01-01T00:00:09Z"])
  await report(one, "p1", { ips: ["10.1.0.9"], ready: false, since: "2030-01-01T00:00:09Z" })
  expect(await times()).toEqual([undefined])
})
