import { afterEach, beforeEach, expect, test } from "vitest"
import { openRegistry, type OpenRegistry } from "../../../test/support/open-registry.ts"
import { writeAttributes } from "../../../test/support/write-attributes.ts"
import type { ApiObject, JsonObject, OwnerReference } from "../../base/json.ts"
import { deleteObject } from "../../registry/delete.ts"
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

test("dependents are deleted after their owner, and their own dependents after them", async () => {
  const owner = await make("configmaps", "owner")
  const child = await make("secrets", "child", [reference(owner)])
  await make("serviceaccounts", "grandchild", [reference(child)])
  await make("secrets", "stranger")
  await remove("a/owner", "Background")
  expect([await one.names("configmaps"), await one.names("secrets"), await one.names("serviceaccounts")]).toEqual([[], ["a/stranger"], []])
})

test("an object whose owner never existed is deleted; a matching name is not enough", async () => {
  const owner = await make("configmaps", "owner")
  await make("secrets", "a", [absent])
  await make("secrets", "b", [reference(owner, { uid: "another-uid" })])
  await make("secrets", "c", [reference(owner)])
  await collector.idle()
  expect(await one.names("secrets")).toEqual(["a/c"])
})

test("one existing owner keeps an object; references to absent ones are dropped", async () => {
  const [kept, gone] = [await make("configmaps", "kept"), await make("configmaps", "gone")]
  await make("secrets", "child", [reference(gone), reference(kept)])
  await remove("a/gone", "Background")
  expect((await one.get("secrets", "a/child"))?.metadata?.ownerReferences).toEqual([reference(kept)])
})

