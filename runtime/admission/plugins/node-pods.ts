/** Permissions of a node agent on pods: NodeRestriction for `pods` and their sub-resources. */
import type { Pod } from "../../../generated/core/v1/pod/types.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import { kindsNamed } from "../../authz/node/references.ts"
import { notFound } from "../../base/errors.ts"
import type { ApiObject, OwnerReference } from "../../base/json.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import { typed } from "../../schema/typed.ts"
import { refused } from "../refusal.ts"
import { type Judgement, nodeNameOf, type NodeRequest, refusedTo } from "./node-request.ts"

const pods = { group: "", version: "v1", resource: "pods" }
const nodes = { group: "", version: "v1", resource: "nodes" }

/** Throws 403, and 404 if the pod or Node that a check reads does not exist. */
export function judgePods(request: NodeRequest): Judgement {
  const { attributes } = request
  switch (attributes.subresource) {
    case "":
      return judgePod(request)
    case "status":
      return judgePodStatus(request)
    case "eviction":
      return judgeEviction(request)
    default:
      throw refused(
        attributes,
        `unexpected pod subresource ${JSON.stringify(attributes.subresource)}, only 'status' and 'eviction' are allowed`,
      )
  }
}

function judgePod(request: NodeRequest): Judgement {
  const { attributes, node } = request
  const { operation, oldObject } = attributes
  if (operation === "CREATE") return judgeMirrorPod(request)
  if (operation !== "DELETE")
    throw refused(
      attributes,
      `unexpected operation ${JSON.stringify(operation)}, node ${JSON.stringify(node)} can only create and delete mirror pods`,
    )
  if (nodeNameOf(oldObject) !== node) throw refusedTo(request, "can only delete pods with spec.nodeName set to itself")
  return undefined
}

async function judgeMirrorPod(request: NodeRequest): Promise<undefined> {
  const { attributes, node, vendor } = request
  const { metadata, spec } = typed<Pod>(attributes.object ?? {})
  const annotation = vendor.domain("orch.io/config.mirror")
  if (metadata.annotations?.[annotation] === undefined) {
    const why = `pod does not have ${JSON.stringify(annotation)} annotation, node ${JSON.stringify(node)} can only create mirror pods`
    throw refused(attributes, why)
  }
  if (nodeNameOf(attributes.object) !== node) throw refusedTo(request, "can only create pods with spec.nodeName set to itself")
  await judgeOwnerUid(request, checkOwner(request, metadata.ownerReferences ?? []))
  const reference = referenceOf(spec)
  if (reference !== undefined) throw refusedTo(request, `can not create pods that reference ${reference}`)
}

/** Checks that the node is the only owner, and returns its uid. */
function checkOwner(request: NodeRequest, owners: readonly OwnerReference[]): string {
  const [owner] = owners
  if (owners.length > 1) throw refusedTo(request, "can only create pods with a single owner reference set to itself")
  if (owner === undefined || owner.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== request.node)
    throw refusedTo(request, "can only create pods with an owner reference set to itself")
  if (owner.controller !== true) throw refusedTo(request, "can only create pods with a controller owner reference set to itself")
  if (owner.blockOwnerDeletion === true) throw refusedTo(request, "must not set blockOwnerDeletion on an owner reference")
  return owner.uid
}

async function judgeOwnerUid({ attributes, node, reader }: NodeRequest, uid: string): Promise<void> {
  const found = await reader.get(nodes, "", node)
  if (found === undefined) throw notFound({ group: "", resource: "node", name: node })
  const { uid: expected = "" } = found.metadata ?? {}
  if (uid !== expected) throw refused(attributes, `node ${node} UID mismatch: expected ${uid} got ${expected}`)
}

/**
 * The first API object that a pod refers to other than its node, as named in the refusal; undefined if there is none.
 */
function referenceOf(spec: PodSpec): string | undefined {
  const found = kindsNamed(spec)
  if (found.has("serviceaccounts")) return "a service account"
  if (found.has("secrets")) return "secrets"
  if (found.has("configmaps")) return "configmaps"
  const { volumes = [] } = spec
  if (volumes.some(({ projected }) => projected?.sources?.some((source) => source.clusterTrustBundle !== undefined)))
    return "clustertrustbundles"
  return volumes.some((volume) => volume.persistentVolumeClaim !== undefined) ? "persistentvolumeclaims" : undefined
}

function judgePodStatus(request: NodeRequest): undefined {
  const { attributes } = request
  const { operation, object, oldObject } = attributes
  if (operation !== "UPDATE") throw refused(attributes, `unexpected operation ${JSON.stringify(operation)}`)
  if (nodeNameOf(oldObject) !== request.node)
    throw refusedTo(request, "can only update pod status for pods with spec.nodeName set to itself")
  if (!deepEqual(object?.metadata?.labels ?? {}, oldObject?.metadata?.labels ?? {}))
    throw refusedTo(request, "cannot update labels through pod status")
  const claims = (pod: ApiObject = {}) => typed<Pod>(pod).status.resourceClaimStatuses ?? []
  // The word is the reference's.
  if (!deepEqual(claims(object), claims(oldObject))) throw refusedTo(request, "cannot update resource claim statues")
}

async function judgeEviction({ attributes, node, reader }: NodeRequest): Promise<undefined> {
  const { operation, namespace, name } = attributes
  if (operation !== "CREATE") throw refused(attributes, `unexpected operation ${operation}`)
  const pod = await reader.get(pods, namespace, name)
  if (pod === undefined) throw notFound({ group: "", resource: "pod", name })
  if (nodeNameOf(pod) !== node) throw refused(attributes, `node ${node} can only evict pods with spec.nodeName set to itself`)
}
