import { afterEach, beforeEach, expect, it } from "vitest"
import { type OpenRegistry, openRegistry } from "../../test/support/open-registry.ts"
import { writeAttributes } from "../../test/support/write-attributes.ts"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import type { ApiObject } from "../base/json.ts"
import { systemRandom } from "../base/random.ts"
import { openMemoryStore } from "../storage/memory/memory-store.ts"
import { StoreError, type Store } from "../storage/store.ts"
import { createObject } from "./create.ts"
import { ownObject } from "../../test/support/own-object.ts"

let open: OpenRegistry
let attempts: number
/** The size limit of the store, in bytes. */
let room: number

beforeEach(async () => {
  attempts = 0
  room = 100_000_000
  const clock = createManualClock()
  const random = {
    ...systemRandom,
    uuid: () => {
      attempts++
      return systemRandom.uuid()
    },
  }
  open = await openRegistry({ clock, random, store: narrow(await openMemoryStore({ clock })) })
})
afterEach(() => open.close())

/** Wraps a store so that it accepts only values of up to `room` bytes. */
function narrow(store: Store): Store {
  const commit: Store["commit"] = async (change) => {
    for (const write of change.writes)
      if (write.type === "put" && write.value.length > room) throw new StoreError("too-large", `more than ${room} bytes`)
    return store.commit(change)
  }
  return new Proxy(store, { get: (target, name) => (name === "commit" ? commit : Reflect.get(target, name, target)) })
}

/** A pod that repeats one large text, as YAML aliases can. */
function pod(places: number): ApiObject {
  const value = "v".repeat(300_000)
  const env = Array.from({ length: places }, (_none, index) => ({ name: `E${index}`, value }))
  return { kind: "Pod", apiVersion: "v1", metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i", env }] } }
}

async function create(sent: ApiObject): Promise<ApiObject> {
  const handle = await open.handle("pods")
  const object = ownObject(open.registry, handle, sent)
  const attributes = writeAttributes("CREATE", handle, { namespace: "default", manager: "m" })
  const request = { attributes, object, managedFields: "tracked" as const }
  return (await createObject(open.registry, handle, request)).object
}

it("refuses an object that is too large to encode, after one attempt", async () => {
  await expect(create(pod(40))).rejects.toMatchObject({ code: 413, message: expect.stringContaining("8388608") })
  expect(attempts).toBe(1)
})

it("refuses an object whose JSON is too large", async () => {
  const object = pod(1)
  object.metadata = { name: "a", annotations: { a: "b" } }
  const [container] = (object.spec as { containers: { env: { name: string; value: string }[] }[] }).containers
  if (container !== undefined) container.env = [{ name: "E", value: "\u0001".repeat(2_000_000) }]
  await expect(create(object)).rejects.toMatchObject({ code: 413, message: expect.stringContaining("8388608") })
  expect(attempts).toBe(1)
})

it("stores an object without managedFields if it exceeds the store's limit only because of them", async () => {
  expect((await create(pod(1))).metadata?.managedFields).toHaveLength(1)
  await open.remove("pods", "default/a", { gracePeriodSeconds: 0 })
  room = 300_600
  attempts = 0
  expect((await create(pod(1))).metadata?.managedFields).toBeUndefined()
  expect(attempts).toBe(2)
  room = 1000
  await expect(create({ ...pod(1), metadata: { name: "b" } })).rejects.toMatchObject({ code: 413 })
})
