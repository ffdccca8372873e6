import { expect, it } from "vitest"
import { nodeRequest } from "../../../test/support/node-requests.ts"
import type { ApiObject } from "../../base/json.ts"
import { vendorProfile } from "../../base/vendor.ts"
import type { RequestAttributes } from "../plugin.ts"
import { storageProtection } from "./storage-protection.ts"

const reader = { has: () => false, peek: () => undefined, get: () => Promise.resolve(undefined) }
const pluginOf = (vendor: "orch" | "kubernetes") => storageProtection({ vendor: vendorProfile(vendor), reader })

/** The object to continue with; undefined if the plugin leaves it. */
function admitted(vendor: "orch" | "kubernetes", resource: string, object: ApiObject, more: Partial<RequestAttributes> = {}): unknown {
  const asked = { group: "", version: "v1", resource }
  return pluginOf(vendor).mutate?.(nodeRequest("configmaps", { resource: asked, object, ...more }))
}

const claim = "orch.io/pvc-protection"
const volume = "orch.io/pv-protection"

it.each([
  ["orch", "persistentvolumeclaims", undefined, [claim]],
  ["orch", "persistentvolumes", undefined, [volume]],
  ["kubernetes", "persistentvolumeclaims", [], ["kubernetes.io/pvc-protection"]],
  ["kubernetes", "persistentvolumes", ["a.b/c"], ["a.b/c", "kubernetes.io/pv-protection"]],
  ["orch", "persistentvolumes", [claim], [claim, volume]],
] as const)("%s: a new object of %s with the finalizers %j gets %j", (vendor, resource, before, after) => {
  const metadata = { name: "a", ...(before !== undefined && { finalizers: [...before] }) }
  const object = { metadata, spec: {} }
  expect(admitted(vendor, resource, object)).toEqual({ metadata: { name: "a", finalizers: after }, spec: {} })
  expect(object.metadata).toEqual({ name: "a", ...(before !== undefined && { finalizers: before }) })
})

it.each([
  ["has it already", "persistentvolumeclaims", { finalizers: ["a.b/c", claim] }, {}],
  ["is of another kind", "pods", {}, {}],
  ["is of another group", "persistentvolumes", {}, { resource: { group: "example.com", version: "v1", resource: "persistentvolumes" } }],
  ["is of a sub-resource", "persistentvolumeclaims", {}, { subresource: "status" }],
])("leaves what %s", (_what, resource, metadata, more) => {
  expect(admitted("orch", resource, { metadata }, more)).toBeUndefined()
})

it("is asked about creations alone", () => {
  expect(pluginOf("orch").operations).toEqual(["CREATE"])
})
