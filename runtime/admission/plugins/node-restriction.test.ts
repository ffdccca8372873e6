import { describe, expect, it } from "vitest"
import { judged, nodeAgent, nodeRequest, storedByNodes as stored } from "../../../test/support/node-requests.ts"
import type { ApiObject, JsonObject } from "../../base/json.ts"
import type { User } from "../../base/user.ts"

const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "u1", controller: true }

function mirrorPod(spec: JsonObject = {}, owners: ApiObject["metadata"] = {}): ApiObject {
  return {
    metadata: { name: "p", annotations: { "orch.io/config.mirror": "x" }, ownerReferences: [owner], ...owners },
    spec: { nodeName: "n", containers: [{ name: "c" }], ...spec },
  }
}

describe("NodeRestriction for users", () => {
  const create = (user: User): Promise<string> => judged(nodeRequest("pods", { user, name: "p", object: { metadata: { name: "p" } } }))

  it.each([[{ ...nodeAgent, groups: [] }], [{ ...nodeAgent, name: "n" }], [{ ...nodeAgent, name: "system:serviceaccount:a:n" }]])(
    "ignores users that are not node agents: %j",
    async (user) => {
      expect(await create(user)).toBe("")
    },
  )

  it("refuses a node agent without a node name", async () => {
    expect(await create({ ...nodeAgent, name: "system:node:" })).toBe(
      'pods "p" is forbidden: could not determine node from user "system:node:"',
    )
  })

  it("leaves other kinds to authorization", async () => {
    expect(await judged(nodeRequest("configmaps", { name: "c", object: {} }))).toBe("")
  })
})

describe("NodeRestriction for pods", () => {
  it.each([
    ["mirror pods", mirrorPod(), ""],
    [
      "without the annotation",
      { metadata: { name: "p" }, spec: { nodeName: "n" } },
      'pod does not have "orch.io/config.mirror" annotation, node "n" can only create mirror pods',
    ],
    ["of another node", mirrorPod({ nodeName: "m" }), 'node "n" can only create pods with spec.nodeName set to itself'],
    ["without an owner", mirrorPod({}, { ownerReferences: [] }), 'node "n" can only create pods with an owner reference set to itself'],
    [
      "with two owners",
      mirrorPod({}, { ownerReferences: [owner, owner] }),
      'node "n" can only create pods with a single owner reference set to itself',
    ],
    [
      "of another owner",
      mirrorPod({}, { ownerReferences: [{ ...owner, name: "m" }] }),
      'node "n" can only create pods with an owner reference set to itself',
    ],
    [
      "without a controller",
      mirrorPod({}, { ownerReferences: [{ ...owner, controller: false }] }),
      'node "n" can only create pods with a controller owner reference set to itself',
    ],
    [
      "that block their owner",
      mirrorPod({}, { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }),
      'node "n" must not set blockOwnerDeletion on an owner reference',
    ],
    ["of an earlier node", mirrorPod({}, { ownerReferences: [{ ...owner, uid: "u0" }] }), "node n UID mismatch: expected u0 got u1"],
    ["with an account", mirrorPod({ serviceAccountName: "s" }), 'node "n" can not create pods that reference a service account'],
    [
      "with a secret as a volume",
      mirrorPod({ volumes: [{ name: "v", secret: { secretName: "s" } }] }),
      'node "n" can not create pods that reference secrets',
    ],
    ["with a pull secret without a name", mirrorPod({ imagePullSecrets: [{ name: "" }] }), ""],
    ["with words that fields have", mirrorPod({ nodeSelector: { secret: "x", configMap: "y" } }), ""],
    ["with pull secrets", mirrorPod({ imagePullSecrets: [{ name: "s" }] }), 'node "n" can not create pods that reference secrets'],
    [
      "with a secret in the environment",
      mirrorPod({ initContainers: [{ name: "i", env: [{ name: "E", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] }] }),
      'node "n" can not create pods that reference secrets',
    ],
    [
      "with a ConfigMap",
      mirrorPod({ containers: [{ name: "c", envFrom: [{ configMapRef: { name: "m" } }] }] }),
      'node "n" can not create pods that reference configmaps',
    ],
    [
      "with trust bundles",
      mirrorPod({ volumes: [{ name: "v", projected: { sources: [{ clusterTrustBundle: { path: "p" } }] } }] }),
      'node "n" can not create pods that reference clustertrustbundles',
    ],
    [
      "with a claim",
      mirrorPod({ volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] }),
      'node "n" can not create pods that reference persistentvolumeclaims',
    ],
  ])("checks a new pod: %s", async (_what, object, why) => {
    expect(await judged(nodeRequest("pods", { name: "p", object }))).toBe(why === "" ? "" : `pods "p" is forbidden: ${why}`)
  })

  it.each([
    ["delete", { operation: "DELETE" as const, name: "mine", oldObject: stored["pods/mine"] }, ""],
    [
      "delete",
      { operation: "DELETE" as const, name: "other", oldObject: stored["pods/other"] },
      'pods "other" is forbidden: node "n" can only delete pods with spec.nodeName set to itself',
    ],
    [
      "update",
      { operation: "UPDATE" as const, name: "mine", oldObject: stored["pods/mine"] },
      'pods "mine" is forbidden: unexpected operation "UPDATE", node "n" can only create and delete mirror pods',
    ],
    ["evict", { subresource: "eviction", name: "mine" }, ""],
    [
      "evict",
      { subresource: "eviction", name: "other" },
      'pods "other" is forbidden: node n can only evict pods with spec.nodeName set to itself',
    ],
    ["evict", { subresource: "eviction", name: "missing" }, 'pod "missing" not found'],
    [
      "bind",
      { subresource: "binding", name: "mine" },
      `pods "mine" is forbidden: unexpected pod subresource "binding", only 'status' and 'eviction' are allowed`,
    ],
  ])("%s: %j", async (_what, given, message) => {
    expect(await judged(nodeRequest("pods", given))).toBe(message)
  })

  it.each([
    ["mine", {}, ""],
    ["other", {}, 'node "n" can only update pod status for pods with spec.nodeName set to itself'],
    ["mine", { metadata: { labels: { a: "b" } } }, 'node "n" cannot update labels through pod status'],
    ["mine", { status: { resourceClaimStatuses: [{ name: "c" }] } }, 'node "n" cannot update resource claim statues'],
  ])("checks a status update: %s %j", async (name, change, why) => {
    const oldObject = stored[`pods/${name}`]
    const given = { operation: "UPDATE" as const, subresource: "status", name, oldObject, object: { ...oldObject, ...change } }
    expect(await judged(nodeRequest("pods", given))).toBe(why === "" ? "" : `pods "${name}" is forbidden: ${why}`)
  })
})

