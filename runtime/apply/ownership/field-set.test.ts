import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { JsonValue } from "../../base/json.ts"
import {
  canonicalFieldSet,
  difference,
  equalSets,
  intersection,
  isEmptySet,
  memberCount,
  pathText,
  pathsOf,
  recursiveDifference,
  setOfPaths,
  sortedFieldSet,
  union,
  unionOfAll,
} from "./field-set.ts"
import type { FieldSet } from "./field-set.ts"
import { IndexedSet } from "./indexed-set.ts"

describe("the text of a path", () => {
  test.each<[readonly string[], string]>([
    [["f:spec", "f:replicas"], ".spec.replicas"],
    [["f:spec", "f:ports", 'k:{"port":80,"protocol":"TCP"}', "f:name"], '.spec.ports[port=80,protocol="TCP"].name'],
    [["f:metadata", "f:finalizers", 'v:"example.com/a"'], '.metadata.finalizers[="example.com/a"]'],
    [["f:metadata", "f:annotations", "f:example.com/a"], ".metadata.annotations.example.com/a"],
    [["f:list", "i:3"], ".list[3]"],
    [["v:true"], "[=true]"],
    [["v:2.5"], "[=2.5]"],
    [["v:null"], "[=null]"],
    [['k:{"a":{"b":1},"c":[1,"x"]}'], '[a=b=1,c=[1,"x"]]'],
    [['v:"a\\"b\\u2028\\u0007\\u0001\\u00a0ä😀"'], '[="a\\"b\\u2028\\a\\x01\\u00a0ä😀"]'],
    [[], ""],
  ])("%j is %s", (path, text) => expect(pathText(path)).toBe(text))
})

describe("a set that a client sent", () => {
  test.each<[string, JsonValue, FieldSet]>([
    ["null is empty", null, {}],
    ["the root is no member", { ".": {} }, {}],
    ["fields by name", { "f:b": {}, "f:a": {}, "f:": {} }, { "f:": {}, "f:a": {}, "f:b": {} }],
    ["key fields by name", { 'k:{ "protocol": "TCP", "port": 80.0 }': {} }, { 'k:{"port":80,"protocol":"TCP"}': {} }],
    ["values without spaces", { 'v: "a"': {}, "v:1.0": {} }, { "v:1": {}, 'v:"a"': {} }],
    ["numbers beyond 2^53", { "v:9007199254740993": {} }, { "v:9007199254740993": {} }],
    ["values of any sort", { 'v:{"b":null,"a":[1]}': {}, "v:null": {} }, { 'v:{"a":[1],"b":null}': {}, "v:null": {} }],
    ["escapes as Go writes them", { 'v:"<&>\\b\\f\\\\b"': {} }, { 'v:"\\u003c\\u0026\\u003e\\u0008\\u000c\\\\b"': {} }],
    ["indexes", { "i:010": {}, "i:2": {} }, { "i:2": {}, "i:10": {} }],
    ["elements of later versions are dropped", { "f:a": {}, "r:b": { "no-element": {} } }, { "f:a": {} }],
    ["null for a member", { "f:a": null }, { "f:a": {} }],
    ["a member is written as a leaf", { "f:a": { ".": {} } }, { "f:a": {} }],
    ["the content of . is ignored", { "f:a": { "f:b": {}, ".": 5 } }, { "f:a": { ".": {}, "f:b": {} } }],
    ["two spellings of an element are joined", { "v:1": { "f:a": {} }, "v:1.0": { "f:b": {} } }, { "v:1": { "f:a": {}, "f:b": {} } }],
    ["a name that objects inherit", { "f:__proto__": { "f:constructor": {} } }, { "f:__proto__": { "f:constructor": {} } }],
  ])("%s", (_, sent, set) => {
    expect(JSON.stringify(canonicalFieldSet(sent))).toBe(JSON.stringify(set))
    expect(canonicalFieldSet(canonicalFieldSet(sent))).toEqual(set)
  })

  test("is sorted by kind, then by value", () => {
    const sorted = ["f:a", "f:aa", "f:\uffff", "f:😀", 'k:{"a":80}', 'k:{"a":8080}', 'k:{"a":"8"}', 'k:{"a":8,"b":1}', 'k:{"b":1}']
    const values = ["v:2", "v:2.5", "v:10", 'v:"a"', 'v:"b"', "v:false", "v:true", "v:[1]", "v:{}", "v:null", "i:1", "i:2", "i:10"]
    const expected = [".", ...sorted.slice(0, 4), 'k:{"a":8,"b":1}', 'k:{"a":80}', 'k:{"a":8080}', 'k:{"a":"8"}', 'k:{"b":1}', ...values]
    const shuffled = Object.fromEntries([".", ...sorted, ...values].reverse().map((element) => [element, {}]))
    expect(Object.keys(sortedFieldSet(shuffled))).toEqual(expected)
  })

  test.each<[string, JsonValue, string]>([
    ["text", "f:a", "must be a JSON object"],
    ["a list", ["f:a"], "must be a JSON object"],
    ["true for a member", { "f:a": true }, "must be a JSON object"],
    ["an empty element", { "": {} }, 'path element "" is malformed: it must begin with'],
    ["no colon", { "no-colon": {} }, 'path element "no-colon" is malformed'],
    ["an index with letters", { "i:one": {} }, "i: must be followed by a whole number"],
    ["an index with a fraction", { "i:1.23": {} }, "i: must be followed by a whole number"],
    ["no index", { "i:": {} }, "i: must be followed by a whole number"],
    ["no value", { "v:": {} }, "its value is no JSON"],
    ["a value that is no JSON", { "v:nothing": {} }, "its value is no JSON"],
    ["a key that is no JSON", { 'k:{"name":nothing}': {} }, "its value is no JSON"],
    ["a key that is no object", { "f:a": { 'k:"name"': {} } }, "k: must be followed by a JSON object"],
  ])("is refused for %s", (_, sent, message) => {
    expect(() => canonicalFieldSet(sent)).toThrow(expect.objectContaining({ code: 400, message: expect.stringContaining(message) }))
  })

  test("is refused when it is deeper than a document may be", () => {
    let set: JsonValue = {}
    for (let depth = 0; depth < 5000; depth++) set = { "f:a": set }
    expect(() => canonicalFieldSet(set)).toThrow(expect.objectContaining({ code: 400 }))
  })
})

