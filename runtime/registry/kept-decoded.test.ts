import { afterEach, beforeEach, expect, it } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { type OpenRegistry, openRegistry } from "../../test/support/open-registry.ts"
import { ownObject } from "../../test/support/own-object.ts"
import { writeAttributes } from "../../test/support/write-attributes.ts"
import type { ApiObject } from "../base/json.ts"
import { openMemoryStore } from "../storage/memory/memory-store.ts"
import { createObject } from "./create.ts"
import { deleteObject } from "./delete.ts"

let open: OpenRegistry

beforeEach(async () => {
  const clock = createManualClock()
  open = await openRegistry({ clock, store: await openMemoryStore({ clock }) })
})
afterEach(() => open.close())

async function create(resource: string, sent: ApiObject): Promise<void> {
  const handle = await open.handle(resource)
  const attributes = writeAttributes("CREATE", handle, { namespace: "default", manager: "m" })
  const object = ownObject(open.registry, handle, sent)
  await createObject(open.registry, handle, { attributes, object, managedFields: "tracked" })
}

/** Whether the object is kept decoded, in the version that the cache has. */
async function keeps(resource: string, name: string): Promise<boolean> {
  const handle = await open.handle(resource)
  const key = handle.key("default", name)
  const revision = handle.cache.get(key)?.modRevision ?? kept.get(key) ?? 0
  kept.set(key, revision)
  return open.registry.recent.find(key, revision) !== undefined
}
const kept = new Map<string, number>()

it("keeps what was written, and nothing that ends by itself", async () => {
  await create("configmaps", { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" } })
  const involvedObject = { kind: "ConfigMap", namespace: "default", name: "a" }
  await create("events", { kind: "Event", apiVersion: "v1", metadata: { name: "a" }, involvedObject, reason: "Seen" })
  expect(await keeps("configmaps", "a")).toBe(true)
  expect(await keeps("events", "a")).toBe(false)
})

it("keeps nothing of an object that went with another", async () => {
  await create("services", { kind: "Service", apiVersion: "v1", metadata: { name: "a" }, spec: { ports: [{ port: 80 }] } })
  await create("endpoints", { kind: "Endpoints", apiVersion: "v1", metadata: { name: "a" } })
  expect(await keeps("endpoints", "a")).toBe(true)
  const handle = await open.handle("services")
  await deleteObject(open.registry, handle, { attributes: writeAttributes("DELETE", handle, { namespace: "default", name: "a" }) })
  const endpoints = await open.handle("endpoints")
  expect(endpoints.cache.get(endpoints.key("default", "a"))).toBeUndefined()
  expect(await keeps("endpoints", "a")).toBe(false)
})
