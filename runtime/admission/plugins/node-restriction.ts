/**
 * Limits node agents (user `system:node:NAME` in group `system:nodes`) to their own Node, their own Lease and the pods
 * bound to their node. Catalog `admission.yaml` NodeRestriction; the messages are the reference's.
 */
import { type ApiError, notFound } from "../../base/errors.ts"
import { deepEqual } from "../../encoding/field-path.ts"
import { type ApiObject, isObject, type JsonValue, type OwnerReference } from "../../base/json.ts"
import { typed } from "../../schema/typed.ts"
import type { Node } from "../../../generated/core/v1/node/types.ts"
import type { Pod } from "../../../generated/core/v1/pod/types.ts"
import type { PodSpec } from "../../../generated/core/v1/shared/pod-spec/types.ts"
import type { User } from "../../base/user.ts"
import type { Vendor } from "../../base/vendor.ts"
import type { RequestAttributes } from "../plugin.ts"
import type { AdmissionPluginFactory, AdmissionReader } from "../plugin-deps.ts"
import { refused } from "../refusal.ts"
import { forbiddenNodeLabels } from "./node-labels.ts"

const nodeUserPrefix = "system:node:"
const nodesGroup = "system:nodes"
const pods = { group: "", version: "v1", resource: "pods" }
const nodes = { group: "", version: "v1", resource: "nodes" }

/** A request of a node agent, with the dependencies of the plugin. */
interface NodeRequest {
  readonly attributes: RequestAttributes
  readonly node: string
  readonly vendor: Vendor
  readonly reader: AdmissionReader
}

type Judgement = undefined | Promise<undefined>

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
    case "leases.coordination.orch.io":
      return judgeLease(request)
    default:
      return undefined
  }
}

/** The node name of a node agent, "" if the user name contains none; undefined for other users. */
function nodeOf({ name, groups }: User): string | undefined {
  return name.startsWith(nodeUserPrefix) && groups.includes(nodesGroup) ? name.slice(nodeUserPrefix.length) : undefined
}

function judgePods(request: NodeRequest): Judgement {
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

function judgeMirrorPod(request: NodeRequest): Judgement {
  const { attributes, node, vendor } = request
  const { metadata, spec } = typed<Pod>(attributes.object ?? {})
  const annotation = vendor.domain("orch.io/config.mirror")
  if (metadata.annotations?.[annotation] === undefined) {
    const why = `pod does not have ${JSON.stringify(annotation)} annotation, node ${JSON.stringify(node)} can only create mirror pods`
    throw refused(attributes, why)
  }
  if (nodeNameOf(attributes.object) !== node) throw refusedTo(request, "can only create pods with spec.nodeName set to itself")
  const owner = checkOwner(request, metadata.ownerReferences ?? [])
  return judgeOwnerUid(request, owner).then(() => {
    const reference = referenceOf(spec)
    if (reference !== undefined) throw refusedTo(request, `can not create pods that reference ${reference}`)
    return undefined
  })
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

/** The first API object a pod refers to other than its node, as named in the refusal; undefined if there is none. */
function referenceOf(spec: PodSpec): string | undefined {
  if ((spec.serviceAccountName ?? "") !== "") return "a service account"
  if (mentions(spec, secretFields)) return "secrets"
  if (mentions(spec, configMapFields)) return "configmaps"
  const { volumes = [] } = spec
  if (volumes.some(({ projected }) => projected?.sources?.some((source) => source.clusterTrustBundle !== undefined)))
    return "clustertrustbundles"
  return volumes.some((volume) => volume.persistentVolumeClaim !== undefined) ? "persistentvolumeclaims" : undefined
}

/** Fields of a pod spec, at any depth, that contain a Secret or its name: in volumes, environments and pull secrets. */
const secretFields = new Set(["secret", "secretName", "secretRef", "secretKeyRef", "nodePublishSecretRef", "imagePullSecrets"])
const configMapFields = new Set(["configMap", "configMapRef", "configMapKeyRef"])

function mentions(value: JsonValue | undefined, fields: ReadonlySet<string>): boolean {
  if (Array.isArray(value)) return value.some((item) => mentions(item, fields))
  if (!isObject(value)) return false
  return Object.entries(value).some(([name, inner]) => (fields.has(name) && isFilled(inner)) || mentions(inner, fields))
}

function isFilled(value: JsonValue | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : isObject(value) || (typeof value === "string" && value !== "")
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
  if (!deepEqual(claims(object), claims(oldObject))) throw refusedTo(request, "cannot update resource claim statuses")
}

async function judgeEviction({ attributes, node, reader }: NodeRequest): Promise<undefined> {
  const { operation, namespace, name } = attributes
  if (operation !== "CREATE") throw refused(attributes, `unexpected operation ${operation}`)
  const pod = await reader.get(pods, namespace, name)
  if (pod === undefined) throw notFound({ group: "", resource: "pod", name })
  if (nodeNameOf(pod) !== node) throw refused(attributes, `node ${node} can only evict pods with spec.nodeName set to itself`)
}

function judgeNode(request: NodeRequest): undefined {
  const { attributes, node, vendor } = request
  const { operation, object, oldObject } = attributes
  if (operation === "CREATE") {
    if (typed<Node>(object ?? {}).spec.configSource !== undefined)
      throw refusedTo(request, "is not allowed to create pods with a non-nil configSource")
    const labels = forbiddenNodeLabels(vendor, object?.metadata?.labels ?? {}, {})
    if (labels.length > 0) throw refusedTo(request, `is not allowed to set the following labels: ${labels.join(", ")}`)
  }
  const asked = attributes.name || (object?.metadata?.name ?? "")
  if (asked !== node) throw refusedTo(request, `is not allowed to modify node ${JSON.stringify(asked)}`)
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
  const name = attributes.operation === "CREATE" ? (attributes.object?.metadata?.name ?? "") : attributes.name
  if (name !== node) throw refused(attributes, "can only access node lease with the same name as the requesting node")
}

function nodeNameOf(pod: ApiObject | undefined): string {
  return pod === undefined ? "" : (typed<Pod>(pod).spec.nodeName ?? "")
}

/** Prefixes the text: `node "n" must not ...`. */
function refusedTo({ attributes, node }: NodeRequest, why: string): ApiError {
  return refused(attributes, `node ${JSON.stringify(node)} ${why}`)
}
