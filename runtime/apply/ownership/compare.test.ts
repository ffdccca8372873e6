import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { compareObjects } from "./compare.ts"
import { equalSets, intersection, isEmptySet, pathText, pathsOf } from "./field-set.ts"
import type { FieldSet } from "./field-set.ts"
import { anyObject } from "../../../test/support/typed-arbitrary.ts"
import { exampleShape } from "../../../test/support/typed-fixtures.ts"

interface Case {
  readonly of: string
  readonly old: JsonObject
  readonly next: JsonObject
  readonly added?: string[]
  readonly modified?: string[]
  readonly removed?: string[]
}

const shown = (set: FieldSet): string[] => pathsOf(set).map(pathText)
const tcp = '.ports[port=1,protocol="TCP"]'

describe("comparing finds", () => {
  test.each<Case>([
    { of: "no difference", old: { text: "a", labels: { a: "1" } }, next: { labels: { a: "1" }, text: "a" } },
    { of: "a changed value", old: { count: 1 }, next: { count: 3.5 }, modified: [".count"] },
    { of: "numbers by value", old: { count: 5n }, next: { count: 5 } },
    { of: "a new and a lost value", old: { text: "a" }, next: { flag: true }, added: [".flag"], removed: [".text"] },
    { of: "a value that became null", old: { text: "a" }, next: { text: null }, modified: [".text"] },
    {
      of: "entries of a map",
      old: { labels: { a: "1", b: "2" } },
      next: { labels: { a: "0", c: "3" } },
      added: [".labels.c"],
      modified: [".labels.a"],
      removed: [".labels.b"],
    },
    { of: "a new map with its entries", old: {}, next: { labels: { a: "1" } }, added: [".labels", ".labels.a"] },
    {
      of: "a lost struct with its fields",
      old: { child: { child: { text: "a" } } },
      next: {},
      removed: [".child", ".child.child", ".child.child.text"],
    },
    { of: "a map that is emptied", old: { labels: { a: "1" } }, next: { labels: {} }, removed: [".labels.a"] },
    { of: "a map that is filled", old: { labels: null }, next: { labels: { a: "1" } }, added: [".labels.a"] },
    { of: "an empty map that became null", old: { labels: {} }, next: { labels: null }, modified: [".labels"] },
    { of: "a new empty map", old: {}, next: { labels: {} }, added: [".labels"] },
    { of: "an empty list that became null", old: { names: [] }, next: { names: null }, modified: [".names"] },
    { of: "an atomic list", old: { items: ["a"] }, next: { items: ["a", "b"] }, modified: [".items"] },
    { of: "an atomic map", old: { frozen: { a: "1" } }, next: { frozen: { a: "2" } }, modified: [".frozen"] },
    { of: "an atomic struct that is new", old: {}, next: { whole: { text: "a" } }, added: [".whole"] },
    { of: "items of a set", old: { names: ["a", "b"] }, next: { names: ["c", "b"] }, added: ['.names[="c"]'], removed: ['.names[="a"]'] },
    { of: "no order of a set", old: { names: ["a", "b"] }, next: { names: ["b", "a"] } },
    { of: "an emptied set", old: { names: ["a", "b", "b"] }, next: { names: [] }, removed: ['.names[="a"]', '.names[="b"]'] },
    {
      of: "an item of a set that is there twice now",
      old: { names: ["a"] },
      next: { names: ["a", "a"] },
      added: ['.names[="a"]'],
      removed: ['.names[="a"]'],
    },
    {
      of: "an item that is no longer there twice",
      old: { names: ["a", "a"] },
      next: { names: ["a"] },
      added: ['.names[="a"]'],
      removed: ['.names[="a"]'],
    },
    {
      of: "an item that is there twice and was not at all",
      old: { names: ["b"] },
      next: { names: ["b", "a", "a"] },
      added: ['.names[="a"]'],
    },
    {
      of: "an item that is there three times, not twice",
      old: { names: ["a", "a"] },
      next: { names: ["a", "a", "a"] },
      modified: ['.names[="a"]'],
    },
    {
      of: "a field of a keyed item",
      old: { ports: [{ port: 1, text: "a" }] },
      next: { ports: [{ port: 1, text: "b" }] },
      modified: [`${tcp}.text`],
    },
    {
      of: "a key that is its default",
      old: { ports: [{ port: 1 }] },
      next: { ports: [{ port: 1, protocol: "TCP" }] },
      added: [`${tcp}.protocol`],
    },
    { of: "a new keyed item with its fields", old: { ports: [] }, next: { ports: [{ port: 1 }] }, added: [tcp, `${tcp}.port`] },
    {
      of: "keyed items that are there twice",
      old: { ports: [{ port: 1, text: "a" }, { port: 1 }] },
      next: { ports: [{ port: 1, text: "b" }, { port: 1 }] },
      modified: [tcp],
    },
    {
      of: "keyed items that are there twice as before",
      old: { ports: [{ port: 1, text: "a" }, { port: 1 }] },
      next: { ports: [{ port: 1, text: "a" }, { port: 1 }], text: "a" },
      added: [".text"],
    },
    {
      of: "a keyed item that was there twice",
      old: { ports: [{ port: 1, text: "a" }, { port: 1 }] },
      next: { ports: [{ port: 1 }] },
      added: [tcp, `${tcp}.port`],
      removed: [tcp],
    },
    {
      of: "a keyed item that is there twice now",
      old: { ports: [{ port: 1 }] },
      next: { ports: [{ port: 1, text: "a" }, { port: 1 }] },
      added: [tcp],
      removed: [tcp, `${tcp}.port`],
    },
    { of: "an untyped map filled", old: { free: { a: null } }, next: { free: { a: { b: {} } } }, added: [".free.a.b"] },
    { of: "an untyped map emptied", old: { free: { a: { b: {} } } }, next: { free: { a: {} } }, removed: [".free.a.b"] },
    { of: "an untyped list", old: { free: { a: null } }, next: { free: { a: ["b"] } }, modified: [".free.a"] },
    {
      of: "an untyped map that became a list",
      old: { free: { a: { b: {} } } },
      next: { free: { a: ["b"] } },
      modified: [".free.a"],
      removed: [".free.a.b"],
    },
    {
      of: "an untyped list that became a map",
      old: { free: { a: ["b"] } },
      next: { free: { a: { b: {} } } },
      added: [".free.a.b"],
      modified: [".free.a"],
    },
    {
      of: "an untyped map that became text",
      old: { free: { a: { b: 1 } } },
      next: { free: { a: "b" } },
      modified: [".free.a"],
      removed: [".free.a.b"],
    },
    { of: "an untyped text that became a list", old: { free: "a" }, next: { free: ["a"] }, modified: [".free"] },
    {
      of: "names that objects inherit",
      old: { labels: {} },
      next: { labels: JSON.parse('{"constructor":"a","__proto__":"b"}') },
      added: [".labels.__proto__", ".labels.constructor"],
    },
  ])("$of", ({ old, next, added = [], modified = [], removed = [] }) => {
    const comparison = compareObjects(exampleShape, old, next)
    expect({ added: shown(comparison.added), modified: shown(comparison.modified), removed: shown(comparison.removed) }).toEqual({
      added,
      modified,
      removed,
    })
  })
})

test("an object differs only from others, and comparing both ways agrees", () => {
  fc.assert(
    fc.property(anyObject, anyObject, (old, next) => {
      const before = JSON.stringify([old, next])
      expect(Object.values(compareObjects(exampleShape, old, structuredClone(old))).every(isEmptySet)).toBe(true)
      const there = compareObjects(exampleShape, old, next)
      const back = compareObjects(exampleShape, next, old)
      expect(equalSets(there.added, back.removed)).toBe(true)
      expect(equalSets(there.removed, back.added)).toBe(true)
      expect(equalSets(there.modified, back.modified)).toBe(true)
      expect(isEmptySet(intersection(there.modified, there.added))).toBe(true)
      expect(JSON.stringify([old, next])).toBe(before)
    }),
  )
})