test("owners of unknown kinds count as existing", async () => {
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

test("orphan: dependents stay and lose the reference, the owner is deleted", async () => {
  const owner = await make("configmaps", "owner")
  await make("secrets", "child", [reference(owner, { blockOwnerDeletion: true })])
  await remove("a/owner", "Orphan")
  expect(await one.names("configmaps")).toEqual([])
  expect((await one.get("secrets", "a/child"))?.metadata?.ownerReferences).toBeUndefined()
})

test("orphan without dependents completes", async () => {
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

test("foreground: dependents that do not block are deleted as well", async () => {
  const owner = await make("configmaps", "owner")
  await make("secrets", "child", [reference(owner)])
  await remove("a/owner", "Foreground")
  expect([await one.names("configmaps"), await one.names("secrets")]).toEqual([[], []])
})

test("foreground: a chain is deleted from its end", async () => {
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

test("objects that own each other or themselves do not deadlock", async () => {
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

test("a dependent's own orphan finalizer is honoured when the dependent is deleted", async () => {
  const owner = await make("configmaps", "owner")
  const child = await make("secrets", "child", [reference(owner)], { finalizers: ["orphan"] })
  await make("serviceaccounts", "grandchild", [reference(child)])
  await remove("a/owner", "Background")
  expect([await one.names("secrets"), await one.names("serviceaccounts")]).toEqual([[], ["a/grandchild"]])
})

test("a reference added later counts", async () => {
  await make("secrets", "child")
  await collector.idle()
  await one.update("secrets", "a/child", (old) => ({ ...old, metadata: { ...old.metadata, ownerReferences: [absent] } }))
  await collector.idle()
  expect(await one.names("secrets")).toEqual([])
})

test("an owner is looked up in the dependent's own namespace only, and an Event reports it", async () => {
  await one.create("namespaces", { metadata: { name: "a" } })
  await one.create("namespaces", { metadata: { name: "b" } })
  const owner = await one.create("configmaps", { metadata: { name: "owner", namespace: "b" } })
  await make("secrets", "child", [reference(owner)])
  await collector.idle()
  expect(await one.names("secrets")).toEqual([])
  const [path = ""] = await one.names("events")
  expect(await one.get("events", path)).toMatchObject({
    metadata: { namespace: "a" },
    involvedObject: { kind: "Secret", namespace: "a", name: "child" },
    reason: "OwnerRefInvalidNamespace",
    type: "Warning",
    source: { component: "garbage-collector-controller" },
  })
})

test("a cluster-scoped object with a namespaced owner stays, and an Event reports it", async () => {
  const owner = await make("configmaps", "owner")
  await one.create("nodes", { metadata: { name: "n", ownerReferences: [reference(owner)] } })
  await collector.idle()
  expect((await one.names("events")).map((path) => path.replace(/\.[0-9a-f]+$/, ""))).toEqual(["default/n"])
})

test("no Event is written for an owner that was deleted", async () => {
  await one.create("namespaces", { metadata: { name: "b" } })
  const owner = await make("configmaps", "owner")
  await make("secrets", "child", [reference(owner)])
  await remove("a/owner", "Background")
  expect([await one.names("secrets"), await one.names("events")]).toEqual([[], []])
})

test("the right uid under a wrong kind or name is not an owner", async () => {
  const owner = await make("configmaps", "owner")
  await make("secrets", "wrong-kind", [reference(owner, { kind: "ServiceAccount" })])
  await make("secrets", "wrong-name", [reference(owner, { name: "other" })])
  await make("secrets", "right", [reference(owner)])
  await collector.idle()
  expect(await one.names("secrets")).toEqual(["a/right"])
})

test("owners in another version of their kind, and of another group, are found", async () => {
  const scale = await one.create("deployments", {
    metadata: { name: "d", namespace: "a" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  })
  await make("secrets", "child", [reference(scale)])
  await collector.idle()
  expect(await one.names("secrets")).toEqual(["a/child"])
  await one.remove("deployments", "a/d")
  await collector.idle()
  expect(await one.names("secrets")).toEqual([])
})

test("an object with one owner of an unknown kind is left alone, including its other references", async () => {
  const gone = await make("configmaps", "gone")
  const references = [reference(gone), { ...absent, apiVersion: "example.com/v1", kind: "Thing" }]
  await make("secrets", "child", references)
  await remove("a/gone", "Background")
  expect((await one.get("secrets", "a/child"))?.metadata?.ownerReferences).toEqual(references)
})

test("switching to orphan while the owner waits releases the dependents that are left", async () => {
  const owner = await make("configmaps", "owner")
  const held = { finalizers: ["example.com/held"] }
  await make("secrets", "child", [reference(owner, { blockOwnerDeletion: true })], held)
  await remove("a/owner", "Foreground")
  expect(await one.names("configmaps")).toEqual(["a/owner"])
  await remove("a/owner", "Orphan")
  expect(await one.names("configmaps")).toEqual([])
  expect((await one.get("secrets", "a/child"))?.metadata?.ownerReferences).toBeUndefined()
})

test("switching to background deletes the owner at once", async () => {
  const owner = await make("configmaps", "owner")
  await make("secrets", "child", [reference(owner, { blockOwnerDeletion: true })], { finalizers: ["example.com/held"] })
  await remove("a/owner", "Foreground")
  await remove("a/owner", "Background")
  expect([await one.names("configmaps"), await one.names("secrets")]).toEqual([[], ["a/child"]])
})

test("a waiting owner is deleted once its dependent stops blocking", async () => {
  const owner = await make("configmaps", "owner")
  await make("secrets", "child", [reference(owner, { blockOwnerDeletion: true })], { finalizers: ["example.com/held"] })
  await remove("a/owner", "Foreground")
  await one.update("secrets", "a/child", (old) => ({ ...old, metadata: { ...old.metadata, ownerReferences: [reference(owner)] } }))
  await collector.idle()
  expect(await one.names("configmaps")).toEqual([])
})

test("three objects in a circle are deleted in the foreground", async () => {
  const first = await make("configmaps", "first")
  const second = await make("configmaps", "second", [reference(first, { blockOwnerDeletion: true })])
  const third = await make("configmaps", "third", [reference(second, { blockOwnerDeletion: true })])
  const circle = [reference(third, { blockOwnerDeletion: true })]
  await one.update("configmaps", "a/first", (old) => ({ ...old, metadata: { ...old.metadata, ownerReferences: circle } }))
  await remove("a/first", "Foreground")
  expect(await one.names("configmaps")).toEqual([])
})

test("a dependent of two owners is deleted with the last of them", async () => {
  const [left, right] = [await make("configmaps", "left"), await make("configmaps", "right")]
  await make("secrets", "child", [reference(left, { blockOwnerDeletion: true }), reference(right, { blockOwnerDeletion: true })])
  await remove("a/left", "Foreground")
  expect((await one.get("secrets", "a/child"))?.metadata?.ownerReferences).toEqual([reference(right, { blockOwnerDeletion: true })])
  await remove("a/right", "Foreground")
  expect(await one.names("secrets")).toEqual([])
})

test("without a collector its finalizers are not added", async () => {
  const handle = await one.handle("configmaps")
  await make("configmaps", "c")
  const registry = Object.assign(Object.create(one.registry), { deps: { ...one.registry.deps, garbageCollector: false } })
  const attributes = writeAttributes("DELETE", handle, { namespace: "a", name: "c" })
  const { removed } = await deleteObject(registry, handle, { attributes, propagationPolicy: "Foreground" })
  expect(removed).toBe(true)
})
