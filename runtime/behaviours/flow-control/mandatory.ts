/**
 * The priority levels and flow schemas that every server has, whatever is in the store (catalog flowcontrol.yaml:
 * bootstrap): exempt for administrators, catch-all for what no other schema matches.
 */
import type { FlowSchemaSpec } from "../../../generated/flowcontrol.apiserver.orch.io/v1/flow-schema/types.ts"
import type { PriorityLevelConfigurationSpec } from "../../../generated/flowcontrol.apiserver.orch.io/v1/priority-level-configuration/types.ts"

/** Rules that match all requests of any of some groups. */
export function allRequestsOf(groups: readonly string[]): NonNullable<FlowSchemaSpec["rules"]>[number] {
  return {
    subjects: groups.map((name) => ({ kind: "Group", group: { name } })),
    resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  }
}

/** Everyone is in one of the two. */
export const everyone = ["system:unauthenticated", "system:authenticated"]

export const mandatoryPriorityLevels: ReadonlyMap<string, PriorityLevelConfigurationSpec> = new Map([
  ["exempt", { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  ["catch-all", { type: "Limited", limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" }, lendablePercent: 0 } }],
])

export const mandatoryFlowSchemas: ReadonlyMap<string, FlowSchemaSpec> = new Map([
  ["exempt", { priorityLevelConfiguration: { name: "exempt" }, matchingPrecedence: 1, rules: [allRequestsOf(["system:masters"])] }],
  [
    "catch-all",
    {
      priorityLevelConfiguration: { name: "catch-all" },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: "ByUser" },
      rules: [allRequestsOf(everyone)],
    },
  ],
])
