import { afterEach, beforeEach, expect, test } from "vitest"
import { openRegistry, type OpenRegistry } from "../../../test/support/open-registry.ts"
import { isNamespace, type Namespace, type NamespaceCondition } from "../../../generated/core/v1/namespace/types.ts"
import type { ApiObject, JsonObject } from "../../base/json.ts"
import { timeText } from "../../base/time.ts"
import type { Kind } from "../../schema/kind.ts"
import { ownObject } from "../../../test/support/own-object.ts"
import type { Store } from "../../storage/store.ts"
import { type NamespaceController, startNamespaceController } from "./namespace-controller.ts"

let one: OpenRegistry
let emptying: NamespaceController
beforeEach(async () => {
  one = await openRegistry()
  emptying = startNamespaceController(one)
  await one.create("namespaces", { metadata: { name: "a" } })
})
afterEach(async () => {
  await emptying.stop()
  await one.close()
})

const configMap = (name: string, more: JsonObject = {}): ApiObject => ({ metadata: { name, namespace: "a", ...more } })
const runningPod: ApiObject = { metadata: { name: "p", namespace: "a" }, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] } }

async function removeNamespace(): Promise<void> {
  await one.remove("namespaces", "a")
  await emptying.idle()
}

async function namespaceNow(name = "a"): Promise<Namespace> {
  const object = await one.get("namespaces", name)
  if (object === undefined || !isNamespace(object)) throw new Error(`there is no namespace ${name}`)
  return object
}

async function conditions(): Promise<Record<string, string>> {
  const { status } = await namespaceNow()
  return Object.fromEntries((status.conditions ?? []).map((one) => [one.type, `${one.status}: ${one.message}`]))
}

test("an empty namespace is deleted at once", async () => {
  await removeNamespace()
  expect(await one.get("namespaces", "a")).toBeUndefined()
})

test("all its content is deleted, other namespaces stay", async () => {
  await one.create("configmaps", configMap("c"))
  await one.create("services", { metadata: { name: "s", namespace: "a" }, spec: { ports: [{ port: 80 }] } })
  await one.create("configmaps", { metadata: { name: "c", namespace: "b" } })
  await removeNamespace()
  expect(await one.get("namespaces", "a")).toBeUndefined()
  expect([await one.names("configmaps"), await one.names("services")]).toEqual([["b/c"], []])
})

test("no object of any kind survives it", async () => {
  const { kinds, storePrefix } = one.registry.deps
  const isStored = ({ namespaced, verbs }: Kind): boolean => namespaced && verbs.includes("list")
  const stored = new Map(
    kinds
      .all()
      .filter(isStored)
      .map((kind) => [kind.storage.path, kind]),
  )
  expect(stored.size).toBeGreaterThan(8)
  for (const [path, kind] of stored) {
    const handle = await one.registry.handle(kinds.stored(kind))
    const object = ownObject(one.registry, handle, { metadata: { name: "x", namespace: "a", uid: `uid-of-${path}` } })
    const write = { type: "put" as const, key: `${storePrefix}${path}/a/x`, value: Buffer.from(JSON.stringify(object)) }
    expect(await one.store.commit({ checks: [], writes: [write] })).toMatchObject({ ok: true })
  }
  await removeNamespace()
  const { items } = await one.store.list({ prefix: storePrefix })
  expect(items.map(({ key }) => key).filter((key) => key.split("/").includes("a"))).toEqual([])
})

test("it stays after a deletion in it failed, even if nothing is left", async () => {
  await one.create("configmaps", configMap("c"))
  const real: Store["commit"] = one.store.commit.bind(one.store)
  let failures = 1
  one.store.commit = async (options) => {
    const result = await real(options)
    const isContent = options.writes.some(({ type, key }) => type === "delete" && key.includes("/configmaps/"))
    if (isContent && failures-- > 0) throw new Error("the answer was lost")
    return result
  }
  await one.remove("namespaces", "a")
  await emptying.idle()
  expect(one.logged).toEqual(["a namespace could not be emptied; tried again later"])
  one.clock.advance(60_000)
  await emptying.idle()
  expect(await one.get("namespaces", "a")).toBeUndefined()
})

test("pods are deleted first, and a pod that is still running holds everything up (CVE-2024-7598)", async () => {
  await one.create("pods", runningPod)
  await one.create("configmaps", configMap("c"))
  await removeNamespace()
  expect(await one.names("configmaps")).toEqual(["a/c"])
  expect((await one.get("pods", "a/p"))?.metadata?.deletionTimestamp).toBeDefined()
  expect(await conditions()).toMatchObject({
    NamespaceContentRemaining: "True: Some resources are remaining: pods. has 1 resource instances",
  })
  await one.remove("pods", "a/p", { gracePeriodSeconds: 0 })
  await emptying.idle()
  expect(await one.get("namespaces", "a")).toBeUndefined()
  expect(await one.names("configmaps")).toEqual([])
})

