import { afterEach, beforeEach, expect, test } from "vitest"
import { beforeCommit, countCommits, failCommits, retried } from "../../../test/support/controller-faults.ts"
import { openRegistry, type OpenRegistry } from "../../../test/support/open-registry.ts"
import type { ResourceQuota } from "../../../generated/core/v1/resource-quota/types.ts"
import { featureGates } from "../../base/feature-gates.ts"
import type { ApiObject, JsonObject } from "../../base/json.ts"
import { nextTurn } from "../../base/turns.ts"
import { typed } from "../../schema/typed.ts"
import type { KeyedController } from "../keyed-controller.ts"
import { startQuotaController } from "./quota-controller.ts"

let one: OpenRegistry
let controller: KeyedController
beforeEach(async () => {
  one = await openRegistry({ behaviourOptions: { "feature-gates": { ...featureGates, RecoverVolumeExpansionFailure: true } } })
  controller = startQuotaController(one)
})
afterEach(async () => {
  await controller.stop()
  await one.close()
})

async function makeQuota(hard: Record<string, string>, spec: JsonObject = {}, name = "q"): Promise<void> {
  await one.create("resourcequotas", { metadata: { name, namespace: "a" }, spec: { hard, ...spec } })
}

function pod(name: string, spec: JsonObject = {}, namespace = "a"): ApiObject {
  const resources = { requests: { cpu: "100m", memory: "1Gi" }, limits: { cpu: "200m", memory: "1Gi" } }
  return { metadata: { name, namespace }, spec: { containers: [{ name: "main", image: "i", resources }], nodeName: "n", ...spec } }
}

async function status(name = "q"): Promise<ResourceQuota["status"]> {
  await controller.idle()
  await retried(one, controller, 250)
  return typed<ResourceQuota>((await one.get("resourcequotas", `a/${name}`)) ?? {}).status
}

const used = async (name = "q"): Promise<Record<string, string> | undefined> => (await status(name)).used

test("what pods use is counted as they come, change and go", async () => {
  await one.create("pods", pod("before"))
  const hard = { pods: "10", cpu: "4", "requests.memory": "8Gi", "limits.cpu": "8", "count/pods": "10" }
  await makeQuota(hard)
  expect(await status()).toEqual({
    hard,
    used: { pods: "1", cpu: "100m", "requests.memory": "1Gi", "limits.cpu": "200m", "count/pods": "1" },
  })
  await one.create("pods", pod("after"))
  await one.create("pods", pod("elsewhere", {}, "b"))
  expect(await used()).toMatchObject({ pods: "2", cpu: "200m", "requests.memory": "2Gi", "limits.cpu": "400m" })
  await one.update("pods", "a/after", (old) => ({ ...old, status: { phase: "Succeeded" } }), { subresource: "status" })
  expect(await used()).toEqual({ pods: "1", cpu: "100m", "requests.memory": "1Gi", "limits.cpu": "200m", "count/pods": "2" })
  for (const name of ["before", "after"]) await one.remove("pods", `a/${name}`, { gracePeriodSeconds: 0 })
  expect(await used()).toEqual({ pods: "0", cpu: "0", "requests.memory": "0", "limits.cpu": "0", "count/pods": "0" })
})

test("containers that initialize, run beside them and the pod itself are counted", async () => {
  const of = (name: string, cpu: string, more: JsonObject = {}): JsonObject => ({
    name,
    image: "i",
    resources: { requests: { cpu } },
    ...more,
  })
  await makeQuota({ "requests.cpu": "9" })
  await one.create("pods", pod("p", { containers: [of("a", "1"), of("b", "1")], initContainers: [of("i", "5")] }))
  expect(await used()).toEqual({ "requests.cpu": "5" })
  const sidecar = of("s", "500m", { restartPolicy: "Always" })
  // 500m and 1 run together; while `i` initializes, 500m and 2. Only sidecars started before it run beside it.
  const initContainers = [of("h", "2200m"), sidecar, of("i", "2"), of("j", "100m")]
  await one.create("pods", pod("r", { containers: [of("a", "1")], initContainers }))
  expect(await used()).toEqual({ "requests.cpu": "7500m" })
  await one.update("pods", "a/r", (old) => ({ ...old, status: { phase: "Succeeded" } }), { subresource: "status" })
  // All sidecars run beside the containers, and the first runs beside the second.
  const two = [sidecar, of("h", "1"), { ...sidecar, name: "t" }]
  await one.create("pods", pod("t", { containers: [of("a", "300m")], initContainers: two }))
  expect(await used()).toEqual({ "requests.cpu": "6500m" })
})

