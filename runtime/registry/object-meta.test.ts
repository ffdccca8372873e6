import { describe, expect, test } from "vitest"
import { failureText } from "../base/errors.ts"
import { Failures } from "../base/failure.ts"
import type { ObjectMeta } from "../base/json.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts"

function faults(meta: ObjectMeta, options: { namespaced?: boolean } = {}): string[] {
  const failures = new Failures()
  const { namespaced = true } = options
  validateObjectMeta(
    { ...(namespaced && { namespace: "default" }), name: "a", ...meta },
    { namespaced, nameRule: "dns-subdomain", failures },
  )
  return failures.list.map((failure) => `${failure.field}: ${failureText(failure)}`)
}

function updateFaults(meta: ObjectMeta, old: ObjectMeta, ofKind = true): string[] {
  const failures = new Failures()
  validateObjectMetaUpdate(meta, old, { options: { namespaced: true, nameRule: "dns-subdomain", failures }, isOfKind: ofKind })
  return failures.list.map((failure) => `${failure.field}: ${failureText(failure)}`)
}

test("accepts ordinary metadata", () => {
  expect(
    faults({
      name: "a.b",
      labels: { "example.com/x": "y", z: "" },
      annotations: { "UPPER.example.com/x": "any text" },
      finalizers: ["example.com/x", "orphan"],
      ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "d", uid: "u", controller: true }],
      managedFields: [{ manager: "kubectl", operation: "Apply", fieldsType: "FieldsV1", apiVersion: "v1" }],
    }),
  ).toEqual([])
})

// Recorded from the reference server.
describe("refuses", () => {
  test.each<[string, ObjectMeta, RegExp[]]>([
    ["no name", { name: "" }, [/^metadata.name: Required value: name or generateName is required$/]],
    ["a bad name", { name: "A" }, [/^metadata.name: Invalid value: "A": a lowercase RFC 1123 subdomain must/]],
    ["a long name", { name: "A".repeat(254) }, [/must be no more than 253 characters$/, /a lowercase RFC 1123 subdomain/]],
    ["a bad prefix", { generateName: "B" }, [/^metadata.generateName: Invalid value: "B": a lowercase/]],
    ["no namespace", { namespace: "" }, [/^metadata.namespace: Required value$/]],
    ["a bad namespace", { namespace: "a.b" }, [/^metadata.namespace: Invalid value: "a.b": must not contain dots$/]],
    [
      "bad labels",
      { labels: { "/x": "y", "a b": "c d" } },
      [/^metadata.labels: Invalid value: "\/x": prefix part must be non-empty$/, /"a b": name part must/, /"c d": a valid label must/],
    ],
    ["a bad annotation", { annotations: { "bad key": "" } }, [/^metadata.annotations: Invalid value: "bad key": name part/]],
    [
      "too many annotations",
      { annotations: { a: "x".repeat(262144) } },
      [/^metadata.annotations: Too long: must have at most 262144 bytes$/],
    ],
    [
      "an incomplete owner",
      { ownerReferences: [{ apiVersion: "a/b/c", kind: "", name: "", uid: "" }] },
      [
        /^metadata.ownerReferences.apiVersion: Invalid value: "a\/b\/c": version must not be empty$/,
        /kind must not be empty/,
        /name must not be empty/,
        /uid must not be empty/,
      ],
    ],
    [
      "an Event as owner",
      { ownerReferences: [{ apiVersion: "v1", kind: "Event", name: "e", uid: "u" }] },
      [/^metadata.ownerReferences: Invalid value: .*: \/v1, Kind=Event is disallowed from being an owner$/],
    ],
    [
      "two controllers",
      { ownerReferences: ["x", "y"].map((name) => ({ apiVersion: "v1", kind: "Pod", name, uid: name, controller: true })) },
      [/Only one reference can have Controller set to true. Found "true" in references for Pod\/x and Pod\/y$/],
    ],
    [
      "bad finalizers",
      { finalizers: ["bad!", "orphan", "foregroundDeletion"] },
      [/^metadata.finalizers: Invalid value: "bad!": name part/, /finalizer orphan and foregroundDeletion cannot be both set$/],
    ],
    ["a negative generation", { generation: -1 }, [/^metadata.generation: Invalid value: -1: must be greater than or equal to 0$/]],
    [
      "bad field owners",
      { managedFields: [{ operation: "Zap", fieldsType: "X", manager: `${"x".repeat(128)}\n`, subresource: "s".repeat(257) }] },
      [
        /^metadata.managedFields\[0\].operation: Invalid value: "Zap": must be `Apply` or `Update`$/,
        /fieldsType: Invalid value/,
        /manager: Too long: must have at most 128 bytes$/,
        /invalid character U\+000A \(at position 128\)$/,
        /subresource: Too long/,
      ],
    ],
  ])("%s", (_name, meta, expected) => {
    const found = faults(meta)
    expect(found).toHaveLength(expected.length)
    for (const [index, pattern] of expected.entries()) expect(found[index]).toMatch(pattern)
  })

  test("a namespace on a cluster-scoped kind", () => {
    expect(faults({ namespace: "default" }, { namespaced: false })).toEqual(["metadata.namespace: Forbidden: not allowed on this type"])
  })
})

test("accepts generateName with a dash at its end, and annotations at their limit", () => {
  expect(faults({ generateName: "a-", annotations: { a: "x".repeat(262143) } })).toEqual([])
})

describe("an update", () => {
  const old: ObjectMeta = {
    name: "a",
    namespace: "n",
    uid: "u",
    creationTimestamp: "2024-01-01T00:00:00Z",
    generation: 2,
    finalizers: ["x.io/a"],
  }

  test("may change the fields of the user", () => {
    expect(updateFaults({ ...old, labels: { a: "b" }, finalizers: ["x.io/b"] }, old)).toEqual([])
  })

  test("may not change the fields of the server; every failure is listed twice", () => {
    const found = updateFaults({ ...old, name: "b", uid: "v", deletionTimestamp: "2024-01-01T00:00:00Z", generation: 1 }, old)
    expect(found.slice(0, found.length / 2)).toEqual([
      "metadata.generation: Invalid value: 1: must not be decremented",
      'metadata.name: Invalid value: "b": field is immutable',
      'metadata.uid: Invalid value: "v": field is immutable',
      'metadata.deletionTimestamp: Invalid value: "2024-01-01T00:00:00Z": field is immutable',
    ])
    expect(found).toHaveLength(8)
  })

  test("lists failures of the whole, the change, the change again and the whole again; through a sub-resource only the first two", () => {
    const wrong: ObjectMeta = { ...old, labels: { "a b": "" }, finalizers: ["a b"], uid: "v" }
    const fields = (found: string[]): string[] => found.map((text) => text.slice("metadata.".length, text.indexOf(":")))
    const common = ["labels", "finalizers", "uid", "labels"]
    expect(fields(updateFaults(wrong, old, false))).toEqual(common)
    expect(fields(updateFaults(wrong, old))).toEqual([...common, "uid", "labels", "labels", "finalizers"])
  })

  test("may only remove finalizers once deletion has begun", () => {
    const terminating = { ...old, deletionTimestamp: "2024-01-02T00:00:00Z", deletionGracePeriodSeconds: 0 }
    expect(updateFaults({ ...terminating, finalizers: [] }, terminating)).toEqual([])
    expect(updateFaults({ ...terminating, finalizers: ["x.io/a", "z/z", "y/y"] }, terminating)[0]).toBe(
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"y/y", "z/z"}',
    )
  })
})
