import { afterEach, beforeEach, expect, test } from "vitest"
import { countCommits, failCommits, retried } from "../../../test/support/controller-faults.ts"
import { openRegistry, type OpenRegistry } from "../../../test/support/open-registry.ts"
import type { EndpointSlice } from "../../../generated/discovery.orch.io/v1/endpoint-slice/types.ts"
import type { ApiObject, JsonObject } from "../../base/json.ts"
import { typed } from "../../schema/typed.ts"
import type { KeyedController } from "../keyed-controller.ts"
import { startEndpointSliceMirroring } from "./endpoint-slice-mirroring.ts"

let one: OpenRegistry
let controller: KeyedController
beforeEach(async () => {
  one = await openRegistry()
  controller = startEndpointSliceMirroring(one)
})
afterEach(async () => {
  await controller.stop()
  await one.close()
})

const subsets = [
  { addresses: [{ ip: "10.1.0.1", hostname: "h" }], notReadyAddresses: [{ ip: "fd01::1" }], ports: [{ name: "p", port: 80 }] },
]

const makeEndpoints = (metadata: JsonObject = {}): Promise<ApiObject> =>
  one.create("endpoints", { metadata: { name: "web", namespace: "a", ...metadata }, subsets })

const makeService = (spec: JsonObject = {}): Promise<ApiObject> =>
  one.create("services", { metadata: { name: "web", namespace: "a" }, spec: { ports: [{ port: 80 }], ...spec } })

async function slices(): Promise<EndpointSlice[]> {
  await controller.idle()
  const all = await Promise.all((await one.names("endpointslices")).map((path) => one.get("endpointslices", path)))
  return all.map((slice) => typed<EndpointSlice>(slice ?? {})).sort((left, right) => (left.addressType < right.addressType ? -1 : 1))
}

test("hand-made Endpoints are mirrored, a slice for each family", async () => {
  await makeService()
  const { metadata } = await makeEndpoints({
    labels: { team: "x" },
    annotations: {
      note: "y",
      "kubectl.kubernetes.io/last-applied-configuration": "{}",
      "endpoints.orch.io/last-change-trigger-time": "2026-01-01T00:00:00Z",
    },
  })
  const [four, six] = await slices()
  expect(four).toMatchObject({
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.1.0.1"], hostname: "h", conditions: { ready: true } }],
    ports: [{ name: "p", port: 80, protocol: "TCP" }],
  })
  expect(four?.metadata).toMatchObject({
    labels: { team: "x", "orch.io/service-name": "web", "endpointslice.orch.io/managed-by": "endpointslicemirroring-controller.orch.io" },
    annotations: { note: "y" },
    ownerReferences: [{ apiVersion: "v1", kind: "Endpoints", name: "web", uid: metadata?.uid, controller: true }],
  })
  expect(four?.metadata.annotations).toEqual({ note: "y" })
  expect(six).toMatchObject({ addressType: "IPv6", endpoints: [{ addresses: ["fd01::1"], conditions: { ready: false } }] })
})

test("changes and deletions are followed, and what others do to a slice is put right", async () => {
  await makeEndpoints()
  expect(await slices()).toEqual([])
  await makeService()
  expect(await slices()).toHaveLength(2)
  await one.update("endpoints", "a/web", (old) => ({
    ...old,
    subsets: [{ addresses: [{ ip: "10.1.0.9" }], ports: [{ name: "p", port: 80 }] }],
  }))
  expect((await slices()).map(({ endpoints }) => endpoints?.[0]?.addresses)).toEqual([["10.1.0.9"]])
  await one.remove("endpointslices", `a/${(await slices())[0]?.metadata.name}`)
  expect(await slices()).toHaveLength(1)
  await one.remove("endpoints", "a/web")
  expect(await slices()).toEqual([])
})

test.each<[string, () => Promise<unknown>]>([
  ["a service with a selector", async () => [await makeService({ selector: { app: "web" } }), await makeEndpoints()]],
  ["no service", async () => makeEndpoints()],
  [
    "the label skip-mirror",
    async () => [await makeService(), await makeEndpoints({ labels: { "endpointslice.orch.io/skip-mirror": "true" } })],
  ],
  ["an election", async () => [await makeService(), await makeEndpoints({ annotations: { "control-plane.alpha.orch.io/leader": "{}" } })]],
])("%s is not mirrored", async (_what, make) => {
  await make()
  expect(await slices()).toEqual([])
})

test("slices of Endpoints that went while no controller ran go at the start, and a restart writes nothing", async () => {
  await makeService()
  await makeEndpoints()
  expect(await slices()).toHaveLength(2)
  await controller.stop()
  const commits = countCommits(one, "/endpointslices/")
  controller = startEndpointSliceMirroring(one)
  expect([(await slices()).length, commits()]).toEqual([2, 0])
  await controller.stop()
  await one.remove("endpoints", "a/web")
  controller = startEndpointSliceMirroring(one)
  expect(await slices()).toEqual([])
})

test("a service that gets a selector loses its mirrored slices", async () => {
  await makeService()
  await makeEndpoints()
  expect(await slices()).toHaveLength(2)
  await one.update("services", "a/web", (old) => ({ ...old, spec: { ...(old["spec"] as object), selector: { app: "web" } } }))
  expect(await slices()).toEqual([])
})

test("more addresses than are mirrored are told by an Event; a store that fails is tried again", async () => {
  await makeService()
  const failed = failCommits(one, "/endpointslices/", 1)
  const addresses = Array.from({ length: 1001 }, (_, index) => ({ ip: `10.2.${index >> 8}.${index & 255}` })).slice(1)
  await one.create("endpoints", {
    metadata: { name: "web", namespace: "a" },
    subsets: [{ addresses: [...addresses, { ip: "10.9.0.1" }], ports: [{ port: 80 }] }],
  })
  await controller.idle()
  await retried(one, controller)
  expect([failed(), (await slices()).map(({ endpoints }) => endpoints?.length)]).toEqual([1, [1000]])
  const [path = ""] = await one.names("events")
  expect(await one.get("events", path)).toMatchObject({
    reason: "TooManyAddressesToMirror",
    type: "Warning",
    involvedObject: { kind: "Endpoints", name: "web" },
  })
})
