import { expect } from "vitest"
import { brief, put, record, remove, settle, thing, thingCodec } from "./cache-fixtures.ts"
import type { CacheCases } from "./cache-cases.ts"

/** Live watches: which events a watcher gets, when, and in which order. */
export const watchCases: CacheCases = {
  async "delivers events of a resource, of one namespace, of one object"({ store, open }) {
    const cache = open()
    const things = cache.resource("things", thingCodec())
    const others = cache.resource("others", thingCodec())
    await Promise.all([things.ready, others.ready])
    const all = record(things, { afterRevision: 1 })
    const inA = record(things, { prefix: "a/", afterRevision: 1 })
    const full = record(things, { prefix: "/registry/things/a/", afterRevision: 1 })
    const x = record(things, { prefix: "a/x", exact: true, afterRevision: 1 })
    const other = record(others, { afterRevision: 1 })
    await put(store, "/registry/things/a/x")
    await put(store, "/registry/things/a/xx")
    await put(store, "/registry/things/ab/x")
    await put(store, "/registry/things/a/x", "again")
    await remove(store, "/registry/things/a/x")
    expect(all.events.map(brief)).toEqual(["ADDED a/x@2", "ADDED a/xx@3", "ADDED ab/x@4", "MODIFIED a/x@5", "DELETED a/x@6"])
    expect(inA.events.map(brief)).toEqual(["ADDED a/x@2", "ADDED a/xx@3", "MODIFIED a/x@5", "DELETED a/x@6"])
    expect(full.events.map(brief)).toEqual(inA.events.map(brief))
    expect(x.events.map(brief)).toEqual(["ADDED a/x@2", "MODIFIED a/x@5", "DELETED a/x@6"])
    expect(other.events).toEqual([])
  },

  async "all watchers get the same event object, so that a frame is made once"({ store, open }) {
    const things = open().resource("things", thingCodec())
    await things.ready
    const first = record(things, { afterRevision: 1 })
    const second = record(things, { prefix: "a/", afterRevision: 1 })
    await put(store, "/registry/things/a/x")
    const late = record(things, { afterRevision: 1 })
    await settle()
    let made = 0
    for (const { events } of [first, second, late]) {
      events[0]?.object.derived("frame", () => {
        made++
        return Buffer.from("frame")
      })
    }
    expect(made).toBe(1)
    expect(second.events[0]).toBe(first.events[0])
    expect(late.events[0]).toBe(first.events[0])
  },

  async "the writes of one commit arrive together, when all resources have applied them"({ store, open }) {
    const cache = open()
    const things = cache.resource("things", thingCodec())
    const others = cache.resource("others", thingCodec())
    await Promise.all([things.ready, others.ready])
    const batches: string[][] = []
    const elsewhere: boolean[] = []
    things.subscribe({
      prefix: "",
      afterRevision: 1,
      onEvents(events) {
        batches.push(events.map(brief))
        elsewhere.push(others.get("/registry/others/a/z") !== undefined)
      },
      onEnd: () => undefined,
    })
    const writes = ["things/a/x", "others/a/z", "things/b/y"].map((key) => ({
      type: "put" as const,
      key: `/registry/${key}`,
      value: thing("1"),
    }))
    await store.commit({ checks: [], writes })
    expect(batches).toEqual([["ADDED a/x@2", "ADDED b/y@2"]])
    expect(elsewhere).toEqual([true])
  },

  async "an event carries the previous state; deleted objects show the deletion's revision"({ store, open }) {
    const things = open().resource("things", thingCodec())
    await things.ready
    const { events } = record(things, { afterRevision: 1 })
    const key = "/registry/things/a/x"
    await put(store, key, "one")
    await store.commit({ checks: [], writes: [{ type: "put", key, value: thing("two", { colour: "blue" }) }] })
    await remove(store, key)
    const [added, modified, deleted] = events
    expect(added?.previous).toBeUndefined()
    expect(modified?.previous).toBe(added?.object)
    expect(modified?.previous?.field("text")).toBe("one")
    expect(deleted?.previous).toBe(modified?.object)
    expect(deleted?.object.modRevision).toBe(4)
    expect(deleted?.object.createRevision).toBe(2)
    expect(deleted?.object.labels()).toEqual({ colour: "blue" })
    expect(deleted?.object.field("text")).toBe("two")
    expect(JSON.parse(deleted?.object.json().toString() ?? "")).toMatchObject({
      metadata: { name: "x", resourceVersion: "4" },
      data: { text: "two" },
    })
    expect(JSON.parse(modified?.object.json().toString() ?? "")).toMatchObject({ metadata: { resourceVersion: "3" } })
  },

  async "a watch from the past replays and continues without a gap"({ store, open }) {
    const things = open().resource("things", thingCodec())
    await things.ready
    for (let index = 0; index < 5; index++) await put(store, `/registry/things/a/${index}`)
    const recordings = [1, 2, 3, 4, 5, 6].map((afterRevision) => record(things, { afterRevision }))
    // Before the replay has begun.
    await put(store, "/registry/things/a/5")
    await settle()
    await put(store, "/registry/things/a/6")
    for (const { afterRevision, events } of recordings) {
      expect(events.map((event) => event.revision)).toEqual([2, 3, 4, 5, 6, 7, 8].filter((revision) => revision > afterRevision))
    }
  },

  async "a watch from the future begins there"({ store, open }) {
    const things = open().resource("things", thingCodec())
    await things.ready
    const { events } = record(things, { afterRevision: 3 })
    for (let index = 0; index < 4; index++) await put(store, `/registry/things/a/${index}`)
    expect(events.map((event) => event.revision)).toEqual([4, 5])
  },

  async "a subscriber may stop itself or others, or subscribe again, from within a callback"({ store, open }) {
    const things = open().resource("things", thingCodec())
    await things.ready
    await put(store, "/registry/things/a/w")
    const told: string[] = []
    const second = record(things, { prefix: "a/", afterRevision: 2 })
    let inner: ReturnType<typeof record> | undefined
    const first = things.subscribe({
      prefix: "",
      afterRevision: 1,
      onEvents(events) {
        told.push(...events.map(brief))
        if (told.length < 2) return
        first.stop()
        second.stop()
        inner ??= record(things, { afterRevision: 1 })
      },
      onEnd: () => told.push("end"),
    })
    await settle()
    await put(store, "/registry/things/a/x")
    await put(store, "/registry/things/a/y")
    await settle()
    expect(told).toEqual(["ADDED a/w@2", "ADDED a/x@3"])
    expect(second.events).toEqual([])
    expect(inner?.events.map(brief)).toEqual(["ADDED a/w@2", "ADDED a/x@3", "ADDED a/y@4"])
  },

  async "a watcher may write from within a callback"({ store, open }) {
    const things = open().resource("things", thingCodec())
    await things.ready
    const writing = things.subscribe({
      prefix: "",
      afterRevision: 1,
      onEvents(events) {
        if (events.some((event) => event.revision < 6)) void put(store, "/registry/things/a/x")
      },
      onEnd: () => undefined,
    })
    const { events } = record(things, { afterRevision: 1 })
    await put(store, "/registry/things/a/x")
    expect(await things.waitFor(6, 1000)).toBe(true)
    writing.stop()
    expect(events.map((event) => event.revision)).toEqual([2, 3, 4, 5, 6])
  },

  async "a subscriber that throws is ended, and no other is"({ store, open }) {
    const things = open().resource("things", thingCodec())
    await things.ready
    const ends: string[] = []
    things.subscribe({
      prefix: "",
      afterRevision: 1,
      onEvents() {
        throw new Error("queue is full")
      },
      onEnd: (error) => ends.push(`${error.code}: ${error.message}`),
    })
    const good = record(things, { afterRevision: 1 })
    await put(store, "/registry/things/a/x")
    await put(store, "/registry/things/a/y")
    expect(good.events.map((event) => event.revision)).toEqual([2, 3])
    expect(ends).toEqual(["unavailable: the watch of /registry/things/ failed: queue is full"])
  },

  async "a subscription knows up to which revision every event was delivered"({ store, open }) {
    const cache = open()
    const things = cache.resource("things", thingCodec())
    await things.ready
    const quiet = record(things, { prefix: "quiet/", afterRevision: 1 })
    const early = record(things, { afterRevision: 100 })
    expect(quiet.mark()).toBe(1)
    await put(store, "/registry/things/a/x")
    for (let index = 0; index < 5; index++) await put(store, "/registry/elsewhere/a/x")
    expect(quiet.mark()).toBe(7)
    expect(early.mark()).toBe(7)
    const late = record(things, { afterRevision: 1 })
    // The missed events follow after `subscribe` has returned.
    expect(late.mark()).toBeUndefined()
    await settle()
    expect(late.mark()).toBe(7)
    expect(late.seen.map(({ type, revision }) => `${type}@${revision}`)).toEqual(["ADDED@2", "BOOKMARK@7"])
    late.stop()
    expect(late.mark()).toBeUndefined()
  },

  async "closing the cache ends watches and waits"({ open }) {
    const cache = open()
    const things = cache.resource("things", thingCodec())
    await things.ready
    const watching = record(things, { afterRevision: 1 })
    const waiting = things.waitFor(99, 1_000_000)
    await cache.close()
    expect(watching.ends.map((error) => error.code)).toEqual(["closed"])
    expect(await waiting).toBe(false)
    expect(cache.healthy()).toBe(false)
  },
}
