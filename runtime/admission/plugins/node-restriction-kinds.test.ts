/** NodeRestriction for a node's other objects: tokens, claims, CSINodes and slices. */
import { describe, expect, it } from "vitest"
import { nodeRequest, judged } from "../../../test/support/node-requests.ts"
import type { JsonObject } from "../../base/json.ts"

describe("NodeRestriction for tokens", () => {
  const token = (boundObjectRef?: JsonObject): JsonObject => ({ spec: { audiences: ["a"], ...(boundObjectRef && { boundObjectRef }) } })
  const pod = (name: string, more: JsonObject = {}): JsonObject => ({ apiVersion: "v1", kind: "Pod", name, uid: `uid-${name}`, ...more })
  const unbound = "node requested token not bound to a pod"

  it.each<[string, JsonObject | undefined, string]>([
    ["of a pod of the node", pod("mine"), ""],
    ["bound to nothing", undefined, unbound],
    ["bound to a secret", pod("mine", { kind: "Secret" }), unbound],
    ["bound to a node", pod("n", { kind: "Node" }), unbound],
    ["bound to another version", pod("mine", { apiVersion: "v2" }), unbound],
    ["bound to no version", { kind: "Pod", name: "mine", uid: "uid-mine" }, unbound],
    ["bound to a pod without a name", pod(""), unbound],
    ["bound to a pod without a uid", pod("mine", { uid: "" }), "node requested token with a pod binding without a uid"],
    [
      "of an earlier pod",
      pod("mine", { uid: "old" }),
      "the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated",
    ],
    ["of a pod of another node", pod("other"), "node requested token bound to a pod scheduled on a different node"],
    ["of a pod of no node", pod("pending"), "node requested token bound to a pod scheduled on a different node"],
  ])("%s", async (_what, reference, why) => {
    const request = nodeRequest("serviceaccounts", { subresource: "token", name: "s", object: token(reference) })
    expect(await judged(request)).toBe(why === "" ? "" : `serviceaccounts "s" is forbidden: ${why}`)
  })

  it("of a pod that does not exist", async () => {
    const request = nodeRequest("serviceaccounts", { subresource: "token", name: "s", object: token(pod("missing")) })
    expect(await judged(request)).toBe('pod "missing" not found')
  })

  it("other writes of accounts are the matter of authorization", async () => {
    expect(await judged(nodeRequest("serviceaccounts", { name: "s", object: { metadata: { name: "s" } } }))).toBe("")
    expect(await judged(nodeRequest("serviceaccounts", { operation: "UPDATE", name: "s", object: {}, oldObject: {} }))).toBe("")
  })
})

describe("NodeRestriction for claims", () => {
  const claim: JsonObject = {
    metadata: { name: "c", uid: "u", resourceVersion: "1", labels: { a: "b" }, managedFields: [{ manager: "a" }] },
    spec: { resources: { requests: { storage: "1Gi" } } },
    status: { phase: "Bound", capacity: { storage: "1Gi" } },
  }
  const changed = (part: "metadata" | "spec" | "status", more: JsonObject): JsonObject => ({
    ...claim,
    [part]: { ...(claim[part] as JsonObject), ...more }, // As above.
  })
  const why = (fields: string): string =>
    `node "n" is not allowed to update fields other than status.quantity and status.conditions: ${fields}`

  it.each<[string, JsonObject, string]>([
    ["nothing", claim, ""],
    ["the capacity", changed("status", { capacity: { storage: "2Gi" } }), ""],
    ["conditions", changed("status", { conditions: [{ type: "Resizing", status: "True" }] }), ""],
    ["the version", changed("metadata", { resourceVersion: "" }), ""],
    ["managers", changed("metadata", { managedFields: [] }), ""],
    ["the phase", changed("status", { phase: "Lost" }), why("status.phase")],
    ["what was allocated", changed("status", { allocatedResources: { storage: "2Gi" } }), why("status.allocatedResources")],
    [
      "how far growing is",
      changed("status", { allocatedResourceStatuses: { storage: "ControllerResizeInProgress" } }),
      why("status.allocatedResourceStatuses"),
    ],
    ["access modes", changed("status", { accessModes: ["ReadWriteOnce"] }), why("status.accessModes")],
    ["labels", changed("metadata", { labels: { a: "c" } }), why("metadata.labels")],
    ["finalizers", changed("metadata", { finalizers: ["a.b/c"] }), why("metadata.finalizers")],
    ["the uid", changed("metadata", { uid: "v" }), why("metadata.uid")],
    ["the spec", changed("spec", { resources: { requests: { storage: "2Gi" } } }), why("spec.resources")],
    ["several", { ...claim, spec: { volumeName: "v" } }, why("spec.resources, spec.volumeName")],
  ])("checks a status update: %s", async (_what, object, refusal) => {
    const request = nodeRequest("persistentvolumeclaims", {
      operation: "UPDATE",
      subresource: "status",
      name: "c",
      object,
      oldObject: claim,
    })
    expect(await judged(request)).toBe(refusal === "" ? "" : `persistentvolumeclaims "c" is forbidden: ${refusal}`)
  })

  it("refuses all other writes", async () => {
    for (const operation of ["CREATE", "UPDATE", "DELETE"] as const)
      expect(await judged(nodeRequest("persistentvolumeclaims", { operation, name: "c", object: claim, oldObject: claim }))).toBe(
        'persistentvolumeclaims "c" is forbidden: may only update PVC status',
      )
  })
})

it.each([
  ["n", ""],
  ["m", 'csinodes.storage.orch.io "m" is forbidden: can only access CSINode with the same name as the requesting node'],
])("NodeRestriction checks writes of a CSINode: %s", async (name, message) => {
  for (const operation of ["CREATE", "UPDATE", "DELETE"] as const)
    expect(await judged(nodeRequest("csinodes", { operation, name, object: { metadata: { name } } }))).toBe(message)
  expect(await judged(nodeRequest("csinodes", { object: { metadata: { name } } }))).toBe(message)
})

describe("NodeRestriction for slices", () => {
  it.each([
    ["n", ""],
    ["m", 'resourceslices.resource.orch.io "s" is forbidden: can only create ResourceSlice with the same NodeName as the requesting node'],
  ])("a new slice of %s", async (nodeName, message) => {
    expect(await judged(nodeRequest("resourceslices", { name: "s", object: { metadata: { name: "s" }, nodeName } }))).toBe(message)
  })

  it("others are the matter of the mode Node", async () => {
    for (const operation of ["UPDATE", "DELETE"] as const)
      expect(await judged(nodeRequest("resourceslices", { operation, name: "s", object: { nodeName: "m" } }))).toBe("")
  })
})
