import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { openRegistry, type OpenRegistry } from "../../test/support/open-registry.ts"
import type { ApiObject, JsonObject, OwnerReference } from "../kit/json.ts"
import { deleteObject } from "../registry/delete.ts"
import { type Store, StoreError, type WatchOptions } from "../storage/store.ts"
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

const absent: OwnerReference = { apiVersion: "v1", kind: "ConfigMap", name: "never", uid: "never-was" }

function make(resource: string, name: string, ownerReferences: OwnerReference[] = [], more: JsonObject = {}): Promise<ApiObject> {
  return one.create(resource, { metadata: { name, namespace: "a", ...(ownerReferences.length > 0 && { ownerReferences }), ...more } })
}

async function remove(path: string, propagationPolicy: "Background" | "Foreground" | "Orphan", resource = "configmaps"): Promise<void> {
  await one.remove(resource, path, { propagationPolicy })
  await collector.idle()
}

test("dependents go after their owner, and theirs after them", async () => {
  const owner = await make("configmaps", "owner")
  const child = await make("secrets", "child", [reference(owner)])
  await make("serviceaccounts", "grandchild", [reference(child)])
  await make("secrets", "stranger")
  await remove("a/owner", "Background")
  expect([await one.names("configmaps"), await one.names("secrets"), await one.names("serviceaccounts")]).toEqual([[], ["a/stranger"], []])
})

test("an object whose owner never was goes; a name alone does not make an owner", async () => {
  const owner = await make("configmaps", "owner")
  await make("secrets", "a", [absent])
  await make("secrets", "b", [reference(owner, { uid: "another-uid" })])
  await make("secrets", "c", [reference(owner)])
  await collector.idle()
  expect(await one.names("secrets")).toEqual(["a/c"])
})

test("one owner that is there is enough; those that are gone are forgotten", async () => {
  const [kept, gone] = [await make("configmaps", "kept"), await make("configmaps", "gone")]
  await make("secrets", "child", [reference(gone), reference(kept)])
  await remove("a/gone", "Background")
  expect((await one.get("secrets", "a/child"))?.metadata?.ownerReferences).toEqual([reference(kept)])
})

test("owners of kinds that nobody here knows count as there", async () => {
  await make("secrets", "child", [{ ...absent, apiVersion: "example.com/v1", kind: "Thing" }])
  await collector.idle()
  expect(await one.names("secrets")).toEqual(["a/child"])
})

test("a namespaced owner of a cluster-scoped object cannot be looked up, so the object stays", async () => {
  const owner = await make("configmaps", "owner")
  await one.create("nodes", { metadata: { name: "n", ownerReferences: [reference(owner), absent] } })
  await collector.idle()
  expect(await one.names("nodes")).toEqual(["n"])
})

test("a cluster-scoped owner counts for namespaced dependents", async () => {
  const node = await one.create("nodes", { metadata: { name: "n" } })
  await make("configmaps", "child", [reference(node)])
  await collector.idle()
  expect(await one.names("configmaps")).toEqual(["a/child"])
  await remove("n", "Background", "nodes")
  expect(await one.names("configmaps")).toEqual([])
})

test("orphan: dependents stay and lose the reference, the owner goes", async () => {
  const owner = await make("configmaps", "owner")
  await make("secrets", "child", [reference(owner, { blockOwnerDeletion: true })])
  await remove("a/owner", "Orphan")
  expect(await one.names("configmaps")).toEqual([])
  expect((await one.get("secrets", "a/child"))?.metadata?.ownerReferences).toBeUndefined()
})

test("orphan without dependents does not hang", async () => {
  await make("configmaps", "owner")
  await remove("a/owner", "Orphan")
  expect(await one.names("configmaps")).toEqual([])
})