test("lists members level by level", () => {
  const set = setOfPaths([["f:b", "f:c"], ["f:a", "f:x", "f:y"], ["f:b"], ["f:a", "f:d"], ["f:e"]])
  expect(set).toEqual({ "f:a": { "f:d": {}, "f:x": { "f:y": {} } }, "f:b": { ".": {}, "f:c": {} }, "f:e": {} })
  expect(pathsOf(set).map(pathText)).toEqual([".b", ".e", ".a.d", ".a.x.y", ".b.c"])
  expect(pathsOf({})).toEqual([])
})

test.each<[string, FieldSet, FieldSet]>([
  [
    "recursive difference removes what is below",
    recursiveDifference({ "f:a": { "f:b": { "f:c": {} }, "f:d": {} } }, { "f:a": { "f:b": {} } }),
    { "f:a": { "f:d": {} } },
  ],
  ["difference does not", difference({ "f:a": { "f:b": { "f:c": {} } } }, { "f:a": { "f:b": {} } }), { "f:a": { "f:b": { "f:c": {} } } }],
  ["a parent outlives its child", difference({ "f:a": { ".": {}, "f:b": {} } }, { "f:a": { "f:b": {} } }), { "f:a": {} }],
  ["a path without members disappears", difference({ "f:a": { "f:b": {} } }, { "f:a": { "f:b": {} } }), {}],
  ["a child makes no parent", union({ "f:a": {} }, { "f:a": { "f:b": {} } }), { "f:a": { ".": {}, "f:b": {} } }],
  ["only members meet", intersection({ "f:a": { "f:b": {} }, "f:c": {} }, { "f:a": {}, "f:c": { "f:d": {} } }), {}],
])("%s", (_, set, expected) => expect(set).toEqual(expected))

test("is sorted where it differs from a sorted set, and there alone", () => {
  const before = sortedFieldSet({ "f:a": { "f:c": {}, "f:b": {} }, "f:d": { 'k:{"name":"y"}': {}, 'k:{"name":"x"}': { "f:z": {} } } })
  const changed = union(before, { "f:d": { 'k:{"name":"a"}': {} }, "f:0": { "f:2": {}, "f:1": {} } })
  const sorted = sortedFieldSet(changed, before)
  expect(JSON.stringify(sorted)).toBe(JSON.stringify(sortedFieldSet(changed)))
  expect(sorted["f:a"]).toBe(before["f:a"])
  expect(sortedFieldSet(before, before)).toBe(before)
})