describe("NodeRestriction for nodes", () => {
  const labels = (...keys: string[]): ApiObject => ({
    metadata: { name: "n", labels: Object.fromEntries(keys.map((key) => [key, "v"])) },
  })

  it.each([
    ["own", labels("example.com/x", "orch.io/hostname", "kubelet.orch.io/x", "sub.node.orch.io/x", "plain"), ""],
    ["another", { metadata: { name: "m" } }, 'node "n" is not allowed to modify node "m"'],
    ["another with labels", { metadata: { name: "m", labels: { "orch.io/x": "v" } } }, 'node "n" is not allowed to modify node "m"'],
    [
      "with a config source",
      { metadata: { name: "n" }, spec: { configSource: {} } },
      'node "n" is not allowed to create pods with a non-nil configSource',
    ],
    [
      "with labels",
      labels("orch.io/other", "x.node-restriction.orch.io/y", "node-restriction.orch.io/z"),
      'node "n" is not allowed to set the following labels: node-restriction.orch.io/z, orch.io/other, x.node-restriction.orch.io/y',
    ],
  ])("checks a new Node: %s", async (_what, object, why) => {
    const name = object.metadata?.name ?? ""
    expect(await judged(nodeRequest("nodes", { name, object }))).toBe(why === "" ? "" : `nodes "${name}" is forbidden: ${why}`)
  })

  it.each([
    ["nothing", {}, ""],
    ["taints", { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } }, 'node "n" is not allowed to modify taints'],
    ["a config source", { spec: { configSource: {} } }, 'node "n" is not allowed to update configSource to a new non-nil configSource'],
    ["labels", labels("node-restriction.orch.io/x"), "is not allowed to modify labels: node-restriction.orch.io/x"],
    ["owners", { metadata: { name: "n", ownerReferences: [owner] } }, 'node "n" is not allowed to modify ownerReferences'],
  ])("checks a change of a Node: %s", async (_what, change, why) => {
    const given = {
      operation: "UPDATE" as const,
      name: "n",
      oldObject: { metadata: { name: "n" } },
      object: { metadata: { name: "n" }, ...change },
    }
    expect(await judged(nodeRequest("nodes", given))).toBe(why === "" ? "" : `nodes "n" is forbidden: ${why}`)
  })

  it("refuses to remove a label that the agent may not set", async () => {
    const oldObject = labels("node-restriction.orch.io/x")
    const given = { operation: "UPDATE" as const, name: "n", oldObject, object: { metadata: { name: "n" } } }
    expect(await judged(nodeRequest("nodes", given))).toContain("is not allowed to modify labels: node-restriction.orch.io/x")
  })

  it("applies to the label domains of the other vendor", async () => {
    const object = labels("kubernetes.io/hostname", "topology.kubernetes.io/zone", "x.k8s.io/y", "kubernetes.io/y", "orch.io/y")
    expect(await judged(nodeRequest("nodes", { name: "n", object }), "kubernetes")).toContain(
      "the following labels: kubernetes.io/y, x.k8s.io/y",
    )
  })

  it("lets an agent delete only its own Node", async () => {
    const given = { operation: "DELETE" as const, oldObject: {} }
    expect(await judged(nodeRequest("nodes", { ...given, name: "n" }))).toBe("")
    expect(await judged(nodeRequest("nodes", { ...given, name: "m" }))).toContain('node "n" is not allowed to modify node "m"')
  })
})

it.each([
  ["orch-node-lease", "n", ""],
  [
    "orch-node-lease",
    "m",
    'leases.coordination.orch.io "m" is forbidden: can only access node lease with the same name as the requesting node',
  ],
  ["a", "n", 'leases.coordination.orch.io "n" is forbidden: can only access leases in the "orch-node-lease" system namespace'],
])("NodeRestriction checks writes of a lease: %s/%s", async (namespace, name, message) => {
  for (const operation of ["CREATE", "UPDATE", "DELETE"] as const)
    expect(await judged(nodeRequest("leases", { operation, namespace, name, object: { metadata: { name } } }))).toBe(message)
})
