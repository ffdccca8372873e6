import { describe, expect, test } from "vitest"
import { ApiError } from "../base/errors.ts"
import type { JsonObject, JsonValue } from "../base/json.ts"
import { documentDepthMax, documentValuesMax, jsonPatchOperationsMax, messageCharactersMax, turnValues } from "../base/limits.ts"
import { atOnce } from "../base/turns.ts"
import { applyingJsonPatch, type JsonPatch, parseJsonPatch, pointerSteps } from "./json-patch.ts"

const applyJsonPatch = (object: JsonObject, patch: JsonPatch): JsonObject => atOnce(applyingJsonPatch(object, patch))

const object: JsonObject = { metadata: { labels: { a: "1" }, finalizers: ["x", "y"] }, data: { k: "v" } }

function patched(...operations: JsonValue[]): JsonObject {
  const before = JSON.stringify(object)
  try {
    return applyJsonPatch(object, parseJsonPatch(operations))
  } finally {
    expect(JSON.stringify(object)).toBe(before)
  }
}

/** The fault of the patch: the message itself is always the same. */
function fault(error: ApiError): string {
  expect(error.message).toBe("the server rejected our request due to an error in our request")
  return error.details?.causes?.[0]?.message ?? ""
}

function refusal(...operations: JsonValue[]): ApiError {
  try {
    patched(...operations)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error("the patch was accepted")
}

// Responses recorded from the reference server.
describe("applies", () => {
  test.each<[string, JsonValue, JsonValue]>([
    ["replace", { op: "replace", path: "/data/k", value: "w" }, { k: "w" }],
    ["replace of an absent field", { op: "replace", path: "/data/n", value: "w" }, { k: "v", n: "w" }],
    ["add", { op: "add", path: "/data/n", value: 5 }, { k: "v", n: 5 }],
    ["add without a value", { op: "add", path: "/data/n" }, { k: "v", n: null }],
    ["escaped steps", { op: "add", path: "/data/a~1b~0c", value: "q" }, { k: "v", "a/b~c": "q" }],
    ["remove", { op: "remove", path: "/data/k" }, {}],
    ["move", { op: "move", from: "/data/k", path: "/data/n" }, { n: "v" }],
    ["copy", { op: "copy", from: "/data/k", path: "/data/n" }, { k: "v", n: "v" }],
    ["copy of an absent field", { op: "copy", from: "/data/x", path: "/data/n" }, { k: "v", n: null }],
    ["test of an absent field", { op: "test", path: "/data/x", value: null }, { k: "v" }],
    ["test", { op: "test", path: "/data", value: { k: "v" } }, { k: "v" }],
  ])("%s", (_name, operation, data) => {
    expect(patched(operation)["data"]).toEqual(data)
  })

  test.each<[string, JsonValue, JsonValue]>([
    ["append", { op: "add", path: "/metadata/finalizers/-", value: "z" }, ["x", "y", "z"]],
    ["insert", { op: "add", path: "/metadata/finalizers/0", value: "z" }, ["z", "x", "y"]],
    ["insert from the end", { op: "add", path: "/metadata/finalizers/-1", value: "z" }, ["x", "y", "z"]],
    ["remove the last", { op: "remove", path: "/metadata/finalizers/-1" }, ["x"]],
    ["replace with a signed index", { op: "replace", path: "/metadata/finalizers/+1", value: "z" }, ["x", "z"]],
  ])("%s in a list", (_name, operation, finalizers) => {
    expect(patched(operation)["metadata"]).toMatchObject({ finalizers })
  })

  test("all operations in order, sharing what none of them touched", () => {
    const result = patched(
      { op: "add", path: "/data/list", value: [] },
      { op: "add", path: "/data/list/-", value: { a: 1 } },
      { op: "copy", from: "/data/list/0", path: "/data/list/-" },
      { op: "replace", path: "/data/list/0/a", value: 2 },
    )
    expect(result["data"]).toEqual({ k: "v", list: [{ a: 2 }, { a: 1 }] })
    expect(result["metadata"]).toBe(object["metadata"])
  })

  test("replace of the whole document", () => {
    expect(patched({ op: "replace", path: "", value: { a: 1 } }, { op: "add", path: "/b", value: 2 })).toEqual({ a: 1, b: 2 })
  })

  test("operations on a field with a prototype name", () => {
    const result = patched({ op: "add", path: "/__proto__", value: { polluted: true } })
    expect(Object.hasOwn(result, "__proto__")).toBe(true)
    expect(Object.getPrototypeOf({})).not.toHaveProperty("polluted")
    expect(refusal({ op: "add", path: "/constructor/prototype/x", value: 1 }).code).toBe(422)
  })

  test("the same patch again on another attempt", () => {
    const patch = parseJsonPatch([
      { op: "add", path: "/data/list", value: [] },
      { op: "add", path: "/data/list/-", value: 1 },
    ])
    expect(applyJsonPatch(object, patch)).toEqual(applyJsonPatch(object, patch))
  })
})

describe("refuses with 422", () => {
  test.each<[string, JsonValue, string]>([
    ["remove of an absent field", { op: "remove", path: "/data/x" }, 'operation 0 (remove "/data/x"): there is no field "x" to remove'],
    ["an absent container", { op: "add", path: "/x/y", value: 1 }, 'operation 0 (add "/x/y"): the document is missing the path "/x/y"'],
    ["a failed test", { op: "test", path: "/data/k", value: "w" }, 'operation 0 (test "/data/k"): testing the value failed: it differs'],
    ["an index past the end", { op: "add", path: "/metadata/finalizers/5", value: "z" }, "there is no index 5 to insert at in a list of 2"],
    ["no index", { op: "replace", path: "/metadata/finalizers/-", value: "z" }, '"-" is not a list index'],
    ["an unknown op", { op: "zap", path: "/data" }, "unknown op; one of add, remove, replace, move, copy, test"],
    ["a missing path", { op: "add" }, "the operation has no path"],
    ["a missing from", { op: "copy", path: "/data" }, "the operation has no from"],
    ["an empty path", { op: "remove", path: "" }, "the path names no field"],
    ["a move into itself", { op: "move", from: "/data", path: "/data/x" }, 'the document is missing the path "/data/x"'],
    ["a step into text", { op: "test", path: "/data/k/z", value: 1 }, 'the document is missing the path "/data/k/z"'],
    ["a list as the result", { op: "replace", path: "", value: [1] }, "the patch leaves something that is not an object"],
  ])("%s", (_name, operation, message) => {
    const error = refusal(operation)
    expect(error).toMatchObject({ code: 422, reason: "Invalid" })
    expect(fault(error)).toContain(message)
  })

  test("copies that multiply the object", () => {
    const operations = Array.from({ length: 40 }, (_item, index) => ({ op: "copy", from: "/data", path: `/data/again${index}` }))
    expect(fault(refusal({ op: "add", path: "/data/k", value: "x".repeat(1000) }, ...operations))).toContain("add more than 3145728 bytes")
  })
})

test("refuses moves that nest the object without end", () => {
  const operations = Array.from({ length: 1100 }, () => [
    { op: "add", path: "/outer", value: {} },
    { op: "move", from: "/data", path: "/outer/data" },
    { op: "move", from: "/outer", path: "/data" },
  ])
  expect(fault(refusal(...operations.flat()))).toBe("the patch nests the object deeper than 1000 levels")
})

describe("refuses a body", () => {
  test.each<[string, JsonValue, number, string]>([
    ["that is no list", { op: "add" }, 400, "a JSON patch must be a list of operations"],
    ["with an item that is no object", [5], 400, "[0]: an operation must be an object"],
    ["with a path that is no text", [{ op: "add", path: 5 }], 400, "[0].path: must be text"],
    [
      "that is too long",
      new Array<JsonValue>(jsonPatchOperationsMax + 1).fill({ op: "test", path: "/a" }),
      413,
      "maximum operations in a JSON patch is 10000, got 10001",
    ],
  ])("%s", (_name, body, code, message) => {
    expect(() => parseJsonPatch(body)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }))
  })
})

