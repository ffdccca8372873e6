import { expect, test } from "vitest"
import { put, record, settle, shown, thingCodec } from "../../../test/contract/cache-fixtures.ts"
import { createManualClock } from "../../../test/contract/manual-clock.ts"
import { openMemoryStore } from "../memory/memory-store.ts"
import type { Store } from "../store.ts"
import { openCache } from "./watch-cache.ts"
import type { Verification } from "./verification.ts"

/** A store whose watch withholds the events for whose key `forgets` is true. */
function forgetful(inner: Store): { store: Store; forgets: (key: string) => boolean; listing: boolean } {
  const state = {
    forgets: (_key: string): boolean => false,
    listing: true,
    store: {
      ...bound(inner),
      watch: (options: Parameters<Store["watch"]>[0]) =>
        inner.watch({
          ...options,
          onEvents: (events, revision) =>
            options.onEvents(
              events.filter(({ key }) => !state.forgets(key)),
              revision,
            ),
        }),
      list: (options: Parameters<Store["list"]>[0]) => (state.listing ? inner.list(options) : Promise.reject(new Error("no disk"))),
    },
  }
  return state
}

function bound(inner: Store): Store {
  return {
    get: (options) => inner.get(options),
    list: (options) => inner.list(options),
    commit: (options) => inner.commit(options),
    watch: (options) => inner.watch(options),
    revision: () => inner.revision(),
    compact: (options) => inner.compact(options),
    status: () => inner.status(),
    close: () => inner.close(),
  }
}

test("detects a cache that missed an event, counts it and reads it again, and its watchers list again", async () => {
  const clock = createManualClock()
  const lossy = forgetful(await openMemoryStore({ clock }))
  const found: Verification[] = []
  const cache = openCache({ store: lossy.store, prefix: "/registry/", clock, onMismatch: (verification) => found.push(verification) })
  const things = cache.resource("things", thingCodec())
  const others = cache.resource("others", thingCodec())
  await Promise.all([things.ready, others.ready])
  await put(lossy.store, "/registry/things/a/x")
  const watching = record(things, { afterRevision: 2 })
  const undisturbed = record(others, { afterRevision: 2 })
  clock.advance(300_000)
  await settle()
  expect(cache.checks()).toEqual([
    { resource: "things", success: 1, failure: 0, error: 0 },
    { resource: "others", success: 1, failure: 0, error: 0 },
  ])
  lossy.forgets = (key) => key === "/registry/things/a/y"
  await put(lossy.store, "/registry/things/a/y")
  await put(lossy.store, "/registry/things/a/z")
  expect(shown(things.snapshot())).toEqual(["a/x@2", "a/z@4"])
  expect(found).toEqual([])
  clock.advance(300_000)
  await settle()
  expect(found).toMatchObject([{ resource: "things", matches: false, revision: 4 }])
  expect(found[0]?.cacheHash).not.toBe(found[0]?.storeHash)
  expect(cache.checks()[0]).toEqual({ resource: "things", success: 1, failure: 1, error: 0 })
  expect(watching.ends.map(({ code, message }) => [code, message])).toEqual([
    ["compacted", "the cache of things differed from the store at version 4"],
  ])
  expect(undisturbed.ends).toEqual([])
  expect(shown(things.snapshot())).toEqual(["a/x@2", "a/y@3", "a/z@4"])
  expect(cache.fault()).toBeUndefined()
  clock.advance(300_000)
  await settle()
  expect(cache.checks()[0]).toEqual({ resource: "things", success: 2, failure: 1, error: 0 })
  await cache.close()
})

test("health reports the reason while the resource is read again", async () => {
  const clock = createManualClock()
  const lossy = forgetful(await openMemoryStore({ clock }))
  const cache = openCache({
    store: lossy.store,
    prefix: "/registry/",
    clock,
    onMismatch: () => {
      lossy.listing = false
    },
  })
  const things = cache.resource("things", thingCodec())
  await things.ready
  lossy.forgets = () => true
  await put(lossy.store, "/registry/things/a/x")
  clock.advance(300_000)
  await settle()
  expect(cache.fault()).toBe("things cannot be read from the store: no disk")
  expect(() => record(things, { afterRevision: 2 })).toThrow("starting over")
  lossy.listing = true
  clock.advance(60_000)
  await settle()
  expect(cache.fault()).toBeUndefined()
  expect(shown(things.snapshot())).toEqual(["a/x@2"])
  await cache.close()
})

test("counts an unreadable store as an error, and stops checking after close", async () => {
  const clock = createManualClock()
  const lossy = forgetful(await openMemoryStore({ clock }))
  const cache = openCache({ store: lossy.store, prefix: "/registry/", clock })
  await cache.resource("things", thingCodec()).ready
  lossy.listing = false
  clock.advance(300_000)
  await settle()
  expect(cache.checks()).toEqual([{ resource: "things", success: 0, failure: 0, error: 1 }])
  await cache.close()
  clock.advance(600_000)
  await settle()
  expect(cache.checks()).toEqual([{ resource: "things", success: 0, failure: 0, error: 1 }])
  expect(clock.nextDueMs()).toBeUndefined()
})

test("makes no checks with an interval of 0", async () => {
  const clock = createManualClock()
  const cache = openCache({ store: await openMemoryStore({ clock }), prefix: "/registry/", clock, limits: { verifyMs: 0 } })
  await cache.resource("things", thingCodec()).ready
  clock.advance(3_600_000)
  await settle()
  expect(cache.checks()).toEqual([])
  await cache.close()
})
