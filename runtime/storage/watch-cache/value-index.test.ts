import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { selectedNamesMax } from "../../base/limits.ts"
import { compareBytes } from "../../base/byte-order.ts"
import { ByteArena } from "./byte-arena.ts"
import { CachedEntry } from "./entry.ts"
import { EncodingCache } from "./encoding-cache.ts"
import { withPrefix, ValueIndexes } from "./value-index.ts"
import { ObjectMap } from "./object-map.ts"
import { defaultCacheLimits } from "./options.ts"
import { SlabPool } from "./slab-pool.ts"

let decoded = 0
const context = {
  arena: new ByteArena(new SlabPool({ ...defaultCacheLimits, slabBytes: 1024, regionBytes: 4 * 1024 })),
  written: new Map(),
  onUndecodable: () => undefined,
  encodings: new EncodingCache(1 << 20),
  codec: {
    toJson: ({ value }: { value: Uint8Array }) => Buffer.from(value).toString(),
    describe: (json: Buffer) => {
      decoded++
      const { metadata, spec } = JSON.parse(json.toString())
      return { labels: metadata.labels, fields: spec }
    },
  },
}
type Texts = Readonly<Record<string, string>>
const entry = (key: string, values: Texts, revision = 1) =>
  new CachedEntry(context, key, revision, revision, Buffer.from(JSON.stringify({ metadata: { labels: values }, spec: values })))
const keys = (found: readonly CachedEntry[] | undefined) => found?.map(({ key }) => key)
const named = (index: number, app: string): CachedEntry => entry(`n/${String(index).padStart(6, "0")}`, { app })
const inOrder = (objects: Iterable<CachedEntry>) => [...objects].sort((left, right) => compareBytes(left.key, right.key))
const stateOf = (objects: Iterable<CachedEntry>) => () => ObjectMap.of(inOrder(objects))
const unmade = () => {
  throw new Error("it was made")
}
const kinds = ["label", "field"] as const

describe.each(kinds)("indexes of a %s", (of) => {
  const app = { of, name: "app" }
  const has = (object: CachedEntry, value: string) => (of === "label" ? object.labels()["app"] : object.field("app")) === value

  it("find the same objects as a walk over all of them, in key order, after any changes", () => {
    const values = fc.record({ app: fc.constantFrom("a", "b"), tier: fc.constantFrom("x", "y") }, { requiredKeys: [] })
    const changes = fc.array(
      fc.record({ name: fc.constantFrom("n/a", "n/b", "m/a", "m/\u{1f600}", "m/\uffee"), values: fc.option(values) }),
    )
    fc.assert(
      fc.property(changes, (history) => {
        const indexes = new ValueIndexes()
        const state = new Map<string, CachedEntry>()
        for (const [revision, { name, values: next }] of history.entries()) {
          const previous = state.get(name)
          const object = next === null ? undefined : entry(name, next, revision)
          if (object === undefined) state.delete(name)
          else state.set(name, object)
          indexes.changed(previous, object)
          indexes.prepare(app, stateOf(state.values()))
          for (const value of ["a", "b"]) {
            const found = indexes.find({ ...app, value })
            expect(found).toEqual(inOrder(state.values()).filter((one) => has(one, value)))
            for (const prefix of ["", "a/", "m/", "n/", "n/a", "o/"])
              expect(keys(withPrefix(found ?? [], prefix))).toEqual(keys((found ?? []).filter((one) => one.key.startsWith(prefix))))
          }
        }
      }),
    )
  })

  it("are made of many objects in turns, and include changes made meanwhile", async () => {
    const indexes = new ValueIndexes()
    const state = ObjectMap.of(Array.from({ length: 20_000 }, (_, index) => named(index, `app-${index % 1000}`)))
    const change = (next: CachedEntry): void => {
      const previous = state.get(next.key)
      state.set(next)
      indexes.changed(previous, next)
    }
    const prepared = indexes.prepare(app, () => state.clone())
    expect(indexes.prepare(app, () => state.clone())).toBe(prepared)
    expect(indexes.find({ ...app, value: "app-7" })).toBeUndefined()
    change(named(7, "app-8"))
    change(named(20_001, "app-8"))
    let turns = 0
    const counting = setImmediate(function count() {
      turns++
      change(named(19_999, `turn-${turns}`))
      if (turns < 3) setImmediate(count)
    })
    await prepared
    clearImmediate(counting)
    expect(turns).toBeGreaterThan(1)
    const all = () => [...state.all()]
    for (const value of ["app-7", "app-8", "app-999", `turn-${turns}`, "turn-0"])
      expect(keys(indexes.find({ ...app, value }))).toEqual(keys(all().filter((one) => has(one, value))))
    expect(indexes.prepare(app, unmade)).toBeUndefined()
  })

  it("that are being made when the resource starts over are discarded", async () => {
    const indexes = new ValueIndexes()
    const prepared = indexes.prepare(app, stateOf(Array.from({ length: 20_000 }, (_, index) => named(index, "old"))))
    indexes.clear()
    await prepared
    expect(indexes.find({ ...app, value: "old" })).toBeUndefined()
    indexes.prepare(app, stateOf([entry("n/a", { app: "new" })]))
    expect(keys(indexes.find({ ...app, value: "new" }))).toEqual(["n/a"])
  })

  it("do not know a value that very many objects have", async () => {
    const indexes = new ValueIndexes()
    await indexes.prepare(app, stateOf(Array.from({ length: 20_000 }, (_, index) => named(index, "a"))))
    expect(indexes.find({ ...app, value: "a" })).toBeUndefined()
    expect(indexes.find({ ...app, value: "b" })).toEqual([])
  })

  it("are kept for the names requested last, and dropped when unused", () => {
    const indexes = new ValueIndexes()
    const one = stateOf([entry("n/a", { l1: "v" })])
    const asked = (name: string) => {
      indexes.prepare({ of, name }, one)
      return keys(indexes.find({ of, name, value: "v" }))
    }
    for (let name = 0; name <= selectedNamesMax; name++) asked(`l${name}`)
    expect(keys(indexes.find({ of, name: "l1", value: "v" }))).toEqual(["n/a"])
    expect(indexes.find({ of, name: "l0", value: "v" })).toBeUndefined()
    for (let change = 0; change <= 10_000; change++) indexes.changed(undefined, undefined)
    expect(indexes.find({ of, name: "l1", value: "v" })).toBeUndefined()
    expect(asked("l1")).toEqual(["n/a"])
  })
})

