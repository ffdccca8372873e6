import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { put, remove, settle, thingCodec } from "../../../test/contract/cache-fixtures.ts"
import { createManualClock } from "../../../test/contract/manual-clock.ts"
import type { ObjectRange, ResourceCache, Snapshot } from "../cache.ts"
import { openMemoryStore } from "../memory/memory-store.ts"
import type { Store } from "../store.ts"
import { openCache, type WatchCache } from "./watch-cache.ts"

const prefix = "/registry/things/"
const limitBytes = 100_000
let store: Store
let cache: WatchCache
let things: ResourceCache
let made = 0

beforeEach(async () => {
  const clock = createManualClock()
  store = await openMemoryStore({ clock })
  cache = openCache({ store, prefix: "/registry/", clock, limits: { leafEncodingBytes: limitBytes } })
  made = 0
})

afterEach(() => cache.close())

/** Writes objects of `bytes` bytes in two namespaces. */
async function fill(count: number, bytes = 10): Promise<void> {
  for (let index = 0; index < count; index++) await put(store, `${prefix}${nameOf(index, count)}`, "x".repeat(bytes))
  things = cache.resource("things", thingCodec())
  await things.ready
}

const nameOf = (index: number, count: number): string => `${index < count / 2 ? "a" : "b"}/${String(index).padStart(4, "0")}`
const namesIn = ({ end, objects, start }: ObjectRange): string[] => objects.slice(start, end).map(({ key }) => key.slice(prefix.length))
const namesBelow = (snapshot: Snapshot, options: { prefix: string; startAfter?: string }): string[] =>
  [...snapshot.entries(options)].map(({ key }) => key.slice(prefix.length))

/** The text of a list of the objects: names and versions. */
function listed(snapshot: Snapshot, options: { prefix: string; startAfter?: string } = { prefix: "" }, form = "list"): string {
  let text = ""
  for (const run of snapshot.ranges(options)) {
    const say = (): string => {
      const objects = run.objects.slice(run.start, run.end)
      return objects.map((object) => `${object.key}@${object.modRevision} ${object.json()}\n`).join("")
    }
    const gathered = run.encoded(form, () => {
      made++
      return Buffer.from(say())
    })
    text += gathered?.toString() ?? say()
  }
  return text
}

/** Number of leaf encodings that an action makes. */
async function piecesMadeBy(act: () => unknown): Promise<number> {
  const before = made
  await act()
  return made - before
}

describe("the runs of a snapshot", () => {
  it("are its entries, and none is empty", async () => {
    await fill(150)
    const snapshot = things.snapshot()
    for (const below of ["", "a/", "b/", "c/", "a/0003"]) {
      for (const startAfter of [undefined, "a/0000", "a/0031", "a/0032x", "a/9999", "b/0149", "zz"]) {
        const options = { prefix: below, ...(startAfter !== undefined && { startAfter }) }
        const runs = [...snapshot.ranges(options)]
        expect(runs.flatMap(namesIn), JSON.stringify(options)).toEqual(namesBelow(snapshot, options))
        for (const run of runs) expect(run.end).toBeGreaterThan(run.start)
      }
    }
  })
})

