/**
 * The priority levels and flow schemas that a server suggests (catalog flowcontrol.yaml): it makes them where they are
 * missing, and users may change them.
 */
import type { FlowSchemaSpec } from "../../../generated/flowcontrol.apiserver.orch.io/v1/flow-schema/types.ts"
import type { PriorityLevelConfigurationSpec } from "../../../generated/flowcontrol.apiserver.orch.io/v1/priority-level-configuration/types.ts"
import { allRequestsOf, everyone } from "../../behaviours/flow-control/mandatory.ts"
import type { Vendor } from "../../base/vendor.ts"

type FlowRule = NonNullable<FlowSchemaSpec["rules"]>[number]
type FlowSubject = NonNullable<FlowRule["subjects"]>[number]

function level(shares: number, lendablePercent: number, [queues, handSize]: [number, number]): PriorityLevelConfigurationSpec {
  const limitResponse = { type: "Queue" as const, queuing: { queues, handSize, queueLengthLimit: 50 } }
  return { type: "Limited", limited: { nominalConcurrencyShares: shares, limitResponse, lendablePercent } }
}

export const suggestedPriorityLevels: ReadonlyMap<string, PriorityLevelConfigurationSpec> = new Map([
  ["system", level(30, 33, [64, 6])],
  ["node-high", level(40, 25, [64, 6])],
  ["leader-election", level(10, 0, [16, 4])],
  ["workload-high", level(40, 50, [128, 6])],
  ["workload-low", level(100, 90, [128, 6])],
  ["global-default", level(20, 50, [128, 6])],
])

function schema(
  priorityLevel: string,
  matchingPrecedence: number,
  distinguisher: "ByNamespace" | "ByUser" | undefined,
  rule: FlowRule,
): FlowSchemaSpec {
  return {
    priorityLevelConfiguration: { name: priorityLevel },
    matchingPrecedence,
    ...(distinguisher !== undefined && { distinguisherMethod: { type: distinguisher } }),
    rules: [rule],
  }
}

function user(name: string): FlowSubject {
  return { kind: "User", user: { name } }
}

function group(name: string): FlowSubject {
  return { kind: "Group", group: { name } }
}

/** Rules that match requests for resources in namespaces. */
function resources(verbs: string[], apiGroup: string, names: string[]): NonNullable<FlowRule["resourceRules"]>[number] {
  return { verbs, apiGroups: [apiGroup], resources: names, namespaces: ["*"] }
}

const leaderVerbs = ["get", "create", "update"]
const controllerManager = "system:kube-controller-manager"
const scheduler = "system:kube-scheduler"

/** Names of users, of some schemas and of their groups are those that the reference's components have. */
export function suggestedFlowSchemas(vendor: Vendor): ReadonlyMap<string, FlowSchemaSpec> {
  const leases = resources(leaderVerbs, vendor.group("coordination.orch.io"), ["leases"])
  const account = (name: string): FlowSubject => {
    return { kind: "ServiceAccount", serviceAccount: { namespace: vendor.namespace("orch-system"), name } }
  }
  const all = (...subjects: FlowSubject[]): FlowRule => ({ ...allRequestsOf([]), subjects })
  const probes = [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }]
  const endpointControllers = [user(controllerManager), account("endpoint-controller"), account("endpointslicemirroring-controller")]
  const nodes = { ...resources(["*"], "", ["nodes", "nodes/status"]), clusterScope: true }
  const nodeLeases = { ...leases, verbs: ["*"] }
  return new Map([
    ["probes", schema("exempt", 2, undefined, { subjects: everyone.map(group), nonResourceRules: probes })],
    [
      "system-leader-election",
      schema("leader-election", 100, "ByUser", {
        subjects: [user(controllerManager), user(scheduler), account("*")],
        resourceRules: [leases],
      }),
    ],
    [
      "endpoint-controller",
      schema("workload-high", 150, "ByUser", {
        subjects: endpointControllers,
        resourceRules: [resources(leaderVerbs, "", ["endpoints"])],
      }),
    ],
    [
      "workload-leader-election",
      schema("leader-election", 200, "ByUser", {
        subjects: [account("*")],
        resourceRules: [resources(leaderVerbs, "", ["endpoints", "configmaps"]), leases],
      }),
    ],
    ["system-node-high", schema("node-high", 400, "ByUser", { subjects: [group("system:nodes")], resourceRules: [nodes, nodeLeases] })],
    ["system-nodes", schema("system", 500, "ByUser", all(group("system:nodes")))],
    ["kube-controller-manager", schema("workload-high", 800, "ByNamespace", all(user(controllerManager)))],
    ["kube-scheduler", schema("workload-high", 800, "ByNamespace", all(user(scheduler)))],
    ["kube-system-service-accounts", schema("workload-high", 900, "ByNamespace", all(account("*")))],
    ["service-accounts", schema("workload-low", 9000, "ByUser", all(group("system:serviceaccounts")))],
    ["global-default", schema("global-default", 9900, "ByUser", all(...everyone.map(group)))],
  ])
}
