import { expect } from "vitest"
import { StoreError } from "../../runtime/storage/store.ts"
import { brief, put, record, remove, settle, thing, thingCodec } from "./cache-fixtures.ts"
import { lost } from "./cache-unreliable.ts"
import type { CacheCases } from "./cache-cases.ts"

/** Starting points of watches: in the window, and before it in the store's own log. */
export const historyCases: CacheCases = {
  async "after a restart a watch resumes from the store's log"({ store, open }) {
    await put(store, "/registry/things/a/x", "one")
    await put(store, "/registry/things/a/x", "two")
    await put(store, "/registry/others/a/x")
    await remove(store, "/registry/things/a/x")
    await put(store, "/registry/things/b/y")
    const things = open().resource("things", thingCodec())
    await things.ready
    expect(things.oldestRevision()).toBeLessThanOrEqual(1)
    const all = record(things, { afterRevision: 1 })
    const inA = record(things, { prefix: "a/", afterRevision: 2 })
    await settle()
    await put(store, "/registry/things/a/x", "three")
    expect(all.events.map(brief)).toEqual(["ADDED a/x@2", "MODIFIED a/x@3", "DELETED a/x@5", "ADDED b/y@6", "ADDED a/x@7"])
    expect(inA.events.map(brief)).toEqual(["MODIFIED a/x@3", "DELETED a/x@5", "ADDED a/x@7"])
    expect(inA.events[0]?.previous?.field("text")).toBe("one")
    expect(JSON.parse(inA.events[1]?.object.json().toString() ?? "")).toMatchObject({
      metadata: { resourceVersion: "5" },
      data: { text: "two" },
    })
  },

  async "a watch resumes where nothing has changed since"({ store, open }) {
    await put(store, "/registry/others/a/x")
    await put(store, "/registry/others/a/y")
    const things = open().resource("things", thingCodec())
    await things.ready
    const resumed = record(things, { afterRevision: 2 })
    await settle()
    const revision = await put(store, "/registry/things/a/x")
    expect(resumed.events.map(brief)).toEqual([`ADDED a/x@${revision}`])
  },

  async "all watches that resume after a restart share one read of the log, and its objects"({ store, open }) {
    for (let index = 0; index < 10; index++) await put(store, `/registry/things/a/${index}`)
    const things = open().resource("things", thingCodec())
    await things.ready
    const before = store.pastsRead
    const recordings = Array.from({ length: 50 }, (_, index) => record(things, { afterRevision: 1 + (index % 5) }))
    await settle()
    const late = record(things, { afterRevision: 1 })
    await settle()
    // One read for the first watch, and one for the watches that asked during it.
    expect(store.pastsRead - before).toBeLessThanOrEqual(2)
    for (const { afterRevision, events } of [...recordings, late]) {
      expect(events.map((event) => event.revision)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11].filter((revision) => revision > afterRevision))
    }
    expect(late.events[9]).toBe(recordings[0]?.events[9])
  },

  async "writes during a read of the log follow its events"({ store, open }) {
    for (let index = 0; index < 5; index++) await put(store, `/registry/things/a/${index}`)
    const things = open().resource("things", thingCodec())
    await things.ready
    const resumed = record(things, { afterRevision: 2 })
    for (let index = 5; index < 10; index++) {
      await put(store, `/registry/things/a/${index}`)
      await Promise.resolve()
    }
    await settle()
    expect(resumed.events.map((event) => event.revision)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11])
  },

  async "repeats a failed read of the log, invisibly to the watches that wait for it"({ store, open, place }) {
    for (let index = 0; index < 3; index++) await put(store, `/registry/things/a/${index}`)
    const things = open().resource("things", thingCodec())
    await things.ready
    const resumed = record(things, { afterRevision: 1 })
    store.fail(lost())
    await settle()
    expect(resumed.events).toEqual([])
    store.fail(undefined)
    for (let round = 0; round < 3; round++) {
      place.clock.advance(10_000)
      await settle()
    }
    expect(resumed.ends).toEqual([])
    expect(resumed.events.map(brief)).toEqual(["ADDED a/0@2", "ADDED a/1@3", "ADDED a/2@4"])
  },

  async "repeats a failed read after the shortest delay at first, and never later than after the longest"({ store, open, place }) {
    await put(store, "/registry/things/a/x")
    await put(store, "/registry/others/a/x")
    const cache = open({ retryMinMs: 100, retryMaxMs: 1000 })
    const [things, others] = [cache.resource("things", thingCodec()), cache.resource("others", thingCodec())]
    await Promise.all([things.ready, others.ready])
    store.fail(lost())
    const once = record(things, { afterRevision: 1 })
    await settle()
    store.fail(undefined)
    place.clock.advance(100)
    await settle()
    expect(once.events.map(brief)).toEqual(["ADDED a/x@2"])
    store.fail(lost())
    const often = record(others, { afterRevision: 1 })
    for (let round = 0; round < 10; round++) {
      await settle()
      place.clock.advance(1000)
    }
    await settle()
    store.fail(undefined)
    place.clock.advance(1000)
    await settle()
    expect(often.events.map(brief)).toEqual(["ADDED a/x@3"])
  },

  async "reports compacted for compacted events, at once or as soon as it is known"({ store, open }) {
    for (let index = 0; index < 10; index++) await put(store, `/registry/things/a/${index}`)
    await store.compact({ revision: 4 })
    const things = open().resource("things", thingCodec())
    await things.ready
    expect(things.oldestRevision()).toBe(4)
    expect(() => record(things, { afterRevision: 3 })).toThrow(StoreError)
    await store.compact({ revision: 6 })
    const tooOld = record(things, { afterRevision: 5 })
    const good = record(things, { afterRevision: 6 })
    await settle()
    expect(tooOld.ends.map((error) => error.code)).toEqual(["compacted"])
    expect(tooOld.events).toEqual([])
    expect(good.events.map((event) => event.revision)).toEqual([7, 8, 9, 10, 11])
    expect(things.oldestRevision()).toBe(6)
  },

  async "delivers a log that is longer than the kept pieces completely"({ store, open }) {
    for (let index = 0; index < 50; index++) await put(store, "/registry/things/a/x", "y".repeat(100))
    const cache = open({ historyReadBytes: 500, pastEventBytes: 2000, pageEvents: 3 })
    const things = cache.resource("things", thingCodec())
    await things.ready
    const long = record(things, { afterRevision: 2 })
    const short = record(things, { afterRevision: 48 })
    for (let round = 0; round < 5; round++) await settle()
    expect(long.events.map((event) => event.revision)).toEqual(Array.from({ length: 49 }, (_none, index) => index + 3))
    expect(short.events.map((event) => event.revision)).toEqual([49, 50, 51])
    expect(long.batches.every((size) => size <= 3)).toBe(true)
    expect(cache.pagesBytes()).toBeLessThan(4000)
  },

  async "the window keeps five minutes, and the newest few events beyond"({ store, open, place }) {
    const things = open({ windowEvents: 3 }).resource("things", thingCodec())
    await things.ready
    for (let index = 0; index < 10; index++) {
      await put(store, `/registry/things/a/${index}`)
      place.clock.advance(60_000)
    }
    await store.compact({ revision: 11 })
    await settle()
    // The store has compacted everything before 11: these events can only come from memory.
    const inWindow = record(things, { afterRevision: 7 })
    await settle()
    expect(inWindow.events.map((event) => event.revision)).toEqual([8, 9, 10, 11])
    place.clock.advance(3_600_000)
    await put(store, "/registry/things/a/last")
    const newest = record(things, { afterRevision: 9 })
    await settle()
    expect(newest.events.map((event) => event.revision)).toEqual([10, 11, 12])
    const tooOld = record(things, { afterRevision: 8 })
    await settle()
    expect(tooOld.ends.map((error) => error.code)).toEqual(["compacted"])
  },

  async "the window's byte budget takes precedence over its age"({ store, open }) {
    const things = open({ windowBytes: 10_000 }).resource("things", thingCodec())
    await things.ready
    for (let index = 0; index < 50; index++) await put(store, "/registry/things/a/x", "y".repeat(1000))
    await store.compact({ revision: 51 })
    const recent = record(things, { afterRevision: 46 })
    const old = record(things, { afterRevision: 20 })
    await settle()
    expect(recent.events.map((event) => event.revision)).toEqual([47, 48, 49, 50, 51])
    expect(old.ends.map((error) => error.code)).toEqual(["compacted"])
  },

  async "the window never begins within a commit"({ store, open }) {
    const things = open({ windowBytes: 3000 }).resource("things", thingCodec())
    await things.ready
    for (let index = 0; index < 10; index++) {
      const writes = ["a", "b", "c"].map((name) => ({
        type: "put" as const,
        key: `/registry/things/a/${name}`,
        value: thing("x".repeat(500)),
      }))
      await store.commit({ checks: [], writes })
    }
    const revision = await store.revision()
    const last = record(things, { afterRevision: revision - 1 })
    await settle()
    expect(last.events.map(brief)).toEqual(["MODIFIED a/a@11", "MODIFIED a/b@11", "MODIFIED a/c@11"])
  },
}