describe("leaf encodings", () => {
  it("are made for the second list, and reused by later ones", async () => {
    await fill(150)
    const first = listed(things.snapshot())
    expect(made).toBe(0)
    expect(cache.gatheredBytes()).toBe(0)
    expect(listed(things.snapshot())).toBe(first)
    const pieces = made
    expect(pieces).toBeGreaterThan(3)
    expect(await piecesMadeBy(() => expect(listed(things.snapshot())).toBe(first))).toBe(0)
    expect(cache.gatheredBytes()).toBeGreaterThan(first.length)
    // Encodings of one leaf are independent of each other.
    expect(await piecesMadeBy(() => listed(things.snapshot(), { prefix: "" }, "other"))).toBe(0)
    expect(await piecesMadeBy(() => listed(things.snapshot(), { prefix: "" }, "other"))).toBe(pieces)
  })

  it("of a namespace and of a page are those of the whole list, except at the ends", async () => {
    await fill(150)
    const both = listed(things.snapshot(), { prefix: "a/" }) + listed(things.snapshot(), { prefix: "b/" })
    expect(await piecesMadeBy(() => expect(listed(things.snapshot())).toBe(both))).toBeGreaterThan(1)
    listed(things.snapshot())
    expect(await piecesMadeBy(() => listed(things.snapshot(), { prefix: "b/", startAfter: "b/0100" }))).toBe(0)
  })

  // Several sizes, so that namespaces end within a leaf.
  it.each([130, 141, 150, 163])("of the whole list are not used for parts of a leaf, of %i objects", async (count) => {
    await fill(count)
    for (let round = 0; round < 3; round++) listed(things.snapshot())
    const snapshot = things.snapshot()
    for (const below of ["a/", "b/", "a/003", "a/0037"]) {
      const named = listed(snapshot, { prefix: below }).match(/^\S+(?=@)/gm) ?? []
      expect(named.map((key) => key.slice(prefix.length))).toEqual(namesBelow(snapshot, { prefix: below }))
    }
  })

  it("are dropped with a change of any of their objects, and no others are", async () => {
    await fill(150)
    for (let round = 0; round < 3; round++) listed(things.snapshot())
    const old = things.snapshot()
    const before = listed(old)
    const full = cache.gatheredBytes()
    await put(store, `${prefix}a/0040`, "changed")
    await remove(store, `${prefix}b/0140`)
    await put(store, `${prefix}b/0100x`, "new")
    await settle()
    expect(cache.gatheredBytes()).toBeLessThan(full)
    const after = listed(things.snapshot())
    expect(after).toContain("changed")
    expect(after).not.toContain("b/0140")
    expect(after).toContain("b/0100x")
    expect(await piecesMadeBy(() => expect(listed(things.snapshot())).toBe(after))).toBeLessThan(5)
    expect(listed(old)).toBe(before)
  })

  it("show the newest state, whatever is written between lists", async () => {
    await fill(100)
    for (let round = 0; round < 60; round++) {
      const name = nameOf((round * 37) % 100, 100)
      if (round % 3 === 0) await remove(store, `${prefix}${name}`)
      else await put(store, `${prefix}${name}`, `round ${round}`)
      await settle()
      const snapshot = things.snapshot()
      const expected = [...snapshot.entries({ prefix: "" })].map((each) => `${each.key}@${each.modRevision} ${each.json()}\n`).join("")
      for (let times = 0; times < 3; times++) expect(listed(snapshot)).toBe(expected)
    }
  })

  it("of a list that is longer than the budget cover its beginning", async () => {
    await fill(300, 1000)
    for (let round = 0; round < 3; round++) {
      listed(things.snapshot())
      expect(cache.gatheredBytes()).toBeLessThanOrEqual(limitBytes)
    }
    expect(cache.gatheredBytes()).toBeGreaterThan(limitBytes / 2)
    expect(await piecesMadeBy(() => listed(things.snapshot()))).toBe(0)
  })

  it.each([85, 90, 95, 97, 99, 101, 120])("of a list of %i percent of the budget are made once", async (percent) => {
    await fill(1000, Math.floor((limitBytes * percent) / 100_000) - 15)
    for (let round = 0; round < 2; round++) listed(things.snapshot())
    for (let round = 0; round < 6; round++) expect(await piecesMadeBy(() => listed(things.snapshot()))).toBe(0)
  })

  it("of alternating lists that exceed the budget together do not evict each other", async () => {
    await fill(160, 1000)
    const listAll = (): void => {
      for (const below of ["a/", "b/"]) listed(things.snapshot(), { prefix: below })
    }
    for (let round = 0; round < 2; round++) listAll()
    for (let round = 0; round < 6; round++) expect(await piecesMadeBy(listAll)).toBe(0)
  })

  it("evict those that are not requested any more", async () => {
    await fill(160, 1000)
    const list = (below: string): string => listed(things.snapshot(), { prefix: below })
    for (let round = 0; round < 3; round++) list("a/")
    for (let round = 0; round < 8; round++) list("b/")
    expect(await piecesMadeBy(() => list("b/"))).toBe(0)
    const parts = [...things.snapshot().ranges({ prefix: "b/" })].map((run) => run.encoded("list", () => Buffer.from("made")))
    expect(parts.filter((part) => part === undefined).length).toBeLessThanOrEqual(2)
  })

  it("are not made of large objects", async () => {
    await fill(40, 20_000)
    for (let round = 0; round < 3; round++) listed(things.snapshot())
    expect(made).toBe(0)
  })
})
