import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ApiError } from "../base/errors.ts"
import type { JsonObject, JsonValue } from "../base/json.ts"
import type { TypeRef, TypeShape } from "../schema/shape.ts"
import { applyStrategicMergePatch } from "./strategic-merge-patch.ts"

// A small pod: every way in which a schema can say how a field merges.
const text: TypeRef = { scalar: "string" }
const env: TypeShape = {
  name: "test.Env",
  fields: [
    { name: "name", type: text },
    { name: "value", type: text },
  ],
}
const port: TypeShape = {
  name: "test.Port",
  fields: [
    { name: "port", type: { scalar: "int32" } },
    { name: "protocol", type: text },
  ],
}
const container: TypeShape = {
  name: "test.Container",
  fields: [
    { name: "name", type: text },
    { name: "image", type: text },
    { name: "args", type: { list: text } },
    { name: "env", type: { list: { ref: () => env } }, patch: ["merge"], mergeKey: "name" },
    { name: "ports", type: { list: { ref: () => port } }, patch: ["merge"], mergeKey: "port" },
  ],
}
const volumeSource: TypeShape = {
  name: "test.VolumeSource",
  fields: [
    { name: "emptyDir", type: { map: text } },
    { name: "items", type: { list: { ref: () => env } }, patch: ["merge"], mergeKey: "name" },
  ],
}
const volume: TypeShape = {
  name: "test.Volume",
  fields: [
    { name: "name", type: text },
    { name: "volumeSource", type: { ref: () => volumeSource }, inline: true },
  ],
}
const shape: TypeShape = {
  name: "test.Pod",
  fields: [
    { name: "labels", type: { map: text } },
    { name: "finalizers", type: { list: text }, patch: ["merge"] },
    { name: "containers", type: { list: { ref: () => container } }, patch: ["merge"], mergeKey: "name" },
    { name: "volumes", type: { list: { ref: () => volume } }, patch: ["merge", "retainKeys"], mergeKey: "name" },
    { name: "keyless", type: { list: { ref: () => env } }, patch: ["merge"] },
    { name: "whole", type: { ref: () => env }, patch: ["replace"] },
    { name: "template", type: { ref: () => container } },
    { name: "byName", type: { map: { ref: () => container } } },
  ],
}

function patched(object: JsonObject, patch: JsonValue): JsonObject {
  const before = JSON.stringify([object, patch])
  try {
    return applyStrategicMergePatch(shape, object, patch)
  } finally {
    expect(JSON.stringify([object, patch])).toBe(before)
  }
}