test("shares untouched parts", () => {
  const set = { "f:a": { "f:b": {} }, "f:c": { "f:d": {}, "f:e": {} } }
  expect(union(set, { "f:a": { "f:b": {} } })).toBe(set)
  expect(difference(set, { "f:x": {} })).toBe(set)
  expect(union(set, { "f:x": {} })["f:a"]).toBe(set["f:a"])
  expect(difference(set, { "f:c": { "f:d": {} } })["f:a"]).toBe(set["f:a"])
  expect(sortedFieldSet(set)).toBe(set)
})

describe("laws", () => {
  const element = fc.constantFrom("f:a", "f:b", "v:1", 'k:{"a":1}')
  const paths = fc.array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 8 })
  const texts = (set: FieldSet): string[] =>
    pathsOf(set)
      .map((path) => path.join("/"))
      .sort()
  const model = (list: readonly (readonly string[])[]): Set<string> => new Set(list.map((path) => path.join("/")))
  const sorted = (set: Iterable<string>): string[] => [...set].sort()

  test("hold, compared with sets of texts", () => {
    fc.assert(
      fc.property(paths, paths, (one, two) => {
        const [left, right] = [setOfPaths(one), setOfPaths(two)]
        const before = JSON.stringify([left, right])
        const [mine, other] = [model(one), model(two)]
        const covered = (path: string): boolean => [...other].some((member) => path === member || path.startsWith(`${member}/`))
        expect(texts(left)).toEqual(sorted(mine))
        expect(texts(union(left, right))).toEqual(sorted(new Set([...mine, ...other])))
        expect(texts(difference(left, right))).toEqual(sorted(mine).filter((path) => !other.has(path)))
        expect(texts(intersection(left, right))).toEqual(sorted(mine).filter((path) => other.has(path)))
        expect(texts(recursiveDifference(left, right))).toEqual(sorted(mine).filter((path) => !covered(path)))
        expect(equalSets(left, right)).toBe(sorted(mine).join() === sorted(other).join())
        expect(isEmptySet(left)).toBe(mine.size === 0)
        expect(memberCount(left)).toBe(mine.size)
        expect(pathsOf(left, 2)).toEqual(pathsOf(left).slice(0, 2))
        expect(JSON.stringify([left, right])).toBe(before)
      }),
    )
  })

  test("hold for indexed sets, which give the same results as the plain operations", () => {
    fc.assert(
      fc.property(paths, paths, (one, two) => {
        const [left, right] = [setOfPaths(one), setOfPaths(two)]
        const index = new IndexedSet(right)
        expect(index.takenFrom(left)).toEqual(difference(left, right))
        expect(index.sharedWith(left)).toEqual(intersection(left, right))
        expect(index.isEmpty).toBe(isEmptySet(right))
        if (isEmptySet(intersection(left, right))) expect(index.takenFrom(left)).toBe(left)
      }),
    )
  })

  test("hold for the union of many sets, which equals repeated unions", () => {
    fc.assert(
      fc.property(fc.array(paths, { maxLength: 5 }), (all) => {
        const sets = all.map(setOfPaths)
        const before = JSON.stringify(sets)
        expect(equalSets(unionOfAll(sets), sets.reduce(union, {}))).toBe(true)
        expect(canonicalFieldSet(unionOfAll(sets))).toEqual(unionOfAll(sets))
        expect(JSON.stringify(sets)).toBe(before)
      }),
    )
  })

  test("hold for the form: every result is canonical", () => {
    fc.assert(
      fc.property(paths, paths, (one, two) => {
        const [left, right] = [setOfPaths(one), setOfPaths(two)]
        for (const set of [union(left, right), difference(left, right), intersection(left, right), recursiveDifference(left, right)]) {
          expect(canonicalFieldSet(set)).toEqual(set)
          expect(equalSets(set, setOfPaths(pathsOf(set)))).toBe(true)
        }
      }),
    )
  })
})
