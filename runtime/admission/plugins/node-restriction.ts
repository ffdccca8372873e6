/**
 * Limits node agents (user `system:node:NAME` in group `system:nodes`) to objects of their own node: its Node, Lease
 * and CSINode, the pods bound to it, and objects that these pods need. Catalog `admission.yaml` NodeRestriction; the
 * messages are the reference's.
 */
import type { Node } from "../../../generated/core/v1/node/types.ts"
import type { ResourceSlice } from "../../../generated/resource.orch.io/v1alpha2/resource-slice/types.ts"
import { nodeOf } from "../../authz/node/node.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import { typed } from "../../schema/typed.ts"
import type { RequestAttributes } from "../plugin.ts"
import type { AdmissionPluginFactory } from "../plugin-deps.ts"
import { refused } from "../refusal.ts"
import { judgeClaim } from "./node-claims.ts"
import { forbiddenNodeLabels } from "./node-labels.ts"
import { judgePods } from "./node-pods.ts"
import { type Judgement, type NodeRequest, refusedTo } from "./node-request.ts"
import { judgeToken } from "./node-token.ts"

/** Disabled by default. Throws 403, and 404 if the pod or Node that a check reads does not exist. */
export const nodeRestriction: AdmissionPluginFactory = ({ vendor, reader }) => ({
  name: "NodeRestriction",
  operations: ["CREATE", "UPDATE", "DELETE"],
  mutate(attributes) {
    const node = nodeOf(attributes.user)
    if (node === undefined) return undefined
    if (node === "") throw refused(attributes, `could not determine node from user ${JSON.stringify(attributes.user.name)}`)
    const { group, resource } = attributes.resource
    return judgeResource(`${resource}.${group}`, { attributes, node, vendor, reader })
  },
})

function judgeResource(resource: string, request: NodeRequest): Judgement {
  switch (resource) {
    case "pods.":
      return judgePods(request)
    case "nodes.":
      return judgeNode(request)
    case "persistentvolumeclaims.":
      return judgeClaim(request)
    case "serviceaccounts.":
      return request.attributes.operation === "CREATE" && request.attributes.subresource === "token" ? judgeToken(request) : undefined
    case "leases.coordination.orch.io":
      return judgeLease(request)
    case "csinodes.storage.orch.io":
      return judgeCsiNode(request)
    case "resourceslices.resource.orch.io":
      return judgeSlice(request)
    default:
      return undefined
  }
}

function judgeNode(request: NodeRequest): undefined {
  const { attributes, node, vendor } = request
  const { operation, object, oldObject } = attributes
  const asked = nameOf(attributes)
  if (asked !== node) throw refusedTo(request, `is not allowed to modify node ${JSON.stringify(asked)}`)
  if (operation === "CREATE") {
    if (typed<Node>(object ?? {}).spec.configSource !== undefined)
      throw refusedTo(request, "is not allowed to create pods with a non-nil configSource")
    const labels = forbiddenNodeLabels(vendor, object?.metadata?.labels ?? {}, {})
    if (labels.length > 0) throw refusedTo(request, `is not allowed to set the following labels: ${labels.join(", ")}`)
  }
  if (operation === "UPDATE") judgeNodeChange(request, typed(object ?? {}), typed(oldObject ?? {}))
}

function judgeNodeChange(request: NodeRequest, object: Node, old: Node): void {
  const source = object.spec.configSource
  if (source !== undefined && !deepEqual(source, old.spec.configSource))
    throw refusedTo(request, "is not allowed to update configSource to a new non-nil configSource")
  if (!deepEqual(object.spec.taints ?? [], old.spec.taints ?? [])) throw refusedTo(request, "is not allowed to modify taints")
  const labels = forbiddenNodeLabels(request.vendor, object.metadata.labels ?? {}, old.metadata.labels ?? {})
  if (labels.length > 0) throw refused(request.attributes, `is not allowed to modify labels: ${labels.join(", ")}`)
  if (!deepEqual(object.metadata.ownerReferences ?? [], old.metadata.ownerReferences ?? []))
    throw refusedTo(request, "is not allowed to modify ownerReferences")
}

function judgeLease({ attributes, node, vendor }: NodeRequest): undefined {
  const leases = vendor.namespace("orch-node-lease")
  if (attributes.namespace !== leases) throw refused(attributes, `can only access leases in the ${JSON.stringify(leases)} system namespace`)
  if (nameOf(attributes) !== node) throw refused(attributes, "can only access node lease with the same name as the requesting node")
}

function judgeCsiNode({ attributes, node }: NodeRequest): undefined {
  if (nameOf(attributes) !== node) throw refused(attributes, "can only access CSINode with the same name as the requesting node")
}

/** Judges creations only; the authorization mode Node judges other operations. */
function judgeSlice({ attributes, node }: NodeRequest): undefined {
  if (attributes.operation !== "CREATE") return
  if (typed<ResourceSlice>(attributes.object ?? {}).nodeName !== node)
    throw refused(attributes, "can only create ResourceSlice with the same NodeName as the requesting node")
}

/** A creation has no name in its path. */
function nameOf({ name, object }: RequestAttributes): string {
  return name || (object?.metadata?.name ?? "")
}
