import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { JsonObject } from "../../base/json.ts"
import { compareObjects } from "./compare.ts"
import { difference, isEmptySet, recursiveDifference } from "./field-set.ts"
import type { FieldSet } from "./field-set.ts"
import { mergeApplied } from "./merge-applied.ts"
import { keepFields, removeFields, withNamedFieldsAsMembers } from "./remove.ts"
import { anyObject } from "../../../test/support/typed-arbitrary.ts"
import { exampleShape } from "../../../test/support/typed-fixtures.ts"
import { fieldSetOf } from "./typed-set.ts"

const one = 'k:{"port":1,"protocol":"TCP"}'
const two = 'k:{"port":2,"protocol":"TCP"}'
const ports = { ports: [{ port: 1, names: ["b", "c"] }, { port: 2 }] }

describe("without the members of a set:", () => {
  test.each<[string, JsonObject, FieldSet, JsonObject]>([
    ["nothing is removed", { text: "a" }, {}, { text: "a" }],
    ["a value", { text: "a", flag: true }, { "f:text": {} }, { flag: true }],
    ["the last value", { text: "a" }, { "f:text": {} }, {}],
    ["a struct with all it holds", { text: "a", child: { text: "b" } }, { "f:child": {} }, { text: "a" }],
    ["a member with all it holds", { child: { text: "b", labels: { a: "1" } } }, { "f:child": { ".": {}, "f:text": {} } }, {}],
    ["an item of a set", { names: ["a", "b", "c"] }, { "f:names": { 'v:"a"': {} } }, { names: ["b", "c"] }],
    ["an item that is there twice", { names: ["a", "b", "a"] }, { "f:names": { 'v:"a"': {} } }, { names: ["b"] }],
    ["an item that is not there", { names: ["a"] }, { "f:names": { 'v:"b"': {} } }, { names: ["a"] }],
    ["numbers by value", { numbers: [1, 2, 4.5] }, { "f:numbers": { "v:1": {}, "v:4.5": {} } }, { numbers: [2] }],
    ["the last item", { names: ["a"] }, { "f:names": { 'v:"a"': {} } }, { names: null }],
    ["a whole set", { names: ["a"] }, { "f:names": {} }, {}],
    ["the last entry of a map", { labels: { a: "1" } }, { "f:labels": { "f:a": {} } }, { labels: null }],
    ["an atomic list", { items: ["a"], text: "a" }, { "f:items": {} }, { text: "a" }],
    ["an atomic map", { frozen: { a: "1" }, text: "a" }, { "f:frozen": {} }, { text: "a" }],
    ["a keyed item", ports, { "f:ports": { [two]: {} } }, { ports: [{ port: 1, names: ["b", "c"] }] }],
    ["a keyed item with all it holds", ports, { "f:ports": { [one]: { ".": {}, "f:port": {} } } }, { ports: [{ port: 2 }] }],
    [
      "what a keyed item holds",
      ports,
      { "f:ports": { [one]: { "f:names": { 'v:"b"': {} } } } },
      { ports: [{ port: 1, names: ["c"] }, { port: 2 }] },
    ],
    ["a keyed item that is not there", ports, { "f:ports": { 'k:{"port":3,"protocol":"TCP"}': {} } }, ports],
    ["a path that does not fit", ports, { 'v:"b"': {}, "f:text": { "f:a": {} } }, ports],
    ["parts of an untyped object", { free: { a: { b: 1 }, c: 2 } }, { "f:free": { "f:a": { "f:b": {} } } }, { free: { a: null, c: 2 } }],
    ["fields by their names alone", { labels: { toString: "a" } }, { "f:labels": { "f:valueOf": {} } }, { labels: { toString: "a" } }],
  ])("%s", (_, object, set, rest) => expect(removeFields(exampleShape, object, set)).toEqual(rest))

  test("shares what remains", () => {
    expect(removeFields(exampleShape, ports, { "f:ports": { "k:{}": {} }, "f:text": {} })).toBe(ports)
    const object = { ...ports, labels: { a: "1" } }
    expect(removeFields(exampleShape, object, { "f:labels": {} })["ports"]).toBe(ports.ports)
  })
})

