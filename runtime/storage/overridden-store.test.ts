import { expect, test } from "vitest"
import { createManualClock } from "../../test/contract/manual-clock.ts"
import { openMemoryStore } from "./memory/memory-store.ts"
import { overrideStores } from "./overridden-store.ts"
import type { Store } from "./store.ts"
import { openCaches } from "./watch-cache/overridden-cache.ts"

async function setUp(): Promise<{ main: Store; events: Store; both: Store; clock: ReturnType<typeof createManualClock> }> {
  const clock = createManualClock()
  const [main, events] = [await openMemoryStore({ clock }), await openMemoryStore({ clock })]
  return { main, events, clock, both: overrideStores(main, [{ path: "events", store: events }], "/registry/") }
}

const put = (key: string) => ({ checks: [], writes: [{ type: "put", key, value: Buffer.from("x") } as const] })

test("routes keys below an override's path to its store and all others to the main store", async () => {
  const { both, events, main } = await setUp()
  await both.commit(put("/registry/events/default/a"))
  await both.commit(put("/registry/events/default/b"))
  await both.commit(put("/registry/eventsx/default/a"))
  expect((await both.list({ prefix: "/registry/events/" })).items.map(({ key }) => key)).toHaveLength(2)
  expect((await events.list({ prefix: "" })).items).toHaveLength(2)
  expect((await main.list({ prefix: "" })).items.map(({ key }) => key)).toEqual(["/registry/eventsx/default/a"])
  expect(await both.revision()).toBe(2)
  expect((await both.get({ key: "/registry/events/default/b" }))?.modRevision).toBe(3)
})

test("refuses a commit that spans two stores", async () => {
  const { both } = await setUp()
  const writes = [...put("/registry/events/a").writes, ...put("/registry/pods/a").writes]
  await expect(both.commit({ checks: [], writes })).rejects.toMatchObject({ code: "unavailable" })
})

test("closes every store", async () => {
  const { both, events, main } = await setUp()
  await both.close()
  for (const store of [main, events]) await expect(store.revision()).rejects.toMatchObject({ code: "closed" })
})

test("gives each store a cache of its own", async () => {
  const { both, clock } = await setUp()
  await both.commit(put("/registry/events/default/a"))
  const cache = openCaches({ store: both, prefix: "/registry/", clock })
  const codec = {
    toJson: () => '{"kind":"Event","apiVersion":"v1","metadata":{"resourceVersion":"2"}}',
    describe: () => ({ labels: {}, fields: {} }),
  }
  const [pods, events] = [cache.resource("pods", codec), cache.resource("events", codec)]
  await Promise.all([pods.ready, events.ready])
  expect(events.snapshot().count({ prefix: "" })).toBe(1)
  expect([pods.revision(), events.revision()]).toEqual([1, 2])
  expect(await cache.consistentRevision("events")).toBe(2)
  expect(await cache.consistentRevision("pods")).toBe(1)
  await both.commit(put("/registry/pods/default/a"))
  expect([pods.revision(), events.revision()]).toEqual([2, 2])
  expect(cache.healthy()).toBe(true)
  expect((await cache.verify()).every(({ matches }) => matches)).toBe(true)
  await cache.close()
  expect(cache.fault()).toBeDefined()
})
