import { expect } from "vitest"
import type { Snapshot } from "../../runtime/storage/cache.ts"
import { put, remove, settle, shown, thing, thingCodec } from "./cache-fixtures.ts"
import type { CacheCases } from "./cache-cases.ts"

/** Reads of states: the newest, past ones, and waiting for a future one. */
export const readCases: CacheCases = {
  async "fills a resource on first use, with objects written before and after it was registered"({ store, open }) {
    await put(store, "/registry/things/a/x")
    const cache = open()
    const things = cache.resource("things", thingCodec())
    await settle()
    const lists = store.listsMade
    await put(store, "/registry/things/a/y")
    expect(lists).toBe(0)
    await things.ready
    expect(shown(things.snapshot())).toEqual(["a/x@2", "a/y@3"])
    expect(things.get("/registry/things/a/y")?.modRevision).toBe(3)
    expect(things.get("/registry/things/a/z")).toBeUndefined()
  },

  async "refuses reads before the fill, instead of answering with nothing"({ store, open }) {
    await put(store, "/registry/things/a/x")
    const things = open().resource("things", thingCodec())
    expect(() => things.get("/registry/things/a/x")).toThrow("still being read")
    expect(() => things.snapshot()).toThrow("still being read")
    expect(things.revision()).toBe(0)
    await things.ready
    expect(shown(things.snapshot())).toEqual(["a/x@2"])
  },

  async "writes that arrive during a fill are neither lost nor duplicated"({ store, open }) {
    await put(store, "/registry/things/a/x")
    await put(store, "/registry/things/a/y")
    const things = open({ fillPage: 1 }).resource("things", thingCodec())
    const release = store.holdLists()
    const { ready } = things
    await settle()
    await put(store, "/registry/things/a/y", "again")
    await remove(store, "/registry/things/a/x")
    await put(store, "/registry/things/b/new")
    release()
    await ready
    expect(shown(things.snapshot())).toEqual(["a/y@4", "b/new@6"])
    expect(things.revision()).toBe(6)
  },

  async "a key belongs to the resource with the longest path"({ store, open }) {
    await put(store, "/registry/services/specs/a/x")
    await put(store, "/registry/services/endpoints/a/x")
    await put(store, "/registry/servicesother/a/x")
    await put(store, "/registry/services/a/plain")
    const cache = open()
    const outer = cache.resource("services", thingCodec())
    const specs = cache.resource("services/specs", thingCodec())
    const endpoints = cache.resource("services/endpoints", thingCodec())
    await Promise.all([outer.ready, specs.ready, endpoints.ready])
    await put(store, "/registry/services/specs/a/y")
    expect(shown(outer.snapshot())).toEqual(["a/plain@5"])
    expect(shown(specs.snapshot())).toEqual(["a/x@2", "a/y@6"])
    expect(shown(endpoints.snapshot())).toEqual(["a/x@3"])
  },

  async "a longer path that is registered later takes over its keys"({ store, open }) {
    await put(store, "/registry/services/specs/a/x")
    await put(store, "/registry/services/a/plain")
    const cache = open()
    const outer = cache.resource("services", thingCodec())
    await outer.ready
    expect(outer.snapshot().count({ prefix: "" })).toBe(2)
    const specs = cache.resource("services/specs", thingCodec())
    await specs.ready
    await settle()
    expect(shown(outer.snapshot())).toEqual(["a/plain@3"])
    expect(shown(specs.snapshot())).toEqual(["a/x@2"])
  },

  async "every resource is current at every revision of the store, quiet ones too"({ store, open }) {
    const cache = open()
    const things = cache.resource("things", thingCodec())
    const others = cache.resource("others", thingCodec())
    await Promise.all([things.ready, others.ready])
    const revision = await put(store, "/registry/things/a/x")
    expect(await others.waitFor(revision, 1000)).toBe(true)
    expect(others.revision()).toBe(revision)
    expect(await cache.consistentRevision()).toBe(revision)
  },

  async "waiting ends when the revision is reached, or with false after the timeout"({ store, open, place }) {
    const things = open().resource("things", thingCodec())
    await things.ready
    const reached = things.waitFor(2, 1000)
    const missed = things.waitFor(3, 1000)
    await put(store, "/registry/things/a/x")
    expect(await reached).toBe(true)
    place.clock.advance(1000)
    expect(await missed).toBe(false)
  },

  async "lists page through namespaces by prefix and last key, in byte order"({ store, open }) {
    // U+FFFD sorts before an emoji in bytes and after it in UTF-16.
    const names = ["a/x", "a/y", "a-b/x", "ab/x", "b/\u{1F600}", "b/\uFFFD", "b/z"]
    for (const name of names) await put(store, `/registry/things/${name}`)
    const things = open().resource("things", thingCodec())
    await things.ready
    const snapshot = things.snapshot()
    const keys = (options: { prefix: string; startAfter?: string }): string[] =>
      [...snapshot.entries(options)].map((object) => object.key.slice("/registry/things/".length))
    expect(keys({ prefix: "/registry/things/" })).toEqual(["a-b/x", "a/x", "a/y", "ab/x", "b/z", "b/\uFFFD", "b/\u{1F600}"])
    expect(keys({ prefix: "/registry/things/a/" })).toEqual(["a/x", "a/y"])
    expect(keys({ prefix: "/registry/things/a/", startAfter: "/registry/things/a/x" })).toEqual(["a/y"])
    expect(keys({ prefix: "/registry/things/a/", startAfter: "/registry/things/a/xx" })).toEqual(["a/y"])
    expect(keys({ prefix: "/registry/things/a/", startAfter: "/registry/things/b/z" })).toEqual([])
    expect(keys({ prefix: "/registry/things/a/x" })).toEqual(["a/x"])
    for (const prefix of ["", "a/", "b/", "c/", "a/x"]) {
      for (const startAfter of [undefined, "a/x", "a/xx", "b/\uFFFD", "b/\u{1F600}", "zz"]) {
        const options = {
          prefix: `/registry/things/${prefix}`,
          ...(startAfter !== undefined && { startAfter: `/registry/things/${startAfter}` }),
        }
        expect(snapshot.count(options), JSON.stringify(options)).toBe(keys(options).length)
      }
    }
  },

  async "a snapshot does not change"({ store, open }) {
    for (let index = 0; index < 100; index++) await put(store, `/registry/things/a/${String(index).padStart(3, "0")}`)
    const things = open().resource("things", thingCodec())
    await things.ready
    const snapshot = things.snapshot()
    const before = shown(snapshot)
    const text = [...snapshot.entries({ prefix: "" })].map((object) => object.json().toString())
    for (let index = 0; index < 100; index += 2) await put(store, `/registry/things/a/${String(index).padStart(3, "0")}`, "changed")
    for (let index = 1; index < 100; index += 2) await remove(store, `/registry/things/a/${String(index).padStart(3, "0")}`)
    expect(shown(snapshot)).toEqual(before)
    expect([...snapshot.entries({ prefix: "" })].map((object) => object.json().toString())).toEqual(text)
    expect(snapshot.count({ prefix: "" })).toBe(100)
    expect(things.snapshot().count({ prefix: "" })).toBe(50)
  },

  async "a snapshot never uses the label index of another state"({ store, open }) {
    const things = open().resource("things", thingCodec())
    await things.ready
    const selected = { of: "label", name: "colour", value: "blue" } as const
    const blue = (snapshot: Snapshot) => snapshot.selected({ prefix: "", selected })?.map(({ key }) => key)
    const paint = (name: string, colour: string): Promise<unknown> =>
      store.commit({ checks: [], writes: [{ type: "put", key: `/registry/things/a/${name}`, value: thing(name, { colour }) }] })
    await paint("x", "blue")
    await paint("y", "red")
    const before = things.snapshot()
    await things.prepareIndex(selected)
    expect(blue(things.snapshot())).toEqual(["/registry/things/a/x"])
    await paint("y", "blue")
    await remove(store, "/registry/things/a/x")
    // Then the cache visits every object of the snapshot.
    expect(blue(before)).toBeUndefined()
    expect([...before.entries({ prefix: "" })].filter((object) => object.labels()["colour"] === "blue").map(({ key }) => key)).toEqual([
      "/registry/things/a/x",
    ])
    expect(blue(things.snapshot())).toEqual(["/registry/things/a/y"])
  },

  async "reads a past state inside the window, before it from the store, and none beyond both"({ store, open }) {
    await put(store, "/registry/things/a/x")
    await put(store, "/registry/things/a/y")
    const things = open().resource("things", thingCodec())
    await things.ready
    await remove(store, "/registry/things/a/x")
    await put(store, "/registry/other/a/x")
    await put(store, "/registry/things/a/y", "again")
    expect(shown(await things.snapshotAt(6))).toEqual(["a/y@6"])
    expect(shown(await things.snapshotAt(5))).toEqual(["a/y@3"])
    expect(shown(await things.snapshotAt(3))).toEqual(["a/x@2", "a/y@3"])
    expect(shown(await things.snapshotAt(2))).toEqual(["a/x@2"])
    expect((await things.snapshotAt(2))?.revision).toBe(2)
    expect(await things.snapshotAt(7)).toBeUndefined()
    await store.compact({ revision: 2 })
    expect(await things.snapshotAt(1)).toBeUndefined()
  },

  async "pages of one past revision share one snapshot, however often they are read"({ store, open }) {
    const things = open({ checkpointEvents: 8, checkpoints: 4 }).resource("things", thingCodec())
    await things.ready
    const states: (string[] | undefined)[] = []
    for (let index = 0; index < 60; index++) {
      await put(store, `/registry/things/a/${index % 7}`)
      if (index % 5 === 4) await remove(store, `/registry/things/a/${index % 7}`)
      states[await store.revision()] = shown(things.snapshot())
    }
    for (let round = 0; round < 2; round++) {
      for (const [revision, state] of states.entries())
        if (state !== undefined) expect(shown(await things.snapshotAt(revision))).toEqual(state)
    }
  },

  async "values whose time to live has passed disappear by ordinary events"({ store, open, place }) {
    const things = open().resource("things", thingCodec())
    await things.ready
    await store.commit({ checks: [], writes: [{ type: "put", key: "/registry/things/a/x", value: thing("short"), ttlSeconds: 2 }] })
    expect(shown(things.snapshot())).toEqual(["a/x@2"])
    place.clock.advance(5000)
    expect(await things.waitFor(3, 1000)).toBe(true)
    expect(shown(things.snapshot())).toEqual([])
  },
}