describe("the cost of a patch", () => {
  /** Two operations that nest the existing value a thousand levels deeper. */
  function nesting(times: number): JsonValue[] {
    const inner = "/a".repeat(990)
    let value: JsonValue = {}
    for (let level = 0; level < 989; level++) value = { a: value }
    return Array.from({ length: times }, () => [
      { op: "add", path: "/new", value: { a: value } },
      { op: "move", from: "/data", path: `/new${inner}` },
      { op: "move", from: "/new", path: "/data" },
    ]).flat()
  }

  test("does not copy what is nested too deeply", () => {
    expect(fault(refusal(...nesting(30), { op: "copy", from: "/data", path: "/again" }))).toContain("nested deeper than 1000 levels")
    expect(fault(refusal(...nesting(30), { op: "test", path: "", value: {} }))).toContain("differs")
    expect(fault(refusal(...nesting(30)))).toContain("nests the object deeper")
  })

  test("copies add no more values than a document may have", () => {
    const many = Array.from({ length: documentValuesMax / 2 }, () => 1)
    const add = { op: "add", path: "/data/many", value: many }
    const copy = (name: string): JsonValue => ({ op: "copy", from: "/data/many", path: `/data/${name}` })
    expect(patched(add, copy("once"))).toMatchObject({ data: { once: { length: many.length } } })
    expect(fault(refusal(add, copy("once"), copy("twice")))).toContain(`add more than ${documentValuesMax} values`)
  })

  test("splits a path of slashes no further than it can lead", () => {
    expect(pointerSteps("/".repeat(3_000_000)).length).toBe(documentDepthMax + 1)
    expect(fault(refusal({ op: "remove", path: "/".repeat(3_000_000) })).length).toBeLessThan(messageCharactersMax * 3)
    expect(fault(refusal({ op: "remove", path: `/${"k".repeat(3_000_000)}` })).length).toBeLessThan(messageCharactersMax * 3)
    expect(fault(refusal({ op: "k".repeat(3_000_000), path: "/a" })).length).toBeLessThan(messageCharactersMax * 3)
  })

  /** The number of steps of a patch with this many operations on a list of this many items. */
  function pieces(count: number, items: number, operation: JsonValue): number {
    const work = applyingJsonPatch({ list: Array(items).fill(0) }, parseJsonPatch(Array(count).fill(operation)))
    let taken = 1
    while (work.next().done !== true) taken++
    return taken
  }

  test("yields when operations shift many items", () => {
    const first = { op: "add", path: "/list/0", value: 0 }
    expect(pieces(10, 1000, first)).toBe(1)
    // Each operation shifts 100,000 items.
    const one = pieces(1000, 100_000, first)
    expect(one).toBeGreaterThan(((1000 * 100_000) / 256 / turnValues) * 0.9)
    const two = pieces(2000, 100_000, first)
    expect(two).toBeGreaterThan(one)
    expect(two).toBeLessThan(one * 3)
    expect(pieces(1000, 100_000, { op: "remove", path: "/list/0" })).toBeGreaterThan(15)
    expect(pieces(1000, 100_000, { op: "add", path: "/list/-", value: 0 })).toBe(1)
  })
})

test("refuses null as an operation, and an operation without a name", () => {
  expect(applyJsonPatch({ a: 1 }, parseJsonPatch(null))).toEqual({ a: 1 })
  expect(() => applyJsonPatch({ a: 1 }, parseJsonPatch([null]))).toThrow("the server rejected our request due to an error in our request")
})
