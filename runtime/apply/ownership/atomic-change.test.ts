import { describe, expect, test } from "vitest"
import { reconciledSet } from "./atomic-change.ts"
import type { FieldSet } from "./field-set.ts"
import { changedShape, exampleShape } from "../../../test/support/typed-fixtures.ts"

const item = 'k:{"port":1,"protocol":"TCP"}'

describe("after a change of the schema a set has", () => {
  test.each<[string, FieldSet, FieldSet]>([
    ["an atomic map whole", { "f:labels": { "f:a": {}, "f:b": {} } }, { "f:labels": {} }],
    ["an atomic struct whole", { "f:child": { ".": {}, "f:text": {} } }, { "f:child": {} }],
    ["an atomic list whole", { "f:names": { 'v:"a"': {} } }, { "f:names": {} }],
    [
      "an atomic list of a keyed item",
      { "f:ports": { [item]: { ".": {}, "f:names": { 'v:"a"': {} } } } },
      { "f:ports": { [item]: { ".": {}, "f:names": {} } } },
    ],
    [
      "an atomic map of an entry",
      { "f:children": { "f:a": { "f:labels": { "f:x": {} } } } },
      { "f:children": { "f:a": { "f:labels": {} } } },
    ],
    ["a raw object whole", { "f:raw": { "f:a": {} } }, { "f:raw": {} }],
  ])("%s", (_, set, expected) => expect(reconciledSet(changedShape, set)).toEqual(expected))

  test.each<[string, FieldSet]>([
    ["what was atomic before", { "f:frozen": {}, "f:items": {}, "f:whole": {} }],
    ["granular parts", { "f:frozen": { "f:a": {} }, "f:items": { 'v:"a"': {} }, "f:whole": { "f:text": {} } }],
    ["plain values", { "f:text": {}, "f:count": {} }],
    ["parts of untyped objects", { "f:free": { "f:a": { "f:b": {} } }, "f:open": { "f:other": { "f:a": {} } } }],
    ["what the type does not have", { "f:unknown": { "f:a": {} }, "i:0": { "f:a": {} } }],
    ["an atomic map that it owned whole", { "f:labels": {} }],
  ])("as before %s", (_, set) => expect(reconciledSet(changedShape, set)).toBe(set))
})

test("without a change the set stays the same", () => {
  const set = { "f:labels": { "f:a": {} }, "f:names": { ".": {}, 'v:"a"': {} }, "f:ports": { [item]: { ".": {}, "f:port": {} } } }
  expect(reconciledSet(exampleShape, set)).toBe(set)
})
