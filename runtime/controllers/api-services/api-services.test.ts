import { afterEach, expect, test } from "vitest"
import { openRegistry, type OpenRegistry } from "../../../test/support/open-registry.ts"
import { serverUser } from "../../admission/server-identity.ts"
import type { Controller } from "../controller.ts"
import { startApiServiceAvailability } from "./availability.ts"
import { startApiServiceRegistration } from "./registration.ts"

const running: Controller[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

async function open(options: Parameters<typeof openRegistry>[0] = {}): Promise<OpenRegistry> {
  const one = await openRegistry(options)
  running.push({ stop: () => one.close() })
  return one
}

async function register(one: OpenRegistry): Promise<void> {
  const registration = startApiServiceRegistration(one, Promise.resolve())
  await registration.made
  await registration.stop()
}

const label = "kube-aggregator.orch.io/automanaged"
const servicesOf = (one: OpenRegistry) => one.api(serverUser).apiregistration.v1.apiservices

test("each group version of the server has one, in the reference's order", async () => {
  const one = await open()
  await register(one)
  const names = await one.names("apiservices")
  expect(names).toEqual(expect.arrayContaining(["v1.", "v1.apps", "v2.autoscaling", "v1.storage.orch.io"]))
  expect(names).not.toContain("v1.apiregistration.orch.io")
  expect(await one.get("apiservices", "v2.autoscaling")).toMatchObject({
    metadata: { labels: { [label]: "onstart" } },
    spec: { group: "autoscaling", version: "v2", groupPriorityMinimum: 17_500, versionPriority: 30 },
    status: { conditions: [{ type: "Available", status: "True", reason: "Local" }] },
  })
  expect(await one.get("apiservices", "v1.")).toMatchObject({ spec: { version: "v1", groupPriorityMinimum: 18_000, versionPriority: 1 } })
  const before = await one.store.revision()
  await register(one)
  expect(await one.store.revision()).toBe(before)
})

test("what users change and delete stays until the next start, and what they take over stays for ever", async () => {
  const one = await open()
  const first = startApiServiceRegistration(one, Promise.resolve())
  await first.made
  await servicesOf(one).delete("v1.batch")
  await servicesOf(one).patch("v1.apps", { spec: { versionPriority: 3 } })
  await servicesOf(one).patch("v1.policy", { metadata: { labels: { [label]: null } }, spec: { versionPriority: 3 } })
  await first.stop()
  expect(await one.get("apiservices", "v1.batch")).toBeUndefined()
  expect(await one.get("apiservices", "v1.apps")).toMatchObject({ spec: { versionPriority: 3 } })
  await register(one)
  expect(await one.get("apiservices", "v1.batch")).toMatchObject({ spec: { version: "v1" } })
  expect(await one.get("apiservices", "v1.apps")).toMatchObject({ spec: { versionPriority: 15 } })
  expect(await one.get("apiservices", "v1.policy")).toMatchObject({ spec: { versionPriority: 3 } })
})

test("those that nothing serves any more go, and a user's stays", async () => {
  const one = await open()
  const spec = { group: "gone.example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 100 }
  await servicesOf(one).create({ metadata: { name: "v1.gone.example.com", labels: { [label]: "true" } }, spec })
  await servicesOf(one).create({ metadata: { name: "v2.gone.example.com" }, spec: { ...spec, version: "v2" } })
  const registration = startApiServiceRegistration(one, Promise.resolve())
  running.unshift(registration)
  await expect.poll(() => one.get("apiservices", "v1.gone.example.com")).toBeUndefined()
  expect(await one.get("apiservices", "v2.gone.example.com")).toBeDefined()
})

test("several servers that start together make each once", async () => {
  const one = await open()
  const other = await open({ store: one.store, clock: one.clock })
  await Promise.all([register(one), register(other)])
  expect(one.logged).toEqual([])
  expect(await one.names("apiservices")).toContain("v1.apps")
})

test("an APIService with a service says what is missing before requests could be passed on", async () => {
  const one = await open()
  const availability = startApiServiceAvailability(one)
  running.unshift(availability)
  const service = { namespace: "ns", name: "s", port: 443 }
  const spec = { group: "x.example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 10, service }
  await servicesOf(one).create({ metadata: { name: "v1.x.example.com" }, spec })
  const { endpoints, namespaces, services } = one.api(serverUser).core.v1
  const says = (reason: string, message: string): Promise<void> =>
    expect
      .poll(async () => (await one.get("apiservices", "v1.x.example.com"))?.status)
      .toMatchObject({ conditions: [{ type: "Available", status: "False", reason, message }] })
  await says("ServiceNotFound", 'service/s in "ns" is not present')
  await namespaces.create({ metadata: { name: "ns" } })
  await services.create("ns", { metadata: { name: "s" }, spec: { ports: [{ name: "h", port: 80 }] } })
  await says("ServicePortError", 'service/s in "ns" is not listening on port 443')
  await services.patch("ns", "s", { spec: { ports: [{ name: "h", port: 443 }] } })
  await says("EndpointsNotFound", 'cannot find endpoints for service/s in "ns"')
  await endpoints.create("ns", { metadata: { name: "s" }, subsets: [] })
  await says("MissingEndpoints", 'endpoints for service/s in "ns" have no addresses with port name "h"')
  const subset = { addresses: [{ ip: "10.1.2.3" }], ports: [{ name: "h", port: 8443, protocol: "TCP" as const }] }
  await endpoints.patch("ns", "s", { subsets: [subset] })
  await says("FailedDiscoveryCheck", "this server passes no requests on to other API servers")
  await services.delete("ns", "s")
  await says("ServiceNotFound", 'service/s in "ns" is not present')
})