test("a deletion of a pod that failed holds everything up as well, even if no pod is left (CVE-2024-7598)", async () => {
  await one.create("pods", { metadata: { name: "p", namespace: "a" }, spec: { containers: [{ name: "c", image: "i" }] } })
  await one.create("configmaps", configMap("c"))
  const real: Store["commit"] = one.store.commit.bind(one.store)
  const written: string[] = []
  one.store.commit = async (options) => {
    const result = await real(options)
    const keys = options.writes.map(({ key, type }) => `${type} ${key.replace(one.registry.deps.storePrefix, "")}`)
    written.push(...keys)
    if (keys.includes("delete pods/a/p")) throw new Error("the answer was lost")
    return result
  }
  await removeNamespace()
  one.clock.advance(60_000)
  await emptying.idle()
  const order = written.filter((write) => / (pods|configmaps|namespaces)\/a/.test(write))
  // The fault is reported before any other deletion: whether another server deletes the pod is not known yet.
  expect(order.slice(order.indexOf("delete pods/a/p"))).toEqual([
    "delete pods/a/p",
    "put namespaces/a",
    "delete configmaps/a/c",
    expect.stringContaining("namespaces/a"),
  ])
  expect(await one.get("namespaces", "a")).toBeUndefined()
})

test("finalizers of content are reported, and their removal is noticed", async () => {
  for (const name of ["c", "d"]) await one.create("configmaps", configMap(name, { finalizers: ["example.com/held"] }))
  await removeNamespace()
  expect(await conditions()).toEqual({
    NamespaceDeletionDiscoveryFailure: "False: All resources successfully discovered",
    NamespaceDeletionGroupVersionParsingFailure: "False: All legacy types successfully parsed",
    NamespaceDeletionContentFailure: "False: All content successfully deleted, may be waiting on finalization",
    NamespaceContentRemaining: "True: Some resources are remaining: configmaps. has 2 resource instances",
    NamespaceFinalizersRemaining: "True: Some content in the namespace has finalizers remaining: example.com/held in 2 resource instances",
  })
  const release = (path: string) => one.update("configmaps", path, (old) => ({ ...old, metadata: { ...old.metadata, finalizers: [] } }))
  await release("a/c")
  // Ten thousand objects may disappear one by one, so conditions are updated once a second.
  one.clock.advance(1000)
  await emptying.idle()
  expect(await conditions()).toMatchObject({
    NamespaceContentRemaining: "True: Some resources are remaining: configmaps. has 1 resource instances",
  })
  await release("a/d")
  await emptying.idle()
  expect(await one.get("namespaces", "a")).toBeUndefined()
})

test("a condition keeps its time while its status stays, and nothing is written when nothing changed", async () => {
  await one.create("configmaps", configMap("c", { finalizers: ["example.com/held"] }))
  await removeNamespace()
  const before = await one.get("namespaces", "a")
  one.clock.advance(5000)
  await one.update("configmaps", "a/c", (old) => ({ ...old, data: { a: "b" } }))
  await emptying.idle()
  expect((await one.get("namespaces", "a"))?.metadata?.resourceVersion).toBe(before?.metadata?.resourceVersion)
})

test("a condition whose status changes has a new time, and the others keep theirs", async () => {
  await one.create("pods", runningPod)
  await one.create("configmaps", configMap("c", { finalizers: ["example.com/held"] }))
  await removeNamespace()
  const times = async (): Promise<unknown[]> => {
    const { conditions: all = [] } = (await namespaceNow()).status
    return ["NamespaceContentRemaining", "NamespaceFinalizersRemaining"].map((type) => {
      const { status, lastTransitionTime } = all.find((each) => each.type === type) ?? {}
      return [status, lastTransitionTime]
    })
  }
  const [first, second] = [timeText(one.clock.nowMs()), timeText(one.clock.nowMs() + 5000)]
  expect(await times()).toEqual([
    ["True", first],
    ["False", first],
  ])
  one.clock.advance(5000)
  await one.remove("pods", "a/p", { gracePeriodSeconds: 0 })
  await emptying.idle()
  expect(await times()).toEqual([
    ["True", first],
    ["True", second],
  ])
})

test("conditions of other writers keep their position", async () => {
  await one.create("configmaps", configMap("c", { finalizers: ["example.com/held"] }))
  const mine: NamespaceCondition = { type: "Mine", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "m" }
  const before = await namespaceNow()
  await one.update("namespaces", "a", () => ({ ...before, status: { ...before.status, conditions: [mine] } }), {
    subresource: "status",
  })
  await removeNamespace()
  const { conditions: after = [] } = (await namespaceNow()).status
  expect(after[0]).toEqual(mine)
  expect(after).toHaveLength(6)
})

