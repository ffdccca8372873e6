import { checksEscalation } from "../../authz/authorizers.ts"
import type { NodeGraph } from "../../authz/node/graph.ts"
import { CompiledRules, compilingRules } from "../../authz/rbac/rules.ts"
import { atOnce } from "../../base/turns.ts"
import type { Vendor } from "../../base/vendor.ts"
import type { Options } from "../../options/table.ts"
import type { ControllerDeps } from "../controller.ts"
import { allOf, type ObjectFollower } from "../follow-objects.ts"
import { bootstrapPolicy } from "./bootstrap-policy.ts"
import { followNodeGraph } from "./follow-node-graph.ts"
import { followRbacPolicy, type PolicySink } from "./follow-policy.ts"

/**
 * Called once at start, on every server: follows the objects by which the modes RBAC and Node decide. The check of
 * escalation asks the former whatever the mode, and a configuration may bring the latter when it changes.
 */
export function followAuthorization(
  deps: ControllerDeps,
  options: Pick<Options, "authorization-mode" | "authorization-config">,
  { rbacPolicy, nodeGraph }: { readonly rbacPolicy: PolicySink; readonly nodeGraph: NodeGraph },
): ObjectFollower {
  const followsNodes = options["authorization-mode"].includes("Node") || options["authorization-config"] !== ""
  return allOf([
    ...(checksEscalation(options) ? [followRbacPolicy(deps, rbacPolicy)] : []),
    ...(followsNodes ? [followNodeGraph(deps, nodeGraph)] : []),
  ])
}

/** The rules of the role `system:node`. */
export function nodeRules(vendor: Vendor): CompiledRules {
  const role = bootstrapPolicy(vendor).clusterRoles.find(({ metadata }) => metadata.name === "system:node")
  return atOnce(compilingRules(role?.rules ?? [], vendor.neutralGroup))
}
