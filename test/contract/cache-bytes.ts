import { expect } from "vitest"
import { put, thing, thingCodec, thingJson } from "./cache-fixtures.ts"
import type { CacheEvent } from "../../runtime/storage/cache.ts"
import type { CacheCases } from "./cache-cases.ts"

/**
 * Bytes first: an object's bytes are made once, by the first to have them, and derived encodings stay within their
 * budget.
 */
export const bytesCases: CacheCases = {
  async "makes JSON on demand, once per version"({ store, open }) {
    await put(store, "/registry/things/a/x")
    const codec = thingCodec()
    const things = open().resource("things", codec)
    await things.ready
    let events = 0
    const onEvents = (): void => {
      events++
    }
    things.subscribe({ prefix: "", afterRevision: 2, onEvents, onEnd: () => undefined })
    await put(store, "/registry/things/a/y")
    expect(codec.made).toBe(0)
    for (let round = 0; round < 3; round++) for (const object of things.snapshot().entries({ prefix: "" })) object.json()
    expect(events).toBe(1)
    expect(codec.made).toBe(2)
    for (const object of things.snapshot().entries({ prefix: "" })) object.labels()
    expect(codec.described).toBe(0)
    for (let round = 0; round < 3; round++) for (const object of things.snapshot().entries({ prefix: "" })) object.field("text")
    expect(codec.described).toBe(2)
  },

  async "does not encode again what the writer has already encoded"({ store, open }) {
    const codec = thingCodec()
    const things = open().resource("things", codec)
    await things.ready
    const key = "/registry/things/a/x"
    const value = thing("mine", { colour: "red" })
    things.announce(key, value, (revision) => thingJson(key, value, revision))
    await store.commit({ checks: [], writes: [{ type: "put", key, value: Buffer.from(value) }] })
    expect(things.get(key)?.json()).toEqual(thingJson(key, value, 2))
    expect(codec.made).toBe(0)
  },

  async "an expectation matches its own bytes only: another writer's value is decoded"({ store, open }) {
    const codec = thingCodec()
    const things = open().resource("things", codec)
    await things.ready
    const key = "/registry/things/a/x"
    const mine = thing("mine")
    things.announce(key, mine, (revision) => thingJson(key, mine, revision))
    await put(store, key, "theirs")
    expect(things.get(key)?.field("text")).toBe("theirs")
    expect(codec.made).toBe(1)
    await store.commit({ checks: [], writes: [{ type: "put", key, value: mine }] })
    expect(things.get(key)?.field("text")).toBe("mine")
    expect(codec.made).toBe(1)
    expect(JSON.parse(things.get(key)?.json().toString() ?? "")).toMatchObject({ metadata: { resourceVersion: "3" } })
  },

  async "knows the fields of what this process writes until the turn ends, for informers that take events one by one"({ store, open }) {
    const codec = thingCodec()
    codec.describeObject = ({ metadata = {}, data = null }) => ({ labels: {}, fields: { name: metadata.name ?? "", text: String(data) } })
    const things = open().resource("things", codec)
    await things.ready
    const handled: string[] = []
    let handling = Promise.resolve()
    const onEvents = (events: readonly CacheEvent[]): void => {
      for (const { object } of events) handling = handling.then(() => void handled.push(object.field("text")))
    }
    things.subscribe({ prefix: "", afterRevision: 1, onEvents, onEnd: () => undefined })
    const texts = ["a", "b", "c", "d", "e"]
    await Promise.all(
      texts.map((name) => {
        const key = `/registry/things/a/${name}`
        const value = thing(name)
        things.announce(key, value, (revision) => thingJson(key, value, revision), { metadata: { name }, data: `decoded ${name}` })
        return store.commit({ checks: [], writes: [{ type: "put", key, value }] })
      }),
    )
    await handling
    expect(handled.toSorted()).toEqual(texts.map((name) => `decoded ${name}`))
    expect(codec.described).toBe(0)
  },

  async "keeps derived encodings within the budget and drops them with their version"({ store, open }) {
    const cache = open({ encodingBytes: 20_000 })
    const things = cache.resource("things", thingCodec())
    await things.ready
    for (let index = 0; index < 40; index++) await put(store, `/registry/things/a/${index}`)
    const form = (): Buffer => Buffer.alloc(1000)
    for (let round = 0; round < 2; round++) {
      for (const object of things.snapshot().entries({ prefix: "" })) {
        expect(object.derived("other", form).byteLength).toBe(1000)
        expect(cache.derivedBytes()).toBeLessThanOrEqual(20_000)
      }
    }
    expect(things.get("/registry/things/a/0")?.derived("huge", () => Buffer.alloc(30_000)).byteLength).toBe(30_000)
    expect(cache.derivedBytes()).toBeLessThanOrEqual(20_000)
    for (let index = 0; index < 40; index++) await put(store, `/registry/things/a/${index}`, "new")
    expect(cache.derivedBytes()).toBe(0)
  },

  async "objects keep their bytes while slabs are filled and evacuated"({ store, open }) {
    const codec = thingCodec()
    const things = open({ slabBytes: 4096, regionBytes: 16_384, fillPage: 7 }).resource("things", codec)
    const text = (index: number, round: number): string => `${index}-${round}-${"z".repeat((index * 37) % 200)}`
    for (let index = 0; index < 100; index++) await put(store, `/registry/things/a/${index}`, text(index, 0))
    await things.ready
    const first = things.snapshot()
    for (let round = 1; round < 6; round++) {
      for (let index = round; index < 100; index += round) await put(store, `/registry/things/a/${index}`, text(index, round))
      for (const object of things.snapshot().entries({ prefix: "" })) if (object.modRevision % 3 === 0) object.json()
    }
    for (const object of things.snapshot().entries({ prefix: "" })) {
      const index = Number(object.key.slice(object.key.lastIndexOf("/") + 1))
      const lastRound = [5, 4, 3, 2, 1].find((round) => index >= round && index % round === 0) ?? 0
      expect(object.field("text")).toBe(text(index, lastRound))
      expect(JSON.parse(object.json().toString())).toMatchObject({ metadata: { resourceVersion: String(object.modRevision) } })
    }
    for (const object of first.entries({ prefix: "" })) {
      expect(object.field("text")).toBe(text(Number(object.key.slice(object.key.lastIndexOf("/") + 1)), 0))
    }
  },
}