// Responses recorded from the reference server, or from its merge of the same shape.
test.each<[string, JsonObject, JsonObject, JsonObject]>([
  ["scalars and maps", { labels: { a: "1", b: "2" } }, { labels: { a: null, c: "3" } }, { labels: { b: "2", c: "3" } }],
  ["a null removes", { labels: { a: "1" }, finalizers: ["x"] }, { finalizers: null }, { labels: { a: "1" } }],
  ["$patch: replace of an object", { labels: { a: "1" } }, { labels: { $patch: "replace", b: "2" } }, { labels: { b: "2" } }],
  ["$patch: delete of an object", { labels: { a: "1" } }, { labels: { $patch: "delete" } }, { labels: {} }],
  ["a directive with nothing to act on", {}, { labels: { $patch: "replace", b: "2" } }, {}],
  ["nulls in what is new", {}, { template: { name: "a", image: null } }, { template: { name: "a" } }],
  ["a field whose strategy is replace", { whole: { name: "a", value: "b" } }, { whole: { name: "c" } }, { whole: { name: "c" } }],
  ["a list without a strategy", { template: { args: ["a", "b"] } }, { template: { args: ["c"] } }, { template: { args: ["c"] } }],
  ["a set: new values come first", { finalizers: ["a", "b"] }, { finalizers: ["c"] }, { finalizers: ["c", "a", "b"] }],
  ["a set: known values keep their place", { finalizers: ["a", "b"] }, { finalizers: ["b"] }, { finalizers: ["a", "b"] }],
  ["a set: values deleted", { finalizers: ["a", "b"] }, { "$deleteFromPrimitiveList/finalizers": ["a"] }, { finalizers: ["b"] }],
  [
    "a set in a given order",
    { finalizers: ["a", "b"] },
    { "$setElementOrder/finalizers": ["b", "c", "a"], finalizers: ["c"] },
    { finalizers: ["b", "c", "a"] },
  ],
  [
    "items by key",
    {
      containers: [
        { name: "a", image: "1" },
        { name: "b", image: "1" },
      ],
    },
    { containers: [{ name: "b", image: "2" }, { name: "c" }] },
    { containers: [{ name: "a", image: "1" }, { name: "b", image: "2" }, { name: "c" }] },
  ],
  [
    "items of items",
    {
      containers: [
        {
          name: "a",
          env: [
            { name: "X", value: "1" },
            { name: "Y", value: "2" },
          ],
        },
      ],
    },
    {
      containers: [
        {
          name: "a",
          env: [
            { name: "Y", value: null },
            { name: "X", $patch: "delete" },
          ],
        },
      ],
    },
    { containers: [{ name: "a", env: [{ name: "Y" }] }] },
  ],
  [
    "an item deleted",
    { containers: [{ name: "a" }, { name: "b" }] },
    { containers: [{ name: "a", $patch: "delete" }] },
    { containers: [{ name: "b" }] },
  ],
  [
    "a list replaced",
    { containers: [{ name: "a" }] },
    { containers: [{ name: "b" }, { $patch: "replace" }] },
    { containers: [{ name: "b" }] },
  ],
  [
    "items in a given order",
    { containers: [{ name: "a" }, { name: "b" }, { name: "server" }] },
    { "$setElementOrder/containers": [{ name: "b" }, { name: "c" }, { name: "a" }], containers: [{ name: "c", image: "1" }] },
    { containers: [{ name: "b" }, { name: "c", image: "1" }, { name: "a" }, { name: "server" }] },
  ],
  [
    "only the order",
    { containers: [{ name: "a" }, { name: "b" }] },
    { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] },
    { containers: [{ name: "b" }, { name: "a" }] },
  ],
  [
    "two items of one key: the first is meant",
    {
      template: {
        ports: [
          { port: 53, protocol: "TCP" },
          { port: 53, protocol: "UDP" },
        ],
      },
    },
    { template: { ports: [{ port: 53, protocol: "SCTP" }] } },
    {
      template: {
        ports: [
          { port: 53, protocol: "SCTP" },
          { port: 53, protocol: "UDP" },
        ],
      },
    },
  ],
  [
    "$retainKeys",
    { volumes: [{ name: "v", emptyDir: {} }] },
    { volumes: [{ name: "v", $retainKeys: ["name", "items"], items: [] }] },
    { volumes: [{ name: "v", items: [] }] },
  ],
  [
    "fields of an inline type",
    { volumes: [{ name: "v", items: [{ name: "a" }] }] },
    { volumes: [{ name: "v", items: [{ name: "b" }] }] },
    { volumes: [{ name: "v", items: [{ name: "b" }, { name: "a" }] }] },
  ],
  [
    "objects in a map",
    { byName: { x: { name: "x", env: [{ name: "A" }] } } },
    { byName: { x: { env: [{ name: "B" }] } } },
    { byName: { x: { name: "x", env: [{ name: "B" }, { name: "A" }] } } },
  ],
  ["a deletion from a list without a name", { finalizers: ["a"] }, { "$deleteFromPrimitiveList/": ["a"] }, { finalizers: ["a"] }],
  [
    "a new list with its order: nulls stay, items with any directive go",
    {},
    {
      "$setElementOrder/containers": [{ name: "b" }, { name: "a" }],
      containers: [
        { name: "b", image: null },
        { name: "a", $patch: null },
      ],
    },
    { containers: [{ name: "b", image: null }] },
  ],
  [
    "an order that names nothing: new items first, the last one first of all",
    { containers: [{ name: "a" }, { name: "b" }] },
    { "$setElementOrder/containers": [], containers: [{ name: "b" }, { name: "c" }, { name: "d" }] },
    { containers: [{ name: "d" }, { name: "c" }, { name: "a" }, { name: "b" }] },
  ],
  [
    "an item deleted and added again",
    { containers: [{ name: "a", image: "1" }, { name: "b" }] },
    {
      containers: [
        { name: "a", $patch: "delete" },
        { name: "a", args: ["x"] },
      ],
    },
    { containers: [{ name: "a", args: ["x"] }, { name: "b" }] },
  ],
  [
    "an item given twice: the second is merged into the first",
    { containers: [{ name: "z" }] },
    {
      containers: [
        { name: "a", image: "1", args: ["x"] },
        { name: "a", image: "2" },
      ],
    },
    { containers: [{ name: "a", image: "2", args: ["x"] }, { name: "z" }] },
  ],
  [
    "80 and text of 80 are two keys",
    { template: { ports: [{ port: 80 }] } },
    { template: { ports: [{ port: "80" }] } },
    { template: { ports: [{ port: "80" }, { port: 80 }] } },
  ],
  ["another type of value", { labels: { a: "1" } }, { labels: "x" }, { labels: "x" }],
])("%s", (_name, object, patch, result) => {
  expect(patched(object, patch)).toEqual(result)
})

