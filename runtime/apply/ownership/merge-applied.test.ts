import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { difference, isEmptySet, pathText, pathsOf } from "./field-set.ts"
import { mergeApplied } from "./merge-applied.ts"
import { anyObject } from "../../../test/support/typed-arbitrary.ts"
import { exampleShape } from "../../../test/support/typed-fixtures.ts"
import { fieldSetOf } from "./typed-set.ts"

describe("merges into the live object:", () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    ["values are replaced", { text: "a", count: 1 }, { text: "b" }, { text: "b", count: 1 }],
    ["null is a value", { text: "a" }, { text: null }, { text: null }],
    ["maps are merged", { labels: { a: "1", b: "2" } }, { labels: { b: "3", c: "4" } }, { labels: { a: "1", b: "3", c: "4" } }],
    ["structs are merged", { child: { text: "a" } }, { child: { labels: { a: "1" } } }, { child: { text: "a", labels: { a: "1" } } }],
    ["atomic maps are replaced", { frozen: { a: "1" } }, { frozen: { b: "2" } }, { frozen: { b: "2" } }],
    ["atomic structs are replaced", { whole: { text: "a" } }, { whole: { labels: {} } }, { whole: { labels: {} } }],
    ["atomic lists are replaced", { items: ["a", "b"] }, { items: [] }, { items: [] }],
    ["atomic lists may become null", { items: ["a", "b"] }, { items: null }, { items: null }],
    ["null does not replace a filled map", { labels: { a: "1" } }, { labels: null }, { labels: { a: "1" } }],
    ["an empty map does not replace a filled one", { labels: { a: "1" } }, { labels: {} }, { labels: { a: "1" } }],
    ["an empty map replaces null", { labels: null }, { labels: {} }, { labels: {} }],
    ["null replaces an empty map", { labels: {} }, { labels: null }, { labels: null }],
    ["null replaces an empty set", { names: [] }, { names: null }, { names: null }],
    ["a filled map replaces null", { labels: null }, { labels: { a: "1" } }, { labels: { a: "1" } }],
    [
      "untyped objects are merged, lists replaced",
      { free: { a: [1], b: { c: 1 } } },
      { free: { a: [2], b: { d: 2 } } },
      { free: { a: [2], b: { c: 1, d: 2 } } },
    ],
    ["an untyped value of another form is replaced", { free: { a: { b: 1 } } }, { free: { a: "b" } }, { free: { a: "b" } }],
    ["a raw object is replaced", { raw: { a: 1 } }, { raw: { b: 1 } }, { raw: { b: 1 } }],
    [
      "keyed items are merged",
      { ports: [{ port: 1, text: "a" }] },
      { ports: [{ port: 1, protocol: "TCP" }] },
      { ports: [{ port: 1, text: "a", protocol: "TCP" }] },
    ],
    [
      "keyed items of another key are added",
      { ports: [{ port: 1 }] },
      { ports: [{ port: 1, protocol: "UDP" }] },
      { ports: [{ port: 1 }, { port: 1, protocol: "UDP" }] },
    ],
    [
      "a null is another key than the default",
      { ports: [{ port: 1, protocol: "TCP" }] },
      { ports: [{ port: 1, protocol: null }] },
      {
        ports: [
          { port: 1, protocol: "TCP" },
          { port: 1, protocol: null },
        ],
      },
    ],
    [
      "repeated keyed items are not merged",
      { ports: [{ port: 1, text: "a" }, { port: 2 }, { port: 1, text: "b" }] },
      { ports: [{ port: 1, names: ["x"] }] },
      { ports: [{ port: 1, names: ["x"] }, { port: 2 }] },
    ],
    [
      "repeated keyed items stay when they are not applied",
      { ports: [{ port: 1, text: "a" }, { port: 1 }] },
      { ports: [] },
      { ports: [{ port: 1, text: "a" }, { port: 1 }] },
    ],
    [
      "names that objects inherit",
      { labels: {} },
      { labels: JSON.parse('{"__proto__":"a","constructor":"b"}') },
      { labels: JSON.parse('{"__proto__":"a","constructor":"b"}') },
    ],
  ])("%s", (_, live, config, result) => expect(JSON.stringify(mergeApplied(exampleShape, live, config))).toBe(JSON.stringify(result)))
})

describe("the order of a set:", () => {
  test.each<[live: string, config: string, result: string]>([
    ["abc", "ab", "abc"],
    ["ab", "abc", "abc"],
    ["abc", "", "abc"],
    ["", "abc", "abc"],
    ["ab", "ba", "ba"],
    ["abc", "def", "abcdef"],
    ["abc", "cdef", "abcdef"],
    ["abcgf", "cdef", "abcgdef"],
    ["cdef", "ace", "acdef"],
    ["abcxyz", "def", "abcxyzdef"],
    ["abcxyz", "defxyz", "abcdefxyz"],
    ["cagf", "cfag", "cfag"],
    ["abcd", "defa", "bcdefa"],
    ["abc", "cb", "acb"],
    ["abc", "ca", "bca"],
    ["b", "abc", "abc"],
    ["cdefghij", "2h3e4kl", "cdfg2hij3e4kl"],
    ["abcdefghij", "1b2h3e4kl", "a1bcdfg2hij3e4kl"],
    ["abb", "c", "abbc"],
    ["abb", "b", "ab"],
    ["abb", "a", "abb"],
    ["abcdec", "1b2ed", "a1bc2ecd"],
    ["abcdec", "1b2ced", "a1b2ced"],
    ["aabb", "bcd", "aabcd"],
    ["aabb", "", "aabb"],
    ["cagfca", "cfag", "cfag"],
  ])("%j with %j is %j", (live, config, result) => {
    expect(mergeApplied(exampleShape, { names: [...live] }, { names: [...config] })).toEqual({ names: [...result] })
  })
})

test("returns the live object itself when nothing changes", () => {
  const live = { labels: { a: "1" }, ports: [{ port: 1, text: "a" }] }
  expect(mergeApplied(exampleShape, live, { labels: { a: "1" } })).toBe(live)
  expect(mergeApplied(exampleShape, live, { text: "a" })["labels"]).toBe(live.labels)
})

test("the result has all that the configuration sets, and applying twice equals applying once", () => {
  fc.assert(
    fc.property(anyObject, anyObject, (live, config) => {
      const before = JSON.stringify([live, config])
      const result = mergeApplied(exampleShape, live, config)
      const missing = difference(fieldSetOf(exampleShape, config), fieldSetOf(exampleShape, result))
      // The live object may have values where the configuration is empty or null.
      expect(
        pathsOf(missing)
          .map(pathText)
          .filter((path) => !isHollow(config, path)),
      ).toEqual([])
      expect(mergeApplied(exampleShape, result, config)).toEqual(result)
      expect(JSON.stringify([live, config])).toBe(before)
    }),
  )
})

/** The configuration has only empty or null values at a path. */
function isHollow(config: JsonObject, path: string): boolean {
  const set = fieldSetOf(exampleShape, mergeApplied(exampleShape, {}, config))
  return pathsOf(set)
    .map(pathText)
    .every((other) => !other.startsWith(`${path}.`) && !other.startsWith(`${path}[`))
}

test("keeps everything that only the live object sets", () => {
  fc.assert(
    fc.property(anyObject, (live) => {
      expect(mergeApplied(exampleShape, live, {})).toBe(live)
      expect(isEmptySet(difference(fieldSetOf(exampleShape, live), fieldSetOf(exampleShape, mergeApplied(exampleShape, {}, live))))).toBe(
        true,
      )
    }),
  )
})