test("pods that differ in one thing are charged for it", async () => {
  const main = { name: "main", image: "i", resources: { requests: { cpu: "1" }, limits: { cpu: "2" } } }
  const other = { ...main, name: "other", resources: { requests: { cpu: "400m" }, limits: { cpu: "500m" } } }
  await makeQuota({ "requests.cpu": "99", "limits.cpu": "99", "requests.memory": "9Gi" })
  const amounts = new Map<string, unknown>()
  for (const [name, spec] of Object.entries<JsonObject>({
    plain: { containers: [main] },
    overhead: { containers: [main], overhead: { cpu: "250m", memory: "1Gi" } },
    "less-overhead": { containers: [main], overhead: { cpu: "10m" } },
    limits: { containers: [{ ...main, resources: { ...main.resources, limits: { cpu: "3" } } }] },
    initializing: { containers: [main], initContainers: [{ ...other, resources: main.resources }] },
    sidecar: { containers: [main], initContainers: [{ ...other, restartPolicy: "Always" }] },
    second: { containers: [main, other] },
  })) {
    await one.create("pods", pod(name, spec))
    amounts.set(name, await used())
    await one.remove("pods", `a/${name}`, { gracePeriodSeconds: 0 })
  }
  const use = (requests: string, limits: string, memory = "0") => ({
    "requests.cpu": requests,
    "limits.cpu": limits,
    "requests.memory": memory,
  })
  expect(Object.fromEntries(amounts)).toEqual({
    plain: use("1", "2"),
    overhead: use("1250m", "2250m", "1Gi"),
    "less-overhead": use("1010m", "2010m"),
    limits: use("1", "3"),
    initializing: use("1", "2"),
    sidecar: use("1400m", "2500m"),
    second: use("1400m", "2500m"),
  })
})

test("extended resources and huge pages have names of their own", async () => {
  await makeQuota({ "requests.example.com/gpu": "4", "hugepages-2Mi": "1Gi", "requests.hugepages-2Mi": "1Gi" })
  const amounts = { "example.com/gpu": "2", "hugepages-2Mi": "4Mi", cpu: "1" }
  await one.create("pods", pod("p", { containers: [{ name: "main", image: "i", resources: { limits: amounts, requests: amounts } }] }))
  expect(await used()).toEqual({ "requests.example.com/gpu": "2", "hugepages-2Mi": "4Mi", "requests.hugepages-2Mi": "4Mi" })
})

test("a pod that should have ended by now is not charged, whenever that is", async () => {
  await makeQuota({ pods: "10", "count/pods": "10" })
  await one.create("pods", pod("p"))
  await one.remove("pods", "a/p", { gracePeriodSeconds: 30 })
  expect(await used()).toEqual({ pods: "1", "count/pods": "1" })
  one.clock.advance(120_000)
  expect(await used()).toEqual({ pods: "0", "count/pods": "1" })
})

test.each<[string, JsonObject, readonly string[]]>([
  ["Terminating", { scopes: ["Terminating"] }, ["short"]],
  ["NotTerminating", { scopes: ["NotTerminating"] }, ["best", "across", "high", "plain"]],
  ["BestEffort", { scopes: ["BestEffort"] }, ["best"]],
  ["two scopes", { scopes: ["NotBestEffort", "NotTerminating"] }, ["across", "high", "plain"]],
  [
    "a priority class",
    { scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }] } },
    ["high"],
  ],
  [
    "another one",
    { scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "NotIn", values: ["high"] }] } },
    ["best", "across", "plain", "short"],
  ],
  ["any class", { scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "Exists" }] } }, ["high"]],
  [
    "no class",
    { scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "DoesNotExist" }] } },
    ["best", "across", "plain", "short"],
  ],
  ["affinity across namespaces", { scopes: ["CrossNamespacePodAffinity"] }, ["across"]],
])("scopes: %s", async (_name, spec, counted) => {
  const term = { topologyKey: "t", namespaces: ["b"], labelSelector: {} }
  await one.create("pods", pod("plain"))
  await one.create("pods", pod("short", { activeDeadlineSeconds: 10 }))
  await one.create("pods", pod("best", { containers: [{ name: "main", image: "i" }] }))
  await one.create("pods", pod("high", { priorityClassName: "high" }))
  await one.create("pods", pod("across", { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }))
  await makeQuota({ pods: "10" }, spec)
  expect(await used()).toEqual({ pods: String(counted.length) })
})

