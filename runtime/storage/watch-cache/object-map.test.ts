import { expect, test, vi } from "vitest"
import type { CachedObject } from "../cache.ts"
import { ObjectMap } from "./object-map.ts"

/**
 * Number of key comparisons: the cost of a lookup in a large map, independent of the machine. Only `compareBytes` is
 * counted, which the map uses once it has a key beyond U+FFFF.
 */
const compared = vi.hoisted(() => ({ count: 0 }))
vi.mock("../../base/byte-order.ts", async (original) => {
  const order = await original<typeof import("../../base/byte-order.ts")>()
  return {
    ...order,
    compareBytes(left: string, right: string) {
      compared.count++
      return order.compareBytes(left, right)
    },
  }
})

function object(key: string): CachedObject {
  return {
    key,
    createRevision: 1,
    modRevision: 1,
    sizeBytes: 0,
    hasJson: true,
    json: () => Buffer.alloc(0),
    jsonPlace: () => undefined,
    labels: () => ({}),
    field: () => "",
    mayHaveMetadata: () => false,
    derived: (_form, make) => make(),
  }
}

const keys = Array.from({ length: 50_000 }, (_, index) => `/registry/things/n-${index % 2}/${String(index).padStart(6, "0")}`)
  .concat("/registry/things/n-2/\u{1F600}")
  .sort()

/** Comparisons for one page of 100 after the key at `after`. */
function costOf(map: ObjectMap<CachedObject>, prefix: string, after: number): number {
  compared.count = 0
  const page: string[] = []
  for (const { key } of map.entries(prefix, keys[after])) if (page.push(key) === 100) break
  expect(page).toEqual(keys.slice(after + 1, after + 101))
  return compared.count
}

test.each([
  ["filled at once", () => ObjectMap.of(keys.map(object))],
  [
    "written one by one",
    () => {
      const map = ObjectMap.empty<CachedObject>()
      for (const key of keys) map.set(object(key))
      return map
    },
  ],
])("page n costs as much as page 1: %s", (_name, build) => {
  const map = build().clone()
  // A lookup among 50,000 takes about 16 comparisons; a page needs its beginning and its end.
  for (const after of [0, 1000, 24_000, 49_000]) expect(costOf(map, "/registry/things/", after)).toBeLessThan(100)
  for (const after of [0, 12_000, 24_000]) expect(costOf(map, "/registry/things/n-0/", after)).toBeLessThan(100)
})

test("a fill rejects values that are not in key order", () => {
  expect(() => ObjectMap.of([object("/b"), object("/a")])).toThrow("ascending")
})

test("counts objects without visiting them", () => {
  const map = ObjectMap.of(keys.map(object)).clone()
  const counted = (prefix: string, startAfter?: string) => {
    compared.count = 0
    const objects = map.count(prefix, startAfter)
    expect(compared.count, "comparisons").toBeLessThan(100)
    return objects
  }
  for (const prefix of ["/", "/registry/things/", "/registry/things/n-0/", "/registry/things/n-2/", "/registry/others/", "/registry/zoo/"])
    expect(counted(prefix)).toBe(keys.filter((key) => key.startsWith(prefix)).length)
  for (const after of [0, 9, 24_999, 25_000, 50_000]) expect(counted("/registry/things/", keys[after])).toBe(keys.length - after - 1)
  expect(counted("/registry/things/n-0/", "/registry/things/n-1/000001")).toBe(0)
  expect(ObjectMap.empty<CachedObject>().count("/registry/things/", undefined)).toBe(0)
})