test("foreground: the owner waits for dependents that block it", async () => {
  const owner = await make("configmaps", "owner")
  await make("secrets", "child", [reference(owner, { blockOwnerDeletion: true })], { finalizers: ["example.com/held"] })
  await remove("a/owner", "Foreground")
  expect((await one.get("configmaps", "a/owner"))?.metadata?.finalizers).toEqual(["foregroundDeletion"])
  expect((await one.get("secrets", "a/child"))?.metadata?.deletionTimestamp).toBeDefined()
  await one.update("secrets", "a/child", (old) => ({ ...old, metadata: { ...old.metadata, finalizers: [] } }))
  await collector.idle()
  expect([await one.names("configmaps"), await one.names("secrets")]).toEqual([[], []])
})

test("foreground: dependents that do not block go all the same", async () => {
  const owner = await make("configmaps", "owner")
  await make("secrets", "child", [reference(owner)])
  await remove("a/owner", "Foreground")
  expect([await one.names("configmaps"), await one.names("secrets")]).toEqual([[], []])
})

test("foreground: a chain goes from its end", async () => {
  const owner = await make("configmaps", "owner")
  const child = await make("secrets", "child", [reference(owner, { blockOwnerDeletion: true })])
  await make("serviceaccounts", "grandchild", [reference(child, { blockOwnerDeletion: true })], { finalizers: ["example.com/held"] })
  await remove("a/owner", "Foreground")
  expect((await one.get("secrets", "a/child"))?.metadata?.finalizers).toEqual(["foregroundDeletion"])
  await one.update("serviceaccounts", "a/grandchild", (old) => ({ ...old, metadata: { ...old.metadata, finalizers: [] } }))
  await collector.idle()
  expect([await one.names("configmaps"), await one.names("secrets"), await one.names("serviceaccounts")]).toEqual([[], [], []])
})

test("foreground: a dependent with another owner loses the reference and stays", async () => {
  const [owner, other] = [await make("configmaps", "owner"), await make("configmaps", "other")]
  await make("secrets", "child", [reference(owner, { blockOwnerDeletion: true }), reference(other)])
  await remove("a/owner", "Foreground")
  expect([await one.names("configmaps"), await one.names("secrets")]).toEqual([["a/other"], ["a/child"]])
})

test("objects that own each other, or themselves, do not wait for each other for ever", async () => {
  const left = await make("configmaps", "left")
  const right = await make("configmaps", "right", [reference(left, { blockOwnerDeletion: true })])
  const own = await make("configmaps", "own")
  const addOwner = (path: string, owner: ApiObject) =>
    one.update("configmaps", path, (old) => ({
      ...old,
      metadata: { ...old.metadata, ownerReferences: [reference(owner, { blockOwnerDeletion: true })] },
    }))
  await addOwner("a/left", right)
  await addOwner("a/own", own)
  await remove("a/left", "Foreground")
  await remove("a/own", "Foreground")
  expect(await one.names("configmaps")).toEqual([])
})

test("a finalizer that asks for it is heard when a dependent goes", async () => {
  const owner = await make("configmaps", "owner")
  const child = await make("secrets", "child", [reference(owner)], { finalizers: ["orphan"] })
  await make("serviceaccounts", "grandchild", [reference(child)])
  await remove("a/owner", "Background")
  expect([await one.names("secrets"), await one.names("serviceaccounts")]).toEqual([[], ["a/grandchild"]])
})

test("what happened while no collector ran is made up for", async () => {
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

test("a reference given later counts", async () => {
  await make("secrets", "child")
  await collector.idle()
  await one.update("secrets", "a/child", (old) => ({ ...old, metadata: { ...old.metadata, ownerReferences: [absent] } }))
  await collector.idle()
  expect(await one.names("secrets")).toEqual([])
})

test("an owner that went while the watch was lost is noticed afterwards", async () => {
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
  // History is gone too: nobody can tell what happened.
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

test("two collectors on two servers do no harm to each other", async () => {
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

test("without a collector no finalizers are added for it", async () => {
  const handle = await one.handle("configmaps")
  await make("configmaps", "c")
  const registry = Object.assign(Object.create(one.registry), { deps: { ...one.registry.deps, garbageCollector: false } })
  const { removed } = await deleteObject(registry, handle, { namespace: "a", name: "c", dryRun: false, propagationPolicy: "Foreground" })
  expect(removed).toBe(true)
})