test("node ports are counted where a service has or gets them", async () => {
  await makeQuota({ services: "9", "services.nodeports": "9", "services.loadbalancers": "9" })
  const ports = [
    { name: "a", port: 80 },
    { name: "b", port: 81, nodePort: 30081 },
  ]
  const counts = new Map<string, unknown>()
  for (const [name, spec] of Object.entries<JsonObject>({
    inside: { ports: [{ port: 80 }] },
    port: { type: "NodePort", ports },
    balanced: { type: "LoadBalancer", ports },
    "balanced-otherwise": { type: "LoadBalancer", ports, allocateLoadBalancerNodePorts: false },
  })) {
    await one.create("services", { metadata: { name, namespace: "a" }, spec })
    const { "services.nodeports": nodePorts, "services.loadbalancers": balancers } = (await used()) ?? {}
    counts.set(name, [nodePorts, balancers])
    await one.remove("services", `a/${name}`)
  }
  expect(Object.fromEntries(counts)).toEqual({
    inside: ["0", "0"],
    port: ["2", "0"],
    balanced: ["2", "1"],
    "balanced-otherwise": ["1", "1"],
  })
})

test("a claim is charged for what it has while that is more than it asks for, and to the class of its annotation first", async () => {
  const of = (name: string): string => `${name}.storageclass.storage.orch.io/requests.storage`
  await makeQuota({ "requests.storage": "99Gi", [of("gold")]: "99Gi", [of("old")]: "99Gi" })
  const annotations = { "volume.beta.orch.io/storage-class": "old" }
  await one.create("persistentvolumeclaims", {
    metadata: { name: "c", namespace: "a", annotations },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "gold" },
  })
  expect(await used()).toEqual({ "requests.storage": "1Gi", [of("gold")]: "0", [of("old")]: "1Gi" })
  for (const [storage, charged] of [
    ["3Gi", "3Gi"],
    ["500Mi", "1Gi"],
  ] as const) {
    await one.update("persistentvolumeclaims", "a/c", (old) => ({ ...old, status: { allocatedResources: { storage } } }), {
      subresource: "status",
    })
    expect(await used()).toEqual({ "requests.storage": charged, [of("gold")]: "0", [of("old")]: charged })
  }
})

test("services, claims and objects of any kind", async () => {
  const gold = "gold.storageclass.storage.orch.io"
  await makeQuota({
    services: "9",
    "services.nodeports": "9",
    "services.loadbalancers": "9",
    persistentvolumeclaims: "9",
    "requests.storage": "9Gi",
    [`${gold}/requests.storage`]: "9Gi",
    [`${gold}/persistentvolumeclaims`]: "9",
    configmaps: "9",
    "count/configmaps": "9",
    "count/deployments.apps": "9",
    "count/nothing.example.com": "9",
  })
  await one.create("services", {
    metadata: { name: "s", namespace: "a" },
    spec: { type: "LoadBalancer", ports: [{ port: 80 }, { port: 81, name: "b" }].map((port, index) => ({ name: `p${index}`, ...port })) },
  })
  const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
  await one.create("persistentvolumeclaims", { metadata: { name: "c", namespace: "a" }, spec: claim })
  await one.create("persistentvolumeclaims", { metadata: { name: "d", namespace: "a" }, spec: { ...claim, storageClassName: "gold" } })
  await one.create("configmaps", { metadata: { name: "m", namespace: "a" } })
  expect(await used()).toEqual({
    services: "1",
    "services.nodeports": "2",
    "services.loadbalancers": "1",
    persistentvolumeclaims: "2",
    "requests.storage": "2Gi",
    [`${gold}/requests.storage`]: "1Gi",
    [`${gold}/persistentvolumeclaims`]: "1",
    configmaps: "1",
    "count/configmaps": "1",
    "count/deployments.apps": "0",
  })
  await one.remove("configmaps", "a/m")
  await one.remove("services", "a/s")
  expect(await used()).toMatchObject({ configmaps: "0", "count/configmaps": "0", services: "0", "services.nodeports": "0" })
})