describe("refuses", () => {
  test.each<[string, JsonValue, number, string]>([
    ["a body that is no object", [1], 400, "a strategic merge patch must be a JSON object"],
    ["an unknown $patch", { labels: { $patch: "zap" } }, 422, 'unknown patch type: "zap"'],
    ["an unknown $patch of an item", { containers: [{ name: "a", $patch: "zap" }] }, 422, 'unknown patch type: "zap"'],
    [
      "$patch: merge of an item",
      { containers: [{ name: "a", $patch: "merge" }] },
      422,
      "merging lists cannot yet be specified in the patch",
    ],
    ["an item without its key", { containers: [{ image: "x" }] }, 422, "does not contain declared merge key: name"],
    ["a mixed list", { finalizers: [{ a: "b" }] }, 422, "list element types are not identical"],
    ["a list in a list", { finalizers: [["a"]] }, 422, "lists of lists are not supported"],
    ["a null in a set", { finalizers: [null] }, 422, "list element types are not identical"],
    ["a keyless list of objects", { keyless: [{ name: "b" }] }, 422, "cannot merge lists without merge key for test.Pod.keyless"],
    ["$deleteFromPrimitiveList without a field", { $deleteFromPrimitiveList: ["a"] }, 400, "invalid patch format of primitive list"],
    ["$setElementOrder without a field", { $setElementOrder: ["a"] }, 400, "invalid patch format of setElementOrder list"],
    [
      "$setElementOrder of an unknown field",
      { "$setElementOrder/nope": ["a"] },
      422,
      'unable to find api field in struct test.Pod for the json field "nope"',
    ],
    ["$setElementOrder that is no list", { "$setElementOrder/finalizers": 5 }, 422, "expected a list"],
    ["an order without the patch's items", { "$setElementOrder/finalizers": ["a"], finalizers: ["c"] }, 422, "The order in patch list"],
    ["an order of nothing", { containers: [{ name: "a", "$setElementOrder/env": [{ name: "X" }], env: [] }] }, 422, "which is empty"],
    ["an order of a list to remove", { "$setElementOrder/containers": [{ name: "a" }], containers: null }, 422, "expected a list"],
    [
      "an order that leaves out an item with an unknown directive",
      { "$setElementOrder/containers": [{ name: "a" }], containers: [{ name: "a" }, { name: "b", $patch: "zap" }] },
      422,
      "The order in patch list",
    ],
    ["$retainKeys with an object", { labels: { $retainKeys: [{}] } }, 400, "invalid patch format of retainKeys"],
    ["$retainKeys that is no list", { labels: { $retainKeys: 5 } }, 400, "invalid patch format of retainKeys"],
    ["$retainKeys without the patch's fields", { labels: { $retainKeys: ["x"], y: "1" } }, 400, "invalid patch format of retainKeys"],
    ["objects in $deleteFromPrimitiveList", { "$deleteFromPrimitiveList/containers": [{ name: "a" }] }, 422, "deletes scalars"],
  ])("%s", (_name, patch, code, message) => {
    const object = { labels: { a: "1" }, finalizers: ["a"], containers: [{ name: "a" }], keyless: [{ name: "a" }] }
    expect(() => patched(object, patch)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }))
    expect(() => patched(object, patch)).toThrow(ApiError)
  })
})