describe("only the members of a set:", () => {
  test.each<[string, JsonObject, FieldSet, JsonObject]>([
    ["nothing", { text: "a" }, {}, {}],
    ["a value", { text: "a", flag: true }, { "f:text": {} }, { text: "a" }],
    ["items of a set", { names: ["a", "b", "c"] }, { "f:names": { 'v:"c"': {}, 'v:"a"': {} } }, { names: ["a", "c"] }],
    ["no item of a set", { names: ["a"] }, { "f:names": { 'v:"b"': {} } }, { names: null }],
    [
      "atomic values whole",
      { items: ["a", "a"], frozen: { a: "1" } },
      { "f:items": {}, "f:frozen": {} },
      { items: ["a", "a"], frozen: { a: "1" } },
    ],
    [
      "parts of keyed items",
      ports,
      { "f:ports": { [one]: { ".": {}, "f:port": {}, "f:names": { 'v:"b"': {} } } } },
      { ports: [{ port: 1, names: ["b"] }] },
    ],
    ["no keyed item", ports, { "f:ports": { 'k:{"port":3,"protocol":"TCP"}': { "f:port": {} } } }, { ports: null }],
    ["a container by its name only", { children: { a: { text: "a" } } }, { "f:children": { "f:a": {} } }, { children: { a: null } }],
    ["entries that are null", { labels: { a: null, b: "1" } }, { "f:labels": { "f:a": {} } }, { labels: { a: null } }],
    ["a path that does not fit", ports, { 'v:"b"': {} }, {}],
    ["parts of an untyped object", { free: { a: { b: 1, c: 2 } } }, { "f:free": { "f:a": { "f:b": {} } } }, { free: { a: { b: 1 } } }],
  ])("%s", (_, object, set, kept) => expect(keepFields(exampleShape, object, set)).toEqual(kept))
})

describe("with the named fields as members:", () => {
  test.each<[string, FieldSet, FieldSet]>([
    [
      "structs on the way",
      { "f:child": { "f:child": { "f:text": {} } } },
      { "f:child": { ".": {}, "f:child": { ".": {}, "f:text": {} } } },
    ],
    ["maps, but no entries", { "f:children": { "f:a": { "f:text": {} } } }, { "f:children": { ".": {}, "f:a": { "f:text": {} } } }],
    [
      "lists, but no items",
      { "f:ports": { [one]: { "f:names": { 'v:"a"': {} } } } },
      { "f:ports": { ".": {}, [one]: { "f:names": { ".": {}, 'v:"a"': {} } } } },
    ],
    ["nothing within untyped objects", { "f:free": { "f:a": { "f:b": {} } } }, { "f:free": { ".": {}, "f:a": { "f:b": {} } } }],
    ["nothing unknown", { "f:unknown": { "f:a": {} } }, { "f:unknown": { "f:a": {} } }],
    ["nothing that is no field", { "i:0": { "f:child": { "f:text": {} } } }, { "i:0": { "f:child": { "f:text": {} } } }],
  ])("%s", (_, set, expected) => expect(withNamedFieldsAsMembers(exampleShape, set)).toEqual(expected))

  test("returns the same set when all are members already", () => {
    const set = { "f:child": { ".": {}, "f:text": {} }, "f:text": {} }
    expect(withNamedFieldsAsMembers(exampleShape, set)).toBe(set)
  })
})

test("removing all fields that an object sets leaves none of them", () => {
  fc.assert(
    fc.property(anyObject, anyObject, (object, other) => {
      const before = JSON.stringify([object, other])
      const set = withNamedFieldsAsMembers(exampleShape, fieldSetOf(exampleShape, other))
      const rest = removeFields(exampleShape, object, set)
      const { added, modified } = compareObjects(exampleShape, object, rest)
      // Emptied containers are null now; nothing else is new or different.
      expect(isEmptySet(recursiveDifference(added, set))).toBe(true)
      expect(isEmptySet(recursiveDifference(modified, set))).toBe(true)
      expect(removeFields(exampleShape, rest, set)).toEqual(rest)
      expect(JSON.stringify([object, other])).toBe(before)
    }),
  )
})

test("restores from the object what was applied", () => {
  fc.assert(
    fc.property(anyObject, anyObject, (live, config) => {
      const set = fieldSetOf(exampleShape, config)
      const kept = keepFields(exampleShape, mergeApplied(exampleShape, live, config), set)
      expect(isEmptySet(difference(fieldSetOf(exampleShape, kept), union(set)))).toBe(true)
    }),
  )
})

/** Includes the path to each member: an emptied container is a member when it is null. */
function union(set: FieldSet): FieldSet {
  return withNamedFieldsAsMembers(exampleShape, set)
}
