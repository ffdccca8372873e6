import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compareKeys } from "../store.ts"
import { ByteArena } from "./byte-arena.ts"
import { CachedEntry } from "./entry.ts"
import { FormBudget } from "./forms.ts"
import { below, LabelIndexes } from "./label-index.ts"
import { ObjectMap } from "./object-map.ts"
import { SlabPool } from "./slab-pool.ts"

const context = {
  arena: new ByteArena(new SlabPool(1024, 4 * 1024)),
  onUndecodable: () => undefined,
  forms: new FormBudget(1 << 20),
  codec: {
    toJson: ({ value }: { value: Uint8Array }) => Buffer.from(value).toString(),
    describe: () => ({ labels: {}, fields: {} }),
  },
}
const entry = (key: string, labels: Record<string, string>, revision = 1) =>
  new CachedEntry(context, key, revision, revision, Buffer.from(JSON.stringify({ metadata: { labels } })))
const keys = (found: readonly CachedEntry[] | undefined) => found?.map(({ key }) => key)

describe("indexes of labels", () => {
  it("answer what going through all objects would, in key order, whatever changes", () => {
    const labels = fc.record({ app: fc.constantFrom("a", "b"), tier: fc.constantFrom("x", "y") }, { requiredKeys: [] })
    const changes = fc.array(
      fc.record({ name: fc.constantFrom("n/a", "n/b", "m/a", "m/\u{1f600}", "m/\uffee"), labels: fc.option(labels) }),
    )
    fc.assert(
      fc.property(changes, (history) => {
        const indexes = new LabelIndexes()
        const state = new Map<string, CachedEntry>()
        for (const [revision, { name, labels: next }] of history.entries()) {
          const previous = state.get(name)
          const object = next === null ? undefined : entry(name, next, revision)
          if (object === undefined) state.delete(name)
          else state.set(name, object)
          indexes.changed(previous, object)
          const inOrder = [...state.values()].sort((left, right) => compareKeys(left.key, right.key))
          for (const value of ["a", "b"]) {
            const found = indexes.find(() => inOrder, { name: "app", value })
            expect(found).toEqual(inOrder.filter((one) => one.labels()["app"] === value))
            for (const prefix of ["", "a/", "m/", "n/", "n/a", "o/"])
              expect(keys(below(found ?? [], prefix))).toEqual(keys((found ?? []).filter((one) => one.key.startsWith(prefix))))
          }
        }
      }),
    )
  })

  it("of many objects are made in turns, and know what changed meanwhile", async () => {
    const indexes = new LabelIndexes()
    const named = (index: number, app: string): CachedEntry => entry(`n/${String(index).padStart(6, "0")}`, { app })
    const state = ObjectMap.of(Array.from({ length: 5000 }, (_, index) => named(index, `app-${index % 1000}`)))
    const change = (next: CachedEntry): void => {
      const previous = state.get(next.key)
      state.set(next)
      indexes.changed(previous, next)
    }
    const prepared = indexes.prepare("app", () => state.clone())
    expect(indexes.prepare("app", () => state.clone())).toBe(prepared)
    change(named(7, "app-8"))
    change(named(5001, "app-8"))
    let turns = 0
    const counting = setImmediate(function count() {
      turns++
      change(named(4999, `turn-${turns}`))
      if (turns < 3) setImmediate(count)
    })
    await prepared
    clearImmediate(counting)
    expect(turns).toBeGreaterThan(1)
    const all = () => [...state.all()]
    const unmade = () => {
      throw new Error("it was made")
    }
    for (const value of ["app-7", "app-8", "app-999", `turn-${turns}`, "turn-0"])
      expect(keys(indexes.find(unmade, { name: "app", value }))).toEqual(keys(all().filter((one) => one.labels()["app"] === value)))
    expect(indexes.prepare("app", unmade)).toBeUndefined()
  })

  it("that are being made when the resource starts over are forgotten", async () => {
    const indexes = new LabelIndexes()
    const objects = ObjectMap.of(Array.from({ length: 3000 }, (_, index) => entry(`n/${String(index).padStart(6, "0")}`, { app: "old" })))
    const prepared = indexes.prepare("app", () => objects)
    indexes.clear()
    await prepared
    expect(keys(indexes.find(() => [entry("n/a", { app: "new" })], { name: "app", value: "new" }))).toEqual(["n/a"])
  })

  it("do not know a value that very many objects have", () => {
    const many = Array.from({ length: 20_000 }, (_, index) => entry(`n/${String(index).padStart(6, "0")}`, { app: "a" }))
    const indexes = new LabelIndexes()
    expect(indexes.find(() => many, { name: "app", value: "a" })).toBeUndefined()
    expect(indexes.find(() => many, { name: "app", value: "b" })).toEqual([])
  })

  it("are made for the labels asked for last, and given up when nobody asks", () => {
    const indexes = new LabelIndexes()
    let made = 0
    const all = () => {
      made++
      return [entry("n/a", { l1: "v" })]
    }
    for (let name = 0; name < 9; name++) indexes.find(all, { name: `l${name}`, value: "v" })
    expect(keys(indexes.find(all, { name: "l1", value: "v" }))).toEqual(["n/a"])
    expect(made).toBe(9)
    indexes.find(all, { name: "l0", value: "v" })
    expect(made).toBe(10)
    for (let change = 0; change <= 10_000; change++) indexes.changed(undefined, undefined)
    indexes.find(all, { name: "l1", value: "v" })
    expect(made).toBe(11)
  })
})