test("accepts __proto__ as a name", () => {
  const result = patched({ labels: { a: "1" } }, JSON.parse('{"labels": {"__proto__": "x"}, "__proto__": {"polluted": "yes"}}'))
  expect(Object.getPrototypeOf({})).not.toHaveProperty("polluted")
  expect(Object.hasOwn(result, "__proto__")).toBe(true)
})

describe("a list merged by key", () => {
  const items = fc.uniqueArray(fc.record({ name: fc.constantFrom("a", "b", "c", "d", "e"), image: fc.constantFrom("1", "2") }), {
    selector: (item) => item.name,
  })

  test("holds what a map merged by name would hold, patched items in the order of the patch", () => {
    fc.assert(
      fc.property(items, items, (stored, patch) => {
        const result = patched({ containers: stored }, { containers: patch })["containers"]
        const model = new Map([...stored, ...patch].map((item) => [item.name, item]))
        expect(result).toHaveLength(model.size)
        expect(result).toEqual(expect.arrayContaining([...model.values()]))
        const names = Array.isArray(result) ? result.map((item) => JSON.parse(JSON.stringify(item)).name) : []
        const patchNames = patch.map((item) => item.name)
        expect(names.filter((name) => patchNames.includes(name))).toEqual(patchNames)
        const untouched = stored.map((item) => item.name).filter((name) => !patchNames.includes(name))
        expect(names.filter((name) => !patchNames.includes(name))).toEqual(untouched)
      }),
    )
  })

  test("has the order that the patch gives", () => {
    fc.assert(
      fc.property(items, fc.shuffledSubarray(["a", "b", "c", "d", "e"], { minLength: 5 }), (stored, order) => {
        const patch = { "$setElementOrder/containers": order.map((name) => ({ name })) }
        const expected = order.flatMap((name) => stored.filter((item) => item.name === name))
        fc.pre(stored.length > 0)
        expect(patched({ containers: stored }, patch)["containers"]).toEqual(expected)
      }),
    )
  })
})

/** Items that count how often their key is read. */
function counted(names: readonly string[], count: () => void): JsonObject[] {
  return names.map((name) => {
    const item: JsonObject = { image: "i" }
    const get = (): string => {
      count()
      return name
    }
    return Object.defineProperty(item, "name", { enumerable: true, get })
  })
}

describe("takes linear time for keyed lists", () => {
  const names = (count: number): string[] => Array.from({ length: count }, (_none, index) => `n${index}`)
  const reversed = (count: number): JsonObject[] =>
    names(count)
      .toReversed()
      .map((name) => ({ name, extra: 1 }))
  test.each<[string, (count: number) => JsonObject]>([
    ["merged", (count) => ({ containers: reversed(count) })],
    ["of which all are deleted", (count) => ({ containers: names(count).map((name) => ({ $patch: "delete", name })) })],
    ["that are new", (count) => ({ containers: names(count).map((name) => ({ name: `new-${name}` })) })],
    [
      "in another order",
      (count) => ({
        "$setElementOrder/containers": names(count)
          .toReversed()
          .map((name) => ({ name })),
        containers: reversed(count),
      }),
    ],
  ])("%s", (_name, patchOf) => {
    const reads = [1000, 2000].map((count) => {
      let read = 0
      const containers = counted(names(count), () => read++)
      applyStrategicMergePatch(shape, { containers }, patchOf(count))
      return read
    })
    expect(reads[0]).toBeGreaterThan(0)
    expect(reads[1]).toBeLessThan((reads[0] ?? 0) * 3)
  })
})