test("a creation admitted before the namespace began to terminate does not survive it", async () => {
  const real: Store["commit"] = one.store.commit.bind(one.store)
  let arrived = (): void => {}
  const stuck = new Promise<void>((resolve) => (arrived = resolve))
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  one.store.commit = async (options) => {
    if (options.writes.some(({ type, key }) => type === "put" && key.endsWith("/a/late"))) {
      arrived()
      await released
    }
    return real(options)
  }
  const late = one.create("configmaps", configMap("late"))
  await stuck
  await one.create("configmaps", configMap("early"))
  await one.remove("namespaces", "a")
  await one.create("configmaps", { metadata: { name: "elsewhere", namespace: "b" } })
  // Everything that can run has run: the namespace and its content wait for the creation.
  for (let turn = 0; turn < 100; turn++) await Promise.resolve()
  expect((await namespaceNow()).spec).toEqual({ finalizers: ["orch"] })
  release()
  await late
  await emptying.idle()
  expect([await one.get("namespaces", "a"), await one.names("configmaps")]).toEqual([undefined, ["b/elsewhere"]])
})

test("a creation that fails does not hold the namespace", async () => {
  const real: Store["commit"] = one.store.commit.bind(one.store)
  one.store.commit = async (options) => {
    if (options.writes.some(({ key }) => key.endsWith("/a/late"))) throw new Error("the disk is on fire")
    return real(options)
  }
  await expect(one.create("configmaps", configMap("late"))).rejects.toThrow()
  await removeNamespace()
  expect(await one.get("namespaces", "a")).toBeUndefined()
})

test("a namespace whose finalizers were cleared while it was alive is deleted with its content", async () => {
  await one.create("configmaps", configMap("c"))
  await one.update("namespaces", "a", (old) => ({ ...old, spec: {} }), { subresource: "finalize" })
  const { removed } = await one.remove("namespaces", "a")
  expect(removed).toBe(false)
  await emptying.idle()
  expect([await one.get("namespaces", "a"), await one.names("configmaps")]).toEqual([undefined, []])
})

test("content that disappears one by one is swept once a second, not once per object", async () => {
  const count = 200
  const held = (index: number) => configMap(`c${index}`, { finalizers: ["example.com/held"] })
  await Promise.all(Array.from({ length: count }, (_, index) => one.create("configmaps", held(index))))
  await removeNamespace()
  let sweeps = 0
  const real: Store["list"] = one.store.list.bind(one.store)
  one.store.list = async (options) => {
    if (options.prefix.endsWith("/configmaps/a/")) sweeps++
    return real(options)
  }
  for (let index = 0; index < count; index++) {
    await one.update("configmaps", `a/c${index}`, (old) => ({ ...old, metadata: { ...old.metadata, finalizers: [] } }))
    await emptying.idle()
  }
  expect(sweeps).toBeLessThan(5)
  expect(await one.get("namespaces", "a")).toBeUndefined()
})

test("a service's finalizers hold its endpoints too", async () => {
  const service: ApiObject = { metadata: { name: "s", namespace: "a", finalizers: ["example.com/held"] }, spec: { ports: [{ port: 80 }] } }
  await one.create("services", service)
  await one.create("endpoints", { metadata: { name: "s", namespace: "a", finalizers: ["example.com/kept"] } })
  await one.remove("services", "a/s")
  expect(await one.names("endpoints")).toEqual(["a/s"])
  await one.update("services", "a/s", (old) => ({ ...old, metadata: { ...old.metadata, finalizers: [] } }))
  expect([await one.names("services"), await one.names("endpoints")]).toEqual([[], ["a/s"]])
  expect((await one.get("endpoints", "a/s"))?.metadata?.deletionTimestamp).toBeDefined()
})

test("finalizers of other writers stay in the spec", async () => {
  await one.create("namespaces", { metadata: { name: "own" }, spec: { finalizers: ["example.com/own"] } })
  await one.remove("namespaces", "own")
  await emptying.idle()
  expect((await namespaceNow("own")).spec).toEqual({ finalizers: ["example.com/own"] })
})

test("a restart half-way resumes the work", async () => {
  await one.create("pods", runningPod)
  await one.create("configmaps", configMap("c"))
  await removeNamespace()
  await emptying.stop()
  await one.remove("pods", "a/p", { gracePeriodSeconds: 0 })
  emptying = startNamespaceController(one)
  await emptying.idle()
  expect(await one.get("namespaces", "a")).toBeUndefined()
  expect(await one.names("configmaps")).toEqual([])
})

test("a failed deletion is reported and retried", async () => {
  await emptying.stop()
  await one.create("configmaps", configMap("c"))
  // The report of the first failure is itself a change that queues the namespace again.
  let failures = 2
  const real: Store["commit"] = one.store.commit.bind(one.store)
  one.store.commit = async (options) => {
    if (failures > 0 && options.writes.some(({ type, key }) => type === "delete" && key.includes("/configmaps/"))) {
      failures--
      throw new Error("the disk is on fire")
    }
    return real(options)
  }
  emptying = startNamespaceController(one)
  await one.remove("namespaces", "a")
  await emptying.idle()
  expect(await conditions()).toMatchObject({
    NamespaceDeletionContentFailure: "True: Failed to delete all resource types, 1 remaining: configmaps c: the disk is on fire",
  })
  one.clock.advance(60_000)
  await emptying.idle()
  expect(await one.get("namespaces", "a")).toBeUndefined()
})
