import { afterEach, expect, test } from "vitest"
import { openRegistry, type OpenRegistry, type OpenRegistryOptions } from "../../test/support/open-registry.ts"
import type { Controller } from "./controller.ts"
import { type Bootstrap, type BootstrapOptions, startBootstrap } from "./bootstrap.ts"

const running: Controller[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})

async function open(options: OpenRegistryOptions = {}): Promise<OpenRegistry> {
  const one = await openRegistry(options)
  running.push({ stop: () => one.close() })
  return one
}

async function start(one: OpenRegistry, options: Partial<BootstrapOptions> = {}): Promise<Bootstrap> {
  const bootstrap = startBootstrap(one, { address: "192.0.2.1", port: 6443, shared: false, ...options })
  running.unshift(bootstrap)
  await bootstrap.done
  return bootstrap
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

async function addresses(one: OpenRegistry): Promise<unknown> {
  return (await one.get("endpoints", "default/orch"))?.subsets
}

test("namespaces, Service and endpoints exist after the first start", async () => {
  const one = await open()
  await start(one)
  expect(await one.names("namespaces")).toEqual(["default", "orch-node-lease", "orch-public", "orch-system"])
  expect(await one.get("services", "default/orch")).toMatchObject({
    metadata: { labels: { component: "apiserver", provider: "orch" } },
    spec: {
      type: "ClusterIP",
      clusterIP: "10.0.0.1",
      ipFamilyPolicy: "SingleStack",
      ports: [{ name: "https", port: 443, targetPort: 6443, protocol: "TCP" }],
    },
  })
  expect(await one.get("endpoints", "default/orch")).toMatchObject({
    metadata: { labels: { "endpointslice.orch.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ name: "https", port: 6443, protocol: "TCP" }] }],
  })
})

test("another start writes nothing", async () => {
  const one = await open()
  await start(one)
  const before = await one.store.revision()
  await start(one)
  expect(await one.store.revision()).toBe(before)
})

test("several servers that start together create everything once", async () => {
  const first = await open()
  const others = await Promise.all([1, 2, 3].map(() => open({ store: first.store, clock: first.clock })))
  await Promise.all([first, ...others].map((one) => start(one)))
  expect(await first.names("services")).toEqual(["default/orch"])
  expect(first.logged).toEqual([])
})

test("a changed port and address are corrected, users' changes to the Service stay", async () => {
  const one = await open()
  await start(one)
  await one.update("services", "default/orch", (old) => ({
    ...old,
    metadata: { ...old.metadata, labels: { ...old.metadata?.labels, a: "b" } },
  }))
  await start(one, { port: 7443, address: "192.0.2.9" })
  expect(await one.get("services", "default/orch")).toMatchObject({
    metadata: { labels: { a: "b" } },
    spec: { clusterIP: "10.0.0.1", ports: [{ targetPort: 7443 }] },
  })
  expect(await addresses(one)).toMatchObject([{ addresses: [{ ip: "192.0.2.9" }], ports: [{ port: 7443 }] }])
})

test.each(["127.0.0.1", "::1", "169.254.1.1", "0.0.0.0"])(
  "%s is not reachable by others: the endpoints exist and are empty",
  async (address) => {
    const one = await open()
    await start(one, { address })
    expect(await one.names("services")).toEqual(["default/orch"])
    expect(await one.names("endpoints")).toEqual(["default/orch"])
    expect((await addresses(one)) ?? []).toEqual([])
  },
)

test("a server that becomes unreachable removes its address", async () => {
  const one = await open()
  await (await start(one, { address: "192.0.2.9" })).stop()
  await start(one, { address: "127.0.0.1" })
  expect((await addresses(one)) ?? []).toEqual([])
})

test("deleted objects are created again", async () => {
  const one = await open()
  const bootstrap = await start(one)
  await one.remove("services", "default/orch")
  expect(await one.names("endpoints")).toEqual([])
  one.clock.advance(60_000)
  await bootstrap.stop()
  expect([await one.names("services"), await one.names("endpoints")]).toEqual([["default/orch"], ["default/orch"]])
})

test("a request that fails at first is retried", async () => {
  const one = await open()
  const commit = one.store.commit.bind(one.store)
  one.store.commit = () => Promise.reject(new Error("no route to the store"))
  const bootstrap = startBootstrap(one, { address: "192.0.2.1", port: 6443, shared: false })
  running.unshift(bootstrap)
  await settle()
  expect(one.logged).toHaveLength(1)
  one.store.commit = commit
  one.clock.advance(1000)
  await bootstrap.done
  expect(await one.names("services")).toEqual(["default/orch"])
})

test("the endpoints are those of all live servers", async () => {
  const [first, second] = [await open(), await open()]
  const other = await open({ store: first.store, clock: first.clock })
  await second.close()
  const one = await start(first, { shared: true, address: "192.0.2.1" })
  const two = await start(other, { shared: true, address: "192.0.2.2" })
  expect(await addresses(first)).toMatchObject([{ addresses: [{ ip: "192.0.2.1" }, { ip: "192.0.2.2" }] }])
  await two.stop()
  expect(await addresses(first)).toMatchObject([{ addresses: [{ ip: "192.0.2.1" }] }])
  await one.stop()
  expect(await addresses(first)).toMatchObject([{ addresses: [{ ip: "192.0.2.1" }] }])
})

test("a dead server is removed when its lease has expired", async () => {
  const first = await open()
  await start(first, { shared: true, address: "192.0.2.1" })
  const prefix = first.registry.deps.storePrefix
  await first.store.commit({
    checks: [],
    writes: [{ type: "put", key: `${prefix}masterleases/192.0.2.7`, value: Buffer.from("x"), ttlSeconds: 15 }],
  })
  for (let seconds = 0; seconds < 40; seconds += 10) {
    first.clock.advance(10_000)
    await settle()
    await settle()
  }
  expect(await addresses(first)).toMatchObject([{ addresses: [{ ip: "192.0.2.1" }] }])
})
