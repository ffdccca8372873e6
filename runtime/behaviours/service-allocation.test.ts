import { afterEach, expect, test } from "vitest"
import { openRegistry, type OpenRegistry, type OpenRegistryOptions } from "../../test/support/open-registry.ts"
import { ApiError } from "../base/errors.ts"
import { type ApiObject, isObject, type JsonObject } from "../base/json.ts"
import type { Store } from "../storage/store.ts"
import { Bitmap } from "./services/bitmap.ts"
import { decodeAllocation } from "./services/range-allocation.ts"
import { serviceRanges } from "./services/ranges.ts"

const opened: OpenRegistry[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

async function open(options: OpenRegistryOptions = {}): Promise<OpenRegistry> {
  const one = await openRegistry(options)
  opened.push(one)
  return one
}

const dualStack = { behaviourOptions: { "service-cluster-ip-range": ["10.0.0.0/24", "fd00::/112"] } }

function service(name: string, spec: JsonObject = {}): ApiObject {
  return { metadata: { name, namespace: "a" }, spec: { ports: [{ port: 80 }], ...spec } }
}

function specOf(object: ApiObject | undefined): JsonObject {
  return isObject(object?.spec) ? object.spec : {}
}

function portsOf(object: ApiObject | undefined): JsonObject[] {
  const { ports } = specOf(object)
  return Array.isArray(ports) ? ports.filter(isObject) : []
}

const withSpec =
  (change: (spec: JsonObject) => JsonObject) =>
  (old: ApiObject): ApiObject => ({ ...old, spec: change(specOf(old)) })

/** Everything that is allocated in the stored ranges. */
async function taken({ registry, store }: OpenRegistry): Promise<string[]> {
  const { options, key } = registry.deps.behaviourDeps
  const { addresses, nodePorts } = serviceRanges(options)
  const found: string[] = []
  for (const range of [...addresses.values(), nodePorts]) {
    const stored = await store.get({ key: key(range.path) })
    const bitmap = stored === undefined ? new Bitmap(range.size) : decodeAllocation(range, stored.value)
    for (let index = 0; index < range.size; index++) if (bitmap?.has(index)) found.push(range.valueAt(index))
  }
  return found
}

async function failureOf(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ApiError)) throw new Error(`expected an ApiError, got ${String(error)}`)
  return error
}

const causesOf = (error: ApiError) => error.details?.causes?.map(({ field, message }) => `${field}: ${message}`)