describe("indexes", () => {
  it("distinguish a label from a field of the same name", () => {
    const indexes = new ValueIndexes()
    const object = entry("n/a", { app: "a" })
    for (const of of kinds) indexes.prepare({ of, name: "app" }, stateOf([object]))
    indexes.prepare({ of: "label", name: "tier" }, stateOf([object]))
    expect(indexes.find({ of: "field", name: "tier", value: "" })).toBeUndefined()
    expect(keys(indexes.find({ of: "field", name: "app", value: "a" }))).toEqual(["n/a"])
  })

  it("decode an object once for a field, and again only when it has changed", () => {
    const indexes = new ValueIndexes()
    const objects = Array.from({ length: 50 }, (_, index) => named(index, "a"))
    decoded = 0
    for (let list = 0; list < 5; list++) {
      indexes.prepare({ of: "field", name: "app" }, stateOf(objects))
      expect(indexes.find({ of: "field", name: "app", value: "a" })).toHaveLength(50)
    }
    expect(decoded).toBe(50)
    let previous = objects[0]
    for (let change = 0; change < 5; change++) {
      const next = named(0, `b-${change}`)
      indexes.changed(previous, next)
      previous = next
    }
    // The first of the replaced objects was read without keeping the result.
    expect(decoded).toBe(50 + 1 + 5)
  })

  it("know nothing while there is an undecodable object, and fail for no other object", async () => {
    const indexes = new ValueIndexes()
    const field = { of: "field", name: "app" } as const
    const find = () => keys(indexes.find({ ...field, value: "a" }))?.length
    const many = Array.from({ length: 200 }, (_, index) => named(index, "a"))
    const broken = new CachedEntry(context, "n/broken", 1, 1, Buffer.from("{"))
    await indexes.prepare(field, stateOf(many))
    expect(find()).toBe(200)
    indexes.changed(undefined, broken)
    expect(find()).toBeUndefined()
    indexes.changed(broken, undefined)
    await indexes.prepare(field, stateOf([...many, broken]))
    expect(find()).toBeUndefined()
    expect(indexes.prepare(field, unmade)).toBeUndefined()
    indexes.changed(broken, named(201, "a"))
    await indexes.prepare(field, stateOf([...many, named(201, "a")]))
    expect(find()).toBe(201)
  })
})
