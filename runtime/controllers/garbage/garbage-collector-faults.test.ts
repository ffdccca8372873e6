/** The collector with concurrent requests, faults, restarts and other servers, and with many dependents. */
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { openRegistry, type OpenRegistry } from "../../../test/support/open-registry.ts"
import type { ApiObject, JsonObject, OwnerReference } from "../../base/json.ts"
import { openMemoryStore } from "../../storage/memory/memory-store.ts"
import { overrideStores } from "../../storage/overridden-store.ts"
import { type Store, StoreError, type WatchOptions } from "../../storage/store.ts"
import { type GarbageCollector, startGarbageCollector } from "./garbage-collector.ts"

let one: OpenRegistry
let collector: GarbageCollector
beforeEach(async () => {
  one = await openRegistry()
  collector = startGarbageCollector(one, { workers: 4 })
})
afterEach(async () => {
  await collector.stop()
  await one.close()
})

function reference(owner: ApiObject, more: Partial<OwnerReference> = {}): OwnerReference {
  const { name = "", uid = "" } = owner.metadata ?? {}
  return { apiVersion: String(owner.apiVersion), kind: String(owner.kind), name, uid, ...more }
}

function make(resource: string, name: string, ownerReferences: OwnerReference[] = [], more: JsonObject = {}): Promise<ApiObject> {
  return one.create(resource, { metadata: { name, namespace: "a", ...(ownerReferences.length > 0 && { ownerReferences }), ...more } })
}

async function remove(path: string, propagationPolicy: "Background" | "Foreground" | "Orphan", resource = "configmaps"): Promise<void> {
  await one.remove(resource, path, { propagationPolicy })
  await collector.idle()
}

test("changes made while no collector ran are caught up with", async () => {
  const owner = await make("configmaps", "owner")
  await make("secrets", "child", [reference(owner)])
  const waiting = await make("configmaps", "waiting")
  await make("secrets", "other", [reference(waiting, { blockOwnerDeletion: true })])
  await collector.stop()
  await one.remove("configmaps", "a/owner")
  await one.remove("configmaps", "a/waiting", { propagationPolicy: "Foreground" })
  collector = startGarbageCollector(one, { workers: 4 })
  await collector.idle()
  expect([await one.names("configmaps"), await one.names("secrets")]).toEqual([[], []])
})

test("an owner deleted while the watch was lost is noticed afterwards", async () => {
  const watches: { options: WatchOptions; stop: () => void }[] = []
  const store: Store = Object.assign(Object.create(one.store), {
    async watch(options: WatchOptions) {
      const watch = await one.store.watch(options)
      watches.push({ options, stop: () => watch.stop() })
      return watch
    },
  })
  const two = await openRegistry({ store, clock: one.clock })
  await collector.stop()
  collector = startGarbageCollector(two, { workers: 4 })
  const owner = await make("configmaps", "owner")
  await make("secrets", "child", [reference(owner)])
  await collector.idle()
  const lost = watches.splice(0)
  for (const { stop } of lost) stop()
  await one.remove("configmaps", "a/owner")
  // Drops the history as well, so that the missed events cannot be replayed.
  await one.store.compact({ revision: await one.store.revision() })
  for (const { options } of lost) options.onEnd(new StoreError("unavailable", "the line is dead"))
  await vi.waitFor(async () => {
    one.clock.advance(1000)
    await collector.idle()
    expect(await one.names("secrets")).toEqual([])
  })
  await collector.stop()
  await two.close()
})

test("an owner that the cache has not received yet keeps its dependents", async () => {
  // Secrets have a store of their own, and its watch is ahead of the watch of the owners.
  const secrets = await openMemoryStore({ clock: one.clock })
  const withSecrets = (main: Store): Store => overrideStores(main, [{ path: "secrets", store: secrets }], "/registry/")
  const elsewhere = await openRegistry({ store: withSecrets(one.store), clock: one.clock })
  const held: (() => void)[] = []
  let isHeld = false
  const late: Store = Object.assign(Object.create(one.store), {
    watch: (options: WatchOptions) =>
      one.store.watch({
        ...options,
        onEvents: (...told) => (isHeld ? void held.push(() => options.onEvents(...told)) : options.onEvents(...told)),
      }),
  })
  const here = await openRegistry({ store: withSecrets(late), clock: one.clock })
  // Fills the owners' cache before its watch falls behind.
  await make("configmaps", "other")
  await collector.stop()
  collector = startGarbageCollector(here, { workers: 4 })
  await collector.idle()
  isHeld = true
  const owner = await elsewhere.create("configmaps", { metadata: { name: "owner", namespace: "a" } })
  await elsewhere.create("secrets", { metadata: { name: "child", namespace: "a", ownerReferences: [reference(owner)] } })
  // Completes everything that does not need the owner's event.
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
  isHeld = false
  for (const deliver of held) deliver()
  await collector.idle()
  expect(await elsewhere.names("secrets")).toEqual(["a/child"])
  await collector.stop()
  await Promise.all([here.close(), elsewhere.close()])
})

/** Counts the requests for the store's revision: processing an object takes a few. */
function countReads(): () => number {
  let reads = 0
  const real: Store["revision"] = one.store.revision.bind(one.store)
  one.store.revision = async () => {
    reads++
    return real()
  }
  return () => reads
}

test.each(["Foreground", "Background", "Orphan"] as const)("the work on many dependents grows linearly: %s", async (policy) => {
  const count = 1000
  const owner = await make("configmaps", "owner")
  const blocking = reference(owner, { blockOwnerDeletion: true })
  await Promise.all(Array.from({ length: count }, (_, index) => make("secrets", `child-${index}`, [blocking])))
  await collector.idle()
  const reads = countReads()
  await remove("a/owner", policy)
  expect(await one.names("configmaps")).toEqual([])
  expect((await one.names("secrets")).length).toBe(policy === "Orphan" ? count : 0)
  expect(reads()).toBeLessThan(20 * count)
})