test("a service gets an address above the band, families and policy", async () => {
  const one = await open()
  const spec = specOf(await one.create("services", service("s")))
  expect(spec).toMatchObject({ clusterIPs: [spec.clusterIP], ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" })
  expect(Number(String(spec.clusterIP).split(".")[3])).toBeGreaterThan(16)
  expect(await taken(one)).toEqual([spec.clusterIP])
})

test("allocated fields are in the order of the schema", async () => {
  const one = await open()
  const names = Object.keys(specOf(await one.create("services", service("s", { selector: { a: "b" } }))))
  expect(names.slice(0, 5)).toEqual(["ports", "selector", "clusterIP", "clusterIPs", "type"])
})

test("a requested address is allocated once; a list without the single field is refused", async () => {
  const one = await open()
  expect(specOf(await one.create("services", service("a", { clusterIP: "10.0.0.7" })))).toMatchObject({ clusterIPs: ["10.0.0.7"] })
  const both = { clusterIP: "10.0.0.8", clusterIPs: ["10.0.0.8"] }
  expect(specOf(await one.create("services", service("b", both)))).toMatchObject(both)
  expect((await failureOf(one.create("services", service("d", { clusterIPs: ["10.0.0.9"] })))).code).toBe(422)
  const error = await failureOf(one.create("services", service("c", { clusterIP: "10.0.0.7" })))
  expect(error.code).toBe(422)
  expect(causesOf(error)).toEqual([
    'spec.clusterIPs: Invalid value: []string{"10.0.0.7"}: failed to allocate IP 10.0.0.7: provided IP is already allocated',
  ])
})

test.each(["10.0.1.1", "10.0.0.0", "10.0.0.255"])("%s is refused: not in the range", async (clusterIP) => {
  const one = await open()
  expect(causesOf(await failureOf(one.create("services", service("s", { clusterIP }))))?.[0]).toContain(
    `the provided IP (${clusterIP}) is not in the valid range. The range of valid IPs is 10.0.0.0/24`,
  )
})

test("headless services and aliases allocate nothing", async () => {
  const one = await open()
  await one.create("services", service("headless", { clusterIP: "None", selector: { a: "b" } }))
  const alias = await one.create("services", service("alias", { type: "ExternalName", externalName: "example.com" }))
  expect(specOf(alias).clusterIP).toBeUndefined()
  expect(await taken(one)).toEqual([])
})

test("headless services without a selector have both families even here", async () => {
  const one = await open()
  const spec = specOf(await one.create("services", service("s", { clusterIP: "None" })))
  expect(spec).toMatchObject({ clusterIPs: ["None"], ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" })
})

test("node ports: one per port, shared between protocols of one port, requested ones first", async () => {
  const one = await open()
  const ports = [
    { name: "dns", port: 53, protocol: "UDP" },
    { name: "dns-tcp", port: 53, protocol: "TCP", nodePort: 30053 },
    { name: "web", port: 80, protocol: "TCP" },
  ]
  const given = portsOf(await one.create("services", service("s", { type: "NodePort", ports }))).map(({ nodePort }) => Number(nodePort))
  expect(given.slice(0, 2)).toEqual([30053, 30053])
  expect(given[2]).toBeGreaterThanOrEqual(30086)
  expect((await taken(one)).filter((value) => !value.includes("."))).toEqual(["30053", String(given[2])])
})

test("of an address and node ports that are taken the first is the one cause, and what is out of range comes before", async () => {
  const one = await open()
  await one.create("services", service("a", { type: "NodePort", clusterIP: "10.0.0.5", ports: [{ port: 80, nodePort: 30080 }] }))
  const causes = async (spec: object, ...nodePorts: number[]) => {
    const ports = nodePorts.map((nodePort, index) => ({ name: `p${index}`, port: 80 + index, nodePort }))
    return causesOf(await failureOf(one.create("services", service("b", { type: "NodePort", ports, ...spec }))))
  }
  const port = "spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated"
  expect(await causes({ clusterIP: "10.0.0.5" }, 30080)).toEqual([
    'spec.clusterIPs: Invalid value: []string{"10.0.0.5"}: failed to allocate IP 10.0.0.5: provided IP is already allocated',
  ])
  expect(await causes({ clusterIP: "10.0.0.6" }, 30080, 30081)).toEqual([port])
  expect(await causes({ clusterIP: "10.0.0.6" }, 30081, 30081)).toEqual([
    "spec.ports[1].nodePort: Invalid value: 30081: provided port is already allocated",
  ])
  expect(await causes({ clusterIP: "10.0.0.5", selector: { "": "" } }, 30080, 80)).toEqual([
    "spec.ports[1].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767",
  ])
  expect(await taken(one)).toEqual(["10.0.0.5", "30080"])
})

test("a balancer without node ports gets none, one with traffic policy Local a health check port", async () => {
  const one = await open()
  const without = await one.create("services", service("a", { type: "LoadBalancer", allocateLoadBalancerNodePorts: false }))
  expect(portsOf(without)[0]?.nodePort).toBeUndefined()
  const local = specOf(await one.create("services", service("b", { type: "LoadBalancer", externalTrafficPolicy: "Local" })))
  expect(local.healthCheckNodePort).toBeGreaterThanOrEqual(30000)
  const asked = service("c", { type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: local.healthCheckNodePort })
  expect(causesOf(await failureOf(one.create("services", asked)))?.[0]).toMatch(/^spec.healthCheckNodePort: .*already allocated$/)
})

test("the port of a health check is none of the node ports of its own service, on creation and on update", async () => {
  const one = await open()
  const local = { type: "LoadBalancer", externalTrafficPolicy: "Local" }
  const ports = [
    { name: "a", port: 80, nodePort: 30090 },
    { name: "b", port: 81, nodePort: 30091 },
  ]
  for (const healthCheckNodePort of [30090, 30091])
    expect(causesOf(await failureOf(one.create("services", service("a", { ...local, ports, healthCheckNodePort }))))).toEqual([
      `spec.healthCheckNodePort: Invalid value: ${healthCheckNodePort}: failed to allocate requested HealthCheck NodePort ${healthCheckNodePort}: provided port is already allocated`,
    ])
  expect(await taken(one)).toEqual([])
  await one.create("services", service("a", { type: "LoadBalancer", ports }))
  const becomesLocal = (healthCheckNodePort: number) =>
    one.update(
      "services",
      "a/a",
      withSpec((spec) => ({ ...spec, ...local, healthCheckNodePort })),
    )
  expect(causesOf(await failureOf(becomesLocal(30091)))).toEqual([
    "spec.healthCheckNodePort: Invalid value: 30091: failed to allocate requested HealthCheck NodePort 30091: provided port is already allocated",
  ])
  await becomesLocal(30092)
  expect((await taken(one)).filter((value) => !value.includes("."))).toEqual(["30090", "30091", "30092"])
})

test("a full range is reported", async () => {
  const one = await open({ behaviourOptions: { "service-cluster-ip-range": ["10.0.0.0/30"] } })
  await one.create("services", service("a"))
  const error = await failureOf(one.create("services", service("b")))
  expect(error).toMatchObject({
    code: 500,
    message: "Internal error occurred: failed to allocate a serviceIP: the range 10.0.0.0/30 is full",
  })
})

test("numbers of the band are given out when the others are taken", async () => {
  // The first 16 of 30 addresses are for services that ask for one.
  const one = await open({ behaviourOptions: { "service-cluster-ip-range": ["10.0.0.0/27"] } })
  const given: number[] = []
  for (let index = 0; index < 29; index++) {
    const { clusterIP } = specOf(await one.create("services", service(`s${index}`)))
    given.push(Number(String(clusterIP).split(".")[3]))
  }
  expect(new Set(given).size).toBe(29)
  const band = given.findIndex((number) => number <= 16)
  expect(given.slice(0, band).every((number) => number > 16)).toBe(true)
  expect(given.slice(band).every((number) => number <= 16)).toBe(true)
})

test("the first address is only allocated on request", async () => {
  const one = await open({ behaviourOptions: { "service-cluster-ip-range": ["10.0.0.0/30"] } })
  expect(specOf(await one.create("services", service("a"))).clusterIP).toBe("10.0.0.2")
  expect(specOf(await one.create("services", service("b", { clusterIP: "10.0.0.1" }))).clusterIP).toBe("10.0.0.1")
})

test("a dry run shows what would be allocated and allocates nothing", async () => {
  const one = await open()
  const shown = await one.create("services", service("s", { type: "NodePort" }), { dryRun: true })
  expect(specOf(shown).clusterIP).toMatch(/^10\.0\.0\./)
  expect(portsOf(shown)[0]?.nodePort).toBeGreaterThanOrEqual(30000)
  expect(await taken(one)).toEqual([])
  await one.create("services", service("s"))
  expect(await taken(one)).toHaveLength(1)
})

test("deleting releases everything and deletes the endpoints", async () => {
  const one = await open()
  await one.create("services", service("s", { type: "LoadBalancer", externalTrafficPolicy: "Local" }))
  await one.create("endpoints", { metadata: { name: "s", namespace: "a" } })
  await one.create("endpoints", { metadata: { name: "other", namespace: "a" } })
  expect(await taken(one)).toHaveLength(3)
  await one.remove("services", "a/s")
  expect(await taken(one)).toEqual([])
  expect(await one.names("endpoints")).toEqual(["a/other"])
})

test("a service held by finalizers keeps its allocations until it is removed", async () => {
  const one = await open()
  await one.create("services", { ...service("s"), metadata: { name: "s", namespace: "a", finalizers: ["example.com/held"] } })
  await one.remove("services", "a/s")
  expect(await taken(one)).toHaveLength(1)
  await one.update("services", "a/s", (old) => ({ ...old, metadata: { ...old.metadata, finalizers: [] } }))
  expect(await one.get("services", "a/s")).toBeUndefined()
  expect(await taken(one)).toEqual([])
})

test("an update that omits allocated values keeps them", async () => {
  const one = await open()
  const before = await one.create("services", service("s", { type: "NodePort" }))
  const { resourceVersion: _version, ...metadata } = before.metadata ?? {}
  const after = await one.update("services", "a/s", () => ({
    kind: "Service",
    apiVersion: "v1",
    metadata,
    spec: { type: "NodePort", ports: [{ port: 81 }] },
  }))
  expect(specOf(after).clusterIP).toBe(specOf(before).clusterIP)
  expect(portsOf(after)[0]).toMatchObject({ port: 81, nodePort: portsOf(before)[0]?.nodePort })
  expect(await taken(one)).toHaveLength(2)
})

test("a port whose node port another takes over gets a new one", async () => {
  const one = await open()
  const ports = [
    { name: "a", port: 80, nodePort: 30080 },
    { name: "b", port: 81, nodePort: 30081 },
  ]
  await one.create("services", service("s", { type: "NodePort", ports }))
  const after = await one.update(
    "services",
    "a/s",
    withSpec((spec) => ({
      ...spec,
      ports: [
        { name: "a", port: 80, nodePort: 30081 },
        { name: "b", port: 81 },
      ],
    })),
  )
  const [first, second] = portsOf(after).map(({ nodePort }) => nodePort)
  expect(first).toBe(30081)
  expect(second).not.toBe(30081)
})

test("protocols of one number keep the node port that they share", async () => {
  const one = await open()
  const ports = ["UDP", "TCP"].map((protocol) => ({ name: protocol.toLowerCase(), port: 53, protocol }))
  const before = portsOf(await one.create("services", service("s", { type: "NodePort", ports })))
  const after = await one.update(
    "services",
    "a/s",
    withSpec((spec) => ({ ...spec, ports })),
  )
  expect(portsOf(after)).toEqual(before)
  expect(new Set(before.map(({ nodePort }) => nodePort)).size).toBe(1)
})

test("an update that does not touch allocations writes no range", async () => {
  const one = await open()
  await one.create("services", service("s"))
  const key = one.registry.deps.behaviourDeps.key("ranges/serviceips")
  const before = await one.store.get({ key })
  await one.update("services", "a/s", (old) => ({ ...old, metadata: { ...old.metadata, labels: { a: "b" } } }))
  expect((await one.store.get({ key }))?.modRevision).toBe(before?.modRevision)
})

test("changing the type drops fields that the client sent back unchanged, and releases them", async () => {
  const one = await open()
  const balancer = { externalTrafficPolicy: "Local", loadBalancerClass: "example.com/own", allocateLoadBalancerNodePorts: true }
  await one.create("services", service("s", { type: "LoadBalancer", ...balancer }))
  await one.update("services", "a/s", (old) => ({ ...old, status: { loadBalancer: { ingress: [{ ip: "192.0.2.1", ipMode: "VIP" }] } } }), {
    subresource: "status",
  })
  const inside = await one.update(
    "services",
    "a/s",
    withSpec((spec) => ({ ...spec, type: "ClusterIP" })),
  )
  expect(inside.status).toEqual({ loadBalancer: {} })
  const spec = specOf(inside)
  for (const name of [...Object.keys(balancer), "healthCheckNodePort"]) expect([name, spec[name]]).toEqual([name, undefined])
  expect(portsOf(inside)[0]?.nodePort).toBeUndefined()
  expect(await taken(one)).toEqual([spec.clusterIP])
  const alias = specOf(
    await one.update(
      "services",
      "a/s",
      withSpec((old) => ({ ...old, type: "ExternalName", externalName: "example.com" })),
    ),
  )
  for (const name of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"]) expect(alias[name]).toBeUndefined()
  expect(await taken(one)).toEqual([])
  const again = specOf(
    await one.update(
      "services",
      "a/s",
      withSpec(({ externalName: _name, ...old }) => ({ ...old, type: "ClusterIP" })),
    ),
  )
  expect(await taken(one)).toEqual([again.clusterIP])
})

test.each([
  { externalTrafficPolicy: "Cluster" },
  { healthCheckNodePort: 30092 },
  { allocateLoadBalancerNodePorts: false },
  { loadBalancerClass: "example.com/other" },
])("changing the type keeps %j, which the client changed too, and it is refused", async (changed) => {
  const one = await open()
  const balancer = { externalTrafficPolicy: "Local", loadBalancerClass: "example.com/own", healthCheckNodePort: 30090 }
  await one.create("services", service("s", { type: "LoadBalancer", ...balancer }))
  const error = await failureOf(
    one.update(
      "services",
      "a/s",
      withSpec((spec) => ({ ...spec, type: "ClusterIP", ...changed })),
    ),
  )
  expect([...new Set(causesOf(error)?.map((cause) => cause.split(":")[0]))]).toEqual([`spec.${Object.keys(changed)[0]}`])
})

test("the address of a service does not change", async () => {
  const one = await open()
  await one.create("services", service("s", { clusterIP: "10.0.0.5" }))
  const error = await failureOf(
    one.update(
      "services",
      "a/s",
      withSpec((spec) => ({ ...spec, clusterIP: "10.0.0.6" })),
    ),
  )
  expect(causesOf(error)?.[0]).toContain("may not change once set")
  expect(await taken(one)).toEqual(["10.0.0.5"])
})

test("a port that moves to another node port releases the old one", async () => {
  const one = await open()
  await one.create("services", service("s", { type: "NodePort", ports: [{ port: 80, nodePort: 30080 }] }))
  await one.update(
    "services",
    "a/s",
    withSpec((spec) => ({ ...spec, ports: [{ port: 80, nodePort: 30081 }] })),
  )
  expect((await taken(one)).filter((value) => !value.includes("."))).toEqual(["30081"])
})

test("two families: required, preferred, added later and released", async () => {
  const one = await open(dualStack)
  expect(specOf(await one.create("services", service("single"))).ipFamilies).toEqual(["IPv4"])
  const both = specOf(await one.create("services", service("both", { ipFamilyPolicy: "RequireDualStack" })))
  expect(both).toMatchObject({
    ipFamilies: ["IPv4", "IPv6"],
    clusterIPs: [expect.stringMatching(/^10\./), expect.stringMatching(/^fd00::/)],
  })
  const swapped = specOf(await one.create("services", service("swapped", { ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv6"] })))
  expect(swapped).toMatchObject({ ipFamilies: ["IPv6", "IPv4"], clusterIP: expect.stringMatching(/^fd00::/) })
  const added = specOf(
    await one.update(
      "services",
      "a/single",
      withSpec((spec) => ({ ...spec, ipFamilyPolicy: "PreferDualStack" })),
    ),
  )
  expect(added.clusterIPs).toHaveLength(2)
  expect(await taken(one)).toHaveLength(6)
  const back = specOf(
    await one.update(
      "services",
      "a/single",
      withSpec((spec) => ({ ...spec, ipFamilyPolicy: "SingleStack" })),
    ),
  )
  expect(back).toMatchObject({ clusterIPs: [added.clusterIP], ipFamilies: ["IPv4"] })
  expect(await taken(one)).toHaveLength(5)
})

test.each([
  {
    spec: { ipFamilyPolicy: "RequireDualStack" },
    cause: 'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
  },
  { spec: { ipFamilies: ["IPv6"] }, cause: 'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster' },
  {
    spec: { clusterIP: "fd00::1" },
    cause: 'spec.clusterIPs[0]: Invalid value: []string{"fd00::1"}: IPv6 is not configured on this cluster',
  },
  {
    spec: { ipFamilies: ["IPv4", "IPv6"] },
    cause:
      "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
  },
])("$spec is refused in a cluster of one family", async ({ spec, cause }) => {
  const one = await open()
  expect(causesOf(await failureOf(one.create("services", service("s", spec))))).toEqual([cause])
})

test("a preference for two families gets the one there is", async () => {
  const one = await open()
  expect(specOf(await one.create("services", service("s", { ipFamilyPolicy: "PreferDualStack" })))).toMatchObject({
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "PreferDualStack",
  })
})

test("concurrent creations on two servers of one store never get the same number", async () => {
  const first = await open()
  const second = await open({ store: first.store, clock: first.clock })
  const wanted = Array.from({ length: 60 }, (_, index) =>
    (index % 2 === 0 ? first : second).create("services", service(`s${index}`, { type: "NodePort" })),
  )
  const created = await Promise.all(wanted)
  const numbers = created.flatMap((object) => [String(specOf(object).clusterIP), String(portsOf(object)[0]?.nodePort)])
  expect(new Set(numbers).size).toBe(120)
  expect((await taken(first)).sort()).toEqual(numbers.sort())
  await Promise.all(created.map(({ metadata }, index) => (index % 2 === 0 ? second : first).remove("services", `a/${metadata?.name}`)))
  expect(await taken(second)).toEqual([])
})

test("a client that pins a version does not lose to another service's allocation", async () => {
  const rival = await open()
  await rival.create("services", service("pinned"))
  let between: (() => Promise<unknown>) | undefined
  const store: Store = Object.assign(Object.create(rival.store), {
    async commit(options: Parameters<Store["commit"]>[0]) {
      const first = between
      between = undefined
      await first?.()
      return rival.store.commit(options)
    },
  })
  const one = await open({ store, clock: rival.clock })
  await one.get("services", "a/pinned")
  between = () => rival.create("services", service("faster", { type: "NodePort" }))
  const updated = await one.update(
    "services",
    "a/pinned",
    withSpec((spec) => ({ ...spec, type: "NodePort" })),
  )
  const ports = [updated, await rival.get("services", "a/faster")].map((object) => Number(portsOf(object)[0]?.nodePort))
  expect(new Set(ports).size).toBe(2)
  expect(
    (await taken(one))
      .filter((value) => !value.includes("."))
      .map(Number)
      .sort(),
  ).toEqual(ports.sort())
})

test("lost ranges are rebuilt from the services", async () => {
  const one = await open()
  const kept = specOf(await one.create("services", service("a", { clusterIP: "10.0.0.9" })))
  await one.store.commit({ checks: [], writes: [{ type: "delete", key: one.registry.deps.behaviourDeps.key("ranges/serviceips") }] })
  const error = await failureOf(one.create("services", service("b", { clusterIP: String(kept.clusterIP) })))
  expect(causesOf(error)?.[0]).toContain("already allocated")
})

test("a failed attempt leaves no lock behind", async () => {
  const one = await open()
  await one.create("services", service("a", { clusterIP: "10.0.0.9" }))
  await failureOf(one.create("services", service("b", { clusterIP: "10.0.0.9" })))
  await failureOf(one.create("services", service("a")))
  expect(specOf(await one.create("services", service("c"))).clusterIP).toBeDefined()
})
