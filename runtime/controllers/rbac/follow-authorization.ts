import type { NodeGraph } from "../../authz/node/graph.ts"
import { CompiledRules, compilingRules } from "../../authz/rbac/rules.ts"
import { atOnce } from "../../base/turns.ts"
import type { Vendor } from "../../base/vendor.ts"
import type { ControllerDeps } from "../controller.ts"
import { allOf, type ObjectFollower } from "../follow-objects.ts"
import { bootstrapPolicy } from "./bootstrap-policy.ts"
import { followNodeGraph } from "./follow-node-graph.ts"
import { followRbacPolicy, type PolicySink } from "./follow-policy.ts"

/** Called once at start, on every server: follows the objects that the modes RBAC (`roles`) and Node need. */
export function followAuthorization(
  deps: ControllerDeps,
  { roles, nodes }: { readonly roles: boolean; readonly nodes: boolean },
  { rbacPolicy, nodeGraph }: { readonly rbacPolicy: PolicySink; readonly nodeGraph: NodeGraph },
): ObjectFollower {
  return allOf([...(roles ? [followRbacPolicy(deps, rbacPolicy)] : []), ...(nodes ? [followNodeGraph(deps, nodeGraph)] : [])])
}

/** The rules of the role `system:node`. */
export function nodeRules(vendor: Vendor): CompiledRules {
  const role = bootstrapPolicy(vendor).clusterRoles.find(({ metadata }) => metadata.name === "system:node")
  return atOnce(compilingRules(role?.rules ?? [], vendor.neutralGroup))
}