test("several objects are processed in parallel, up to the limit", async () => {
  const owner = await make("configmaps", "owner")
  for (let index = 0; index < 20; index++) await make("secrets", `child-${index}`, [reference(owner)])
  await collector.idle()
  let [running, most] = [0, 0]
  const real: Store["commit"] = one.store.commit.bind(one.store)
  one.store.commit = async (options) => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    return real(options)
  }
  await remove("a/owner", "Background")
  expect(await one.names("secrets")).toEqual([])
  expect(most).toBe(4)
})

test("a failed deletion is logged and retried later", async () => {
  const owner = await make("configmaps", "owner")
  await make("secrets", "child", [reference(owner)])
  await collector.idle()
  const real: Store["commit"] = one.store.commit.bind(one.store)
  let failures = 3
  one.store.commit = async (options) => {
    if (failures > 0 && options.writes.some(({ key }) => key.endsWith("/child"))) {
      failures--
      throw new Error("the disk is on fire")
    }
    return real(options)
  }
  await remove("a/owner", "Background")
  for (const ms of [50, 100, 200]) {
    expect(await one.names("secrets")).toEqual(["a/child"])
    one.clock.advance(ms)
    await collector.idle()
  }
  expect(await one.names("secrets")).toEqual([])
  expect(one.logged).toContain("an object could not be collected; tried again later")
})

test("work of a collector that stopped half-way is completed by the next one", async () => {
  const owner = await make("configmaps", "owner")
  for (let index = 0; index < 30; index++) await make("secrets", `child-${index}`, [reference(owner, { blockOwnerDeletion: true })])
  await collector.idle()
  const real: Store["commit"] = one.store.commit.bind(one.store)
  let stopping: Promise<void> | undefined
  let patched = 0
  one.store.commit = async (options) => {
    if (options.writes.some(({ key }) => key.includes("/child-")) && ++patched === 10) stopping = collector.stop()
    return real(options)
  }
  await one.remove("configmaps", "a/owner", { propagationPolicy: "Orphan" })
  await collector.idle()
  await vi.waitFor(() => expect(stopping).toBeDefined())
  await stopping
  collector = startGarbageCollector(one, { workers: 4 })
  await collector.idle()
  expect(await one.names("configmaps")).toEqual([])
  const children = await Promise.all((await one.names("secrets")).map((path) => one.get("secrets", path)))
  expect(children.length).toBe(30)
  expect(children.filter((child) => child?.metadata?.ownerReferences !== undefined)).toEqual([])
})

test("an object that gets a new owner while it is processed stays", async () => {
  const [gone, kept] = [await make("configmaps", "gone"), await make("configmaps", "kept")]
  await make("secrets", "child", [reference(gone)])
  await collector.idle()
  const real: Store["commit"] = one.store.commit.bind(one.store)
  let adopted = false
  one.store.commit = async (options) => {
    if (!adopted && options.writes.some(({ type, key }) => type === "delete" && key.endsWith("/child"))) {
      adopted = true
      await one.update("secrets", "a/child", (old) => ({
        ...old,
        metadata: { ...old.metadata, ownerReferences: [reference(gone), reference(kept)] },
      }))
    }
    return real(options)
  }
  await remove("a/gone", "Background")
  expect(adopted).toBe(true)
  expect((await one.get("secrets", "a/child"))?.metadata?.ownerReferences).toEqual([reference(kept)])
})

test.each(["the owner that is gone", "an owner that exists"])(
  "an object that is adopted while its owners are looked up stays: %s first",
  async (which) => {
    const [kept, other] = [await make("configmaps", "kept"), await make("configmaps", "other")]
    const gone: OwnerReference = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "gone" }
    await collector.idle()
    const real = one.registry.handle.bind(one.registry)
    let adopted = false
    // The object that the collector has read changes before it has checked the owners.
    one.registry.handle = async (kind) => {
      if (!adopted && kind.resource === "configmaps") {
        adopted = true
        await one.update("secrets", "a/child", (old) => ({
          ...old,
          metadata: {
            ...old.metadata,
            ownerReferences: which === "an owner that exists" ? [reference(kept), gone, reference(other)] : [gone, reference(kept)],
          },
        }))
      }
      return real(kind)
    }
    await make("secrets", "child", [gone])
    await collector.idle()
    expect(adopted).toBe(true)
    expect((await one.get("secrets", "a/child"))?.metadata?.ownerReferences).toEqual(
      which === "an owner that exists" ? [reference(kept), reference(other)] : [reference(kept)],
    )
  },
)

test("two collectors on two servers do not interfere", async () => {
  const two = await openRegistry({ store: one.store, clock: one.clock })
  const second = startGarbageCollector(two, { workers: 4 })
  const owner = await make("configmaps", "owner")
  for (let index = 0; index < 20; index++) await make("secrets", `child-${index}`, [reference(owner, { blockOwnerDeletion: true })])
  await remove("a/owner", "Foreground")
  await second.idle()
  await collector.idle()
  expect([await one.names("configmaps"), await one.names("secrets")]).toEqual([[], []])
  await second.stop()
  await two.close()
})

test("kinds without objects are not opened", async () => {
  await make("configmaps", "c")
  await collector.idle()
  const opened: string[] = []
  const { kinds } = one.registry.deps
  for (const kind of kinds.all()) if (kinds.loaded(kind) !== undefined) opened.push(kind.resource)
  expect(opened).toEqual(["configmaps"])
})