test("a quota that changes is counted anew, and a status that somebody wrote is put right", async () => {
  await one.create("pods", pod("p"))
  await makeQuota({ pods: "10" })
  expect(await used()).toEqual({ pods: "1" })
  await one.update("resourcequotas", "a/q", (old) => ({ ...old, spec: { hard: { cpu: "1" } } }))
  expect(await status()).toEqual({ hard: { cpu: "1" }, used: { cpu: "100m" } })
  await one.update("resourcequotas", "a/q", (old) => ({ ...old, status: { hard: { cpu: "1" }, used: { cpu: "7" } } }), {
    subresource: "status",
  })
  expect(await used()).toEqual({ cpu: "100m" })
})

test("what is not about a quota writes nothing, nor does a restart", async () => {
  await one.create("pods", pod("p"))
  await makeQuota({ pods: "10", configmaps: "10" })
  await status()
  const commits = countCommits(one, "/resourcequotas/")
  await one.update("pods", "a/p", (old) => ({ ...old, metadata: { ...old.metadata, labels: { a: "b" } } }))
  await one.create("configmaps", { metadata: { name: "m", namespace: "b" } })
  await one.create("secrets", { metadata: { name: "s", namespace: "a" } })
  await status()
  await controller.stop()
  controller = startQuotaController(one)
  await status()
  one.clock.advance(300_000)
  await status()
  expect(commits()).toBe(0)
})

test("a busy namespace is written from time to time, not for each object", async () => {
  await makeQuota({ configmaps: "100" })
  await status()
  const commits = countCommits(one, "/resourcequotas/")
  for (let index = 0; index < 50; index++) {
    await one.create("configmaps", { metadata: { name: `m${index}`, namespace: "a" } })
    await controller.idle()
  }
  expect(commits()).toBeLessThanOrEqual(1)
  expect(await used()).toEqual({ configmaps: "50" })
})

test("a namespace of many pods is read in turns, and a change of one of them reads no other", async () => {
  const annotations = { long: "x".repeat(20_000) }
  const many = Array.from({ length: 200 }, (_, index) => pod(`p${index}`))
  for (const each of many) await one.create("pods", { ...each, metadata: { ...each.metadata, annotations } })
  // Pods of all namespaces are followed from the first quota on; the second quota is in a namespace not read so far.
  await one.create("resourcequotas", { metadata: { name: "q", namespace: "b" }, spec: { hard: { pods: "1" } } })
  await controller.idle()
  let turns = 0
  let isOver = false
  const watching = (async () => {
    for (; !isOver; turns++) await nextTurn()
  })()
  await makeQuota({ pods: "5000", cpu: "5000" })
  await controller.idle()
  isOver = true
  await watching
  expect(await used()).toEqual({ pods: "200", cpu: "20" })
  expect(turns).toBeGreaterThan(5)
  const handle = await one.handle("pods")
  let reads = 0
  const snapshot = handle.cache.snapshot.bind(handle.cache)
  handle.cache.snapshot = () => {
    reads++
    return snapshot()
  }
  await one.remove("pods", "a/p7", { gracePeriodSeconds: 0 })
  expect(await used()).toEqual({ pods: "199", cpu: "19900m" })
  expect(reads).toBe(0)
})

test("a conflict, a store that fails and a quota that goes meanwhile", async () => {
  await makeQuota({ configmaps: "100" })
  await status()
  const make = (name: string): Promise<ApiObject> => one.create("configmaps", { metadata: { name, namespace: "a" } })
  const changed = beforeCommit(one, "/resourcequotas/a/q", () =>
    one.update("resourcequotas", "a/q", (old) => ({ ...old, spec: { hard: { configmaps: "7" } } })),
  )
  await make("a")
  await retried(one, controller)
  expect([changed(), await status()]).toEqual([true, { hard: { configmaps: "7" }, used: { configmaps: "1" } }])
  const failed = failCommits(one, "/resourcequotas/a/q", 2)
  await make("b")
  await retried(one, controller, 2000)
  expect([failed(), await used()]).toEqual([2, { configmaps: "2" }])
  const gone = beforeCommit(one, "/resourcequotas/a/q", () => one.remove("resourcequotas", "a/q"))
  await make("c")
  await retried(one, controller)
  expect([gone(), await one.names("resourcequotas")]).toEqual([true, []])
})
