import { afterEach, beforeEach, expect, test } from "vitest"
import { beforeCommit, countCommits, failCommits, retried } from "../../../test/support/controller-faults.ts"
import { makePod, makeService, report } from "../../../test/support/endpoint-objects.ts"
import { openRegistry, type OpenRegistry } from "../../../test/support/open-registry.ts"
import type { Endpoints } from "../../../generated/core/v1/endpoints/types.ts"
import { nextTurn } from "../../base/turns.ts"
import type { KindHandle } from "../../registry/registry.ts"
import type { Kind } from "../../schema/kind.ts"
import { typed } from "../../schema/typed.ts"
import type { KeyedController } from "../keyed-controller.ts"
import { startEndpointsController } from "./endpoints-controller.ts"

let one: OpenRegistry
let controller: KeyedController
beforeEach(async () => {
  one = await openRegistry()
  controller = startEndpointsController(one)
})
afterEach(async () => {
  await controller.stop()
  await one.close()
})

async function endpoints(): Promise<Endpoints> {
  await controller.idle()
  return typed((await one.get("endpoints", "a/web")) ?? {})
}

/** `ip:port` of ready addresses, `(ip:port)` of others. */
async function addresses(): Promise<string[]> {
  const { subsets = [] } = await endpoints()
  return subsets.flatMap(({ addresses: ready = [], notReadyAddresses: others = [], ports = [] }) => {
    const to = ports.map(({ port }) => port).join(",")
    return [...ready.map(({ ip }) => `${ip}:${to}`), ...others.map(({ ip }) => `(${ip}:${to})`)]
  })
}

test("the pods that a service selects are its addresses", async () => {
  await makeService(one, {}, { labels: { team: "x" } })
  await makePod(one, "p1", { ips: ["10.1.0.1"] })
  await makePod(one, "p2", { ips: ["10.1.0.2"], ready: false })
  await makePod(one, "other", { ips: ["10.1.0.3"], labels: { app: "db" } })
  await makePod(one, "ended", { ips: ["10.1.0.4"], phase: "Succeeded" })
  const uid = (await one.get("pods", "a/p1"))?.metadata?.uid
  expect((await endpoints()).subsets).toEqual([
    {
      addresses: [{ ip: "10.1.0.1", nodeName: "node", targetRef: { kind: "Pod", namespace: "a", name: "p1", uid } }],
      notReadyAddresses: [expect.objectContaining({ ip: "10.1.0.2" })],
      ports: [{ name: "http", port: 8080, protocol: "TCP" }],
    },
  ])
  expect((await endpoints()).metadata.labels).toEqual({ team: "x" })
})

test("changes of pods and services are followed", async () => {
  await makeService(one)
  expect(await addresses()).toEqual([])
  await makePod(one, "p1")
  expect(await addresses()).toEqual(["10.1.0.1:8080"])
  await report(one, "p1", { ready: false })
  expect(await addresses()).toEqual(["(10.1.0.1:8080)"])
  await one.update("pods", "a/p1", (old) => ({ ...old, metadata: { ...old.metadata, labels: { app: "db" } } }))
  expect(await addresses()).toEqual([])
  await one.update("services", "a/web", (old) => ({ ...old, spec: { ...(old["spec"] as object), selector: { app: "db" } } }))
  expect(await addresses()).toEqual(["(10.1.0.1:8080)"])
  await one.remove("pods", "a/p1", { gracePeriodSeconds: 0 })
  expect(await addresses()).toEqual([])
  await one.remove("services", "a/web")
  await controller.idle()
  expect(await one.names("endpoints")).toEqual([])
})

test("ports by name are those of each pod, and a pod without the port is left out", async () => {
  await makeService(one, {
    ports: [
      { name: "http", port: 80, targetPort: "http" },
      { name: "raw", port: 81, targetPort: 9000 },
    ],
  })
  await makePod(one, "p1", { ips: ["10.1.0.1"], port: 8080 })
  await makePod(one, "p2", { ips: ["10.1.0.2"], port: 8081 })
  expect(await addresses()).toEqual(["10.1.0.1:9000", "10.1.0.2:9000", "10.1.0.1:8080", "10.1.0.2:8081"])
  await one.update("services", "a/web", (old) => ({
    ...old,
    spec: { ...(old["spec"] as object), ports: [{ port: 80, targetPort: "nothing" }] },
  }))
  expect(await addresses()).toEqual([])
})

test("a headless service has a label and needs no ports; a hostname is kept where it is below the service", async () => {
  await makeService(one, { clusterIP: "None", ports: [] })
  await makePod(one, "p1", { spec: { hostname: "first", subdomain: "web" } })
  await makePod(one, "p2", { ips: ["10.1.0.2"], spec: { hostname: "second", subdomain: "elsewhere" } })
  const { metadata, subsets } = await endpoints()
  expect(metadata.labels).toEqual({ "service.orch.io/headless": "" })
  expect(subsets?.[0]?.addresses?.map(({ hostname }) => hostname)).toEqual(["first", undefined])
  expect(subsets?.[0]?.ports).toBeUndefined()
})

test("publishNotReadyAddresses takes all pods, also those that are ending", async () => {
  await makeService(one)
  await makePod(one, "p1", { ready: false })
  await makePod(one, "p2", { ips: ["10.1.0.2"] })
  await one.remove("pods", "a/p2", { gracePeriodSeconds: 30 })
  expect(await addresses()).toEqual(["(10.1.0.1:8080)"])
  await one.update("services", "a/web", (old) => ({ ...old, spec: { ...(old["spec"] as object), publishNotReadyAddresses: true } }))
  expect(await addresses()).toEqual(["10.1.0.1:8080", "10.1.0.2:8080"])
})

