import { expect } from "vitest"
import { StoreError } from "../../runtime/storage/store.ts"
import { brief, put, record, remove, settle, shown, thingCodec } from "./cache-fixtures.ts"
import { lost } from "./cache-unreliable.ts"
import type { CacheCases } from "./cache-cases.ts"

/** A store that fails and recovers. */
export const recoveryCases: CacheCases = {
  async "resumes a watch that was lost for a moment, and watchers miss nothing"({ store, open, place }) {
    const cache = open()
    const things = cache.resource("things", thingCodec())
    await things.ready
    const watching = record(things, { afterRevision: 1 })
    await put(store, "/registry/things/a/x")
    store.endWatches(lost())
    expect(cache.fault()).toBe("the store's watch ended: connection refused")
    await put(store, "/registry/things/a/y")
    expect(things.revision()).toBe(2)
    place.clock.advance(100)
    await settle()
    expect(cache.healthy()).toBe(true)
    expect(things.revision()).toBe(3)
    expect(watching.events.map(brief)).toEqual(["ADDED a/x@2", "ADDED a/y@3"])
    expect(watching.ends).toEqual([])
  },

  async "while the store is down, reads are stale and health says so; retries become less frequent"({ store, open, place }) {
    const cache = open()
    const things = cache.resource("things", thingCodec())
    await things.ready
    await put(store, "/registry/things/a/x")
    store.fail(lost())
    const waiting = things.waitFor(3, 60_000)
    const before = store.watchesOpened
    for (let second = 0; second < 60; second++) {
      place.clock.advance(1000)
      await settle()
    }
    const tries = store.watchesOpened - before
    expect(tries).toBeGreaterThan(8)
    expect(tries).toBeLessThan(25)
    expect(await waiting).toBe(false)
    expect(things.revision()).toBe(2)
    expect(shown(things.snapshot())).toEqual(["a/x@2"])
    expect(cache.healthy()).toBe(false)
    store.fail(undefined)
    await put(store, "/registry/things/a/x", "again")
    place.clock.advance(10_000)
    expect(await things.waitFor(3, 1000)).toBe(true)
    await settle()
    expect(cache.healthy()).toBe(true)
  },

  async "when the store has compacted too much, watches end and everything is read again"({ store, open, place }) {
    const cache = open({ fillPage: 2 })
    const things = cache.resource("things", thingCodec())
    const others = cache.resource("others", thingCodec())
    await Promise.all([things.ready, others.ready])
    for (const name of ["x", "y", "z"]) await put(store, `/registry/things/a/${name}`)
    const kept = things.get("/registry/things/a/y")
    const watching = [record(things, { afterRevision: 4 }), record(others, { afterRevision: 4 }), record(things, { afterRevision: 1 })]
    await settle()
    store.endWatches(lost())
    await remove(store, "/registry/things/a/x")
    await put(store, "/registry/things/a/z", "again")
    await put(store, "/registry/others/a/o")
    await store.compact({ revision: 7 })
    place.clock.advance(100)
    await settle()
    expect(watching.map(({ ends }) => ends.map((error) => error.code))).toEqual([["compacted"], ["compacted"], ["compacted"]])
    expect(shown(things.snapshot())).toEqual(["a/x@2", "a/y@3", "a/z@4"])
    expect(things.revision()).toBe(4)
    expect(cache.fault()).toBeDefined()
    expect(() => record(things, { afterRevision: 4 })).toThrow("starting over")
    // Quiet, but at the same revision as the others: a revision that was shown never goes back.
    expect(others.revision()).toBe(4)
    place.clock.advance(10_000)
    await settle()
    expect(shown(things.snapshot())).toEqual(["a/y@3", "a/z@6"])
    expect(things.get("/registry/things/a/y")).toBe(kept)
    expect(shown(others.snapshot())).toEqual(["a/o@7"])
    expect(cache.healthy()).toBe(true)
    const again = record(things, { afterRevision: 7 })
    await put(store, "/registry/things/a/w")
    expect(again.events.map(brief)).toEqual(["ADDED a/w@8"])
    expect(await things.snapshotAt(5)).toBeUndefined()
  },

  async "a watch that begins ahead of a gap may be resumed"({ store, open, place }) {
    const cache = open()
    const things = cache.resource("things", thingCodec())
    await things.ready
    await put(store, "/registry/things/a/x")
    store.endWatches(lost())
    await put(store, "/registry/things/a/y")
    await put(store, "/registry/things/a/z")
    const behind = record(things, { afterRevision: 2 })
    const ahead = record(things, { afterRevision: 4 })
    await store.compact({ revision: 4 })
    place.clock.advance(100)
    await settle()
    expect(behind.ends.map((error) => error.code)).toEqual(["compacted"])
    expect(ahead.ends.map((error) => error.code)).toEqual(["unavailable"])
  },

  async "waits for a store that is down at start"({ store, open, place }) {
    await put(store, "/registry/things/a/x")
    store.fail(lost())
    const cache = open()
    const things = cache.resource("things", thingCodec())
    let filled = false
    void things.ready.then(() => {
      filled = true
    })
    for (let turn = 0; turn < 5; turn++) {
      place.clock.advance(1000)
      await settle()
    }
    expect(filled).toBe(false)
    expect(cache.fault()).toContain("connection refused")
    expect(() => things.get("/registry/things/a/x")).toThrow("still being read")
    store.fail(undefined)
    place.clock.advance(10_000)
    await settle()
    expect(filled).toBe(true)
    expect(shown(things.snapshot())).toEqual(["a/x@2"])
  },

  async "a fill that fails half way begins again"({ store, open, place }) {
    for (let index = 0; index < 10; index++) await put(store, `/registry/things/a/${index}`)
    const cache = open({ fillPage: 3 })
    const things = cache.resource("things", thingCodec())
    const release = store.holdLists()
    const { ready } = things
    await settle()
    store.fail(new StoreError("unavailable", "gone in the middle"))
    release()
    await settle()
    expect(cache.fault()).toContain("gone in the middle")
    store.fail(undefined)
    await put(store, "/registry/things/a/new")
    place.clock.advance(10_000)
    await settle()
    place.clock.advance(10_000)
    await ready
    expect(things.snapshot().count({ prefix: "" })).toBe(11)
    expect(await things.waitFor(12, 1000)).toBe(true)
  },

  async "a watch that resumes while the cache starts over is asked to retry"({ store, open }) {
    const cache = open()
    const things = cache.resource("things", thingCodec())
    await things.ready
    await put(store, "/registry/things/a/x")
    const resuming = record(things, { afterRevision: 1 })
    store.endWatches(new StoreError("compacted", "forgotten"))
    await settle()
    expect(resuming.events).toEqual([])
    expect(resuming.ends.map((error) => error.code)).toEqual(["unavailable"])
  },

  async "verification finds a difference"({ store, open, place }) {
    const cache = open()
    const things = cache.resource("things", thingCodec())
    await things.ready
    await put(store, "/registry/things/a/x")
    expect((await cache.verify()).map(({ matches, resource }) => ({ matches, resource }))).toEqual([{ matches: true, resource: "things" }])
    const lying = { ...store, list: async () => ({ items: [], revision: 2, more: false }) }
    const { verifyResource } = await import("../../runtime/storage/watch-cache/verify.ts")
    const named = { path: "things", keyPrefix: "/registry/things/", snapshot: () => things.snapshot() }
    expect((await verifyResource(lying, named, { page: 10, owns: () => true })).matches).toBe(false)
    place.clock.advance(0)
  },
}
