import { describe, expect, it } from "vitest"
import { vendorProfile } from "../../base/vendor.ts"
import { nodeRules } from "../../controllers/rbac/follow-authorization.ts"
import type { Decision } from "../../base/decision.ts"
import type { User } from "../../base/user.ts"
import { NodeGraph } from "./graph.ts"
import { nodeAuthorizer } from "./node.ts"
import { volumeReferences } from "./references.ts"

const vendor = vendorProfile("kubernetes")
const graph = new NodeGraph()
const named = ["secrets", "configmaps", "persistentvolumeclaims", "serviceaccounts", "resourceclaims"].map(
  (resource) => `${resource}/a/mine`,
)
graph.putPod("a/p", { node: "n1", incarnation: 1, references: new Set(named) })
graph.putPod("b/p", { node: "n2", incarnation: 2, references: new Set(["secrets/b/others"]) })
const claimRef = { namespace: "a", name: "mine" }
graph.putVolume("pv", volumeReferences({ metadata: { name: "pv" }, spec: { claimRef, csi: csiOf("stage") } } as never))
graph.putOwned("volumeattachments", "va", "n1")
graph.putOwned("resourceslices", "slice", "n1")

function csiOf(secret: string): object {
  return { driver: "d", volumeHandle: "h", nodeStageSecretRef: { namespace: "system", name: secret } }
}

const authorizer = nodeAuthorizer({ graph, rules: nodeRules(vendor), leaseNamespace: "kube-node-lease" })
const node: User = { name: "system:node:n1", groups: ["system:nodes", "system:authenticated"], extra: {} }

/** `get secrets a/mine`, `create serviceaccounts/token a/mine`, `list leases.coordination.orch.io x/`. */
function ask(question: string, user = node): Decision {
  const [verb = "", what = "", where = ""] = question.split(" ")
  const [qualified = "", subresource = ""] = what.split("/")
  const dot = qualified.indexOf(".")
  const [resource, group] = dot < 0 ? [qualified, ""] : [qualified.slice(0, dot), qualified.slice(dot + 1)]
  const [namespace = "", name = ""] = where.includes("/") ? where.split("/") : ["", where]
  const none = { isResource: true, method: "", path: "", version: "v1", tail: [], watchPath: false }
  return authorizer({ user, info: { ...none, verb, group, resource, subresource, namespace, name } }) as Decision // It never waits.
}

const denied = (reason: string): Decision => ({ opinion: "no-opinion", reason })
const allowed: Decision = { opinion: "allow", reason: "" }
const unrelated = denied("no relationship found between node 'n1' and this object")

describe("an object of a pod of the node", () => {
  it.each([
    "get secrets a/mine",
    "list secrets a/mine",
    "watch configmaps a/mine",
    "get secrets system/stage",
    "get persistentvolumeclaims a/mine",
    "update persistentvolumeclaims/status a/mine",
    "patch persistentvolumeclaims/status a/mine",
    "get persistentvolumes pv",
    "get resourceclaims.resource.orch.io a/mine",
    "create serviceaccounts/token a/mine",
    "get volumeattachments.storage.orch.io va",
    "get resourceslices.resource.orch.io slice",
    "delete resourceslices.resource.orch.io slice",
  ])("%s", (question) => {
    expect(ask(question)).toEqual(allowed)
    const other = { ...node, name: "system:node:n2" }
    expect(ask(question, other)).toEqual(denied("no relationship found between node 'n2' and this object"))
    expect(ask(question.replace(/mine|pv$|va$|slice$|stage$/, "unknown"))).toEqual(unrelated)
  })

  it("is not one of another group with the same name", () => {
    expect(ask("get secrets.example.com a/mine")).toEqual(denied(""))
    expect(ask("get volumeattachments va")).toEqual(denied(""))
  })
})

describe("what is refused whatever it is about", () => {
  it.each([
    ["list secrets a/", "No Object name found"],
    ["list secrets /mine", "can only read namespaced object of this type"],
    ["update secrets a/mine", "can only read resources of this type"],
    ["get configmaps/status a/mine", "cannot read subresource"],
    ["list persistentvolumeclaims a/", "can only get individual resources of this type"],
    ["update persistentvolumeclaims a/mine", "can only get individual resources of this type"],
    ["get persistentvolumes/status pv", "cannot get subresource"],
    ["get persistentvolumeclaims/status a/mine", "can only get/update/patch this type"],
    ["watch volumeattachments.storage.orch.io va", "can only get individual resources of this type"],
    ["get serviceaccounts a/mine", "can only create tokens for individual service accounts"],
    ["create serviceaccounts a/", "can only create tokens for individual service accounts"],
    ["create serviceaccounts/other a/mine", "can only create token subresource of service account"],
    ["list leases.coordination.orch.io kube-node-lease/n1", "can only get, create, update, patch, or delete a node lease"],
    ["get leases.coordination.orch.io default/n1", 'can only access leases in the "kube-node-lease" system namespace'],
    ["patch leases.coordination.orch.io kube-node-lease/n2", "can only access node lease with the same name as the requesting node"],
    ["list csinodes.storage.orch.io n1", "can only get, create, update, patch, or delete a CSINode"],
    ["update csinodes.storage.orch.io/status n1", "cannot authorize CSINode subresources"],
    ["get csinodes.storage.orch.io n2", "can only access CSINode with the same name as the requesting node"],
    ["get resourceslices.resource.orch.io/status slice", "cannot authorize ResourceSlice subresources"],
    [
      "deletecollection resourceslices.resource.orch.io slice",
      "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete",
    ],
  ])("%s", (question, reason) => {
    expect(ask(question)).toEqual(denied(reason))
  })
})

it.each([
  "create leases.coordination.orch.io kube-node-lease/",
  "update leases.coordination.orch.io kube-node-lease/n1",
  "create csinodes.storage.orch.io",
  "delete csinodes.storage.orch.io n1",
  "create resourceslices.resource.orch.io",
  "watch resourceslices.resource.orch.io",
  "update nodes/status n2",
  "list pods",
  "create pods/eviction a/p",
  "list csidrivers.storage.orch.io",
])("what every node may do: %s", (question) => {
  expect(ask(question)).toEqual(allowed)
})

it("what no rule allows has no reason", () => {
  expect(ask("delete nodes n1")).toEqual(denied(""))
  expect(ask("list namespaces")).toEqual(denied(""))
})

it("both name and group make a node, and it needs a name of its own", () => {
  const question = "get secrets a/mine"
  for (const user of [
    { ...node, groups: ["system:authenticated"] },
    { ...node, name: "n1" },
    { ...node, name: "system:nodes:n1" },
  ])
    expect(ask(question, user)).toEqual(denied(""))
  expect(ask(question, { ...node, name: "system:node:" })).toEqual(denied('unknown node for user "system:node:"'))
})

it("only of nodes it says that their rules cannot be listed", () => {
  expect(authorizer.rulesFor?.(node, "a")).toMatchObject({
    incomplete: true,
    error: "node authorizer does not support user rule resolution",
  })
  expect(authorizer.rulesFor?.({ ...node, name: "jane" }, "a")).toEqual({ resourceRules: [], nonResourceRules: [], incomplete: false })
})