test("Endpoints that somebody made for a service without a selector stay", async () => {
  await one.create("endpoints", {
    metadata: { name: "web", namespace: "a" },
    subsets: [{ addresses: [{ ip: "10.9.0.1" }], ports: [{ port: 1 }] }],
  })
  await one.create("services", { metadata: { name: "web", namespace: "a" }, spec: { ports: [{ port: 80 }] } })
  expect(await addresses()).toEqual(["10.9.0.1:1"])
})

test("at the start, those of services that are gone go, and those that elect a leader stay", async () => {
  await controller.stop()
  await one.create("endpoints", { metadata: { name: "web", namespace: "a" } })
  await one.create("endpoints", {
    metadata: { name: "leader", namespace: "a", annotations: { "control-plane.alpha.orch.io/leader": "{}" } },
  })
  controller = startEndpointsController(one)
  await controller.idle()
  expect(await one.names("endpoints")).toEqual(["a/leader"])
})

test("nothing is written for changes that are none of the endpoints, nor after a restart", async () => {
  await makeService(one)
  await makePod(one, "p1")
  await controller.idle()
  const commits = countCommits(one, "/services/endpoints/")
  await one.update("pods", "a/p1", (old) => ({ ...old, metadata: { ...old.metadata, annotations: { note: "x" } } }))
  await controller.idle()
  await controller.stop()
  controller = startEndpointsController(one)
  await controller.idle()
  expect(commits()).toBe(0)
})

test("a stop before all pods are known writes nothing that lacks them", async () => {
  await makeService(one)
  await makePod(one, "p1")
  await controller.idle()
  await controller.stop()
  const commits = countCommits(one, "/services/endpoints/")
  let release = (): void => {}
  const podsLate = new Promise<void>((resolve) => {
    release = resolve
  })
  const handle = async (kind: Kind): Promise<KindHandle> => {
    if (kind.resource === "pods") await podsLate
    return one.registry.handle(kind)
  }
  const late = startEndpointsController({ ...one, registry: Object.assign(Object.create(one.registry), { handle }) })
  for (let turn = 0; turn < 20; turn++) await nextTurn()
  const stopped = late.stop()
  release()
  await stopped
  expect(commits()).toBe(0)
})

test("a change that is none of the endpoints is not looked at, nor are services that do not select the pod", async () => {
  await makeService(one)
  await makeService(one, { selector: { app: "db" } }, { name: "db" })
  await makePod(one, "p1")
  await controller.stop()
  let looks = 0
  controller = startEndpointsController({
    ...one,
    api(user) {
      looks++
      return one.api(user)
    },
  })
  await controller.idle()
  looks = 0
  await one.update("pods", "a/p1", (old) => ({ ...old, metadata: { ...old.metadata, annotations: { note: "x" } } }))
  await controller.idle()
  expect(looks).toBe(0)
  await report(one, "p1", { ready: false })
  await controller.idle()
  expect(looks).toBe(1)
})

test("more than a thousand addresses are cut, and say so", async () => {
  await controller.stop()
  await makeService(one)
  for (let index = 0; index < 1010; index++)
    await makePod(one, `p${index}`, { ips: [`10.2.${index >> 8}.${index & 255 || 1}`], ready: index >= 20 })
  controller = startEndpointsController(one)
  const { metadata, subsets = [] } = await endpoints()
  expect(metadata.annotations).toMatchObject({ "endpoints.orch.io/over-capacity": "truncated" })
  expect([subsets[0]?.addresses?.length, subsets[0]?.notReadyAddresses?.length]).toEqual([990, 10])
})

test("a conflict, a store that fails and a service that goes meanwhile", async () => {
  await makeService(one)
  await controller.idle()
  const changed = beforeCommit(one, "/services/endpoints/a/web", () =>
    one.update("endpoints", "a/web", (old) => ({ ...old, metadata: { ...old.metadata, annotations: { other: "yes" } } })),
  )
  await makePod(one, "p1")
  await retried(one, controller)
  expect([changed(), await addresses(), (await endpoints()).metadata.annotations]).toEqual([true, ["10.1.0.1:8080"], { other: "yes" }])
  const failed = failCommits(one, "/services/endpoints/a/web", 2)
  await makePod(one, "p2", { ips: ["10.1.0.2"] })
  await retried(one, controller)
  expect([failed(), await addresses()]).toEqual([2, ["10.1.0.1:8080", "10.1.0.2:8080"]])
  const gone = beforeCommit(one, "/services/endpoints/a/web", () => one.remove("services", "a/web"))
  await report(one, "p1", { ready: false })
  await retried(one, controller)
  expect([gone(), await one.names("endpoints")]).toEqual([true, []])
})

test("Endpoints that are refused are reported by an Event", async () => {
  await makeService(one)
  await makePod(one, "p1", { ips: ["127.0.0.1"] })
  await controller.idle()
  const [path = ""] = await one.names("events")
  expect(await one.get("events", path)).toMatchObject({
    type: "Warning",
    reason: "FailedToUpdateEndpoint",
    involvedObject: { kind: "Endpoints", namespace: "a", name: "web" },
    message: expect.stringContaining("127.0.0.1"),
  })
})

test("Endpoints that are written say since when what they tell is so", async () => {
  const service = await makeService(one)
  const time = async (): Promise<string | undefined> =>
    (await endpoints()).metadata.annotations?.["endpoints.orch.io/last-change-trigger-time"]
  expect(await time()).toBe(service.metadata?.creationTimestamp)
  await makePod(one, "p1", { since: "2030-01-01T00:00:01Z" })
  expect(await time()).toBe("2030-01-01T00:00:01Z")
  await report(one, "p1", { ips: ["10.1.0.9"], since: "2030-01-01T00:00:01Z" })
  expect(await time()).toBeUndefined()
})
