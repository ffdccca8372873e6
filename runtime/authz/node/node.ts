/**
 * The mode Node: permissions of a kubelet with its own certificate. A kubelet may read the secrets, config maps,
 * claims, volumes and attachments of the pods that are bound to its node, make tokens for their service accounts, and
 * write its own lease and CSINode; the rules of the role `system:node` decide everything else. The mode never denies.
 * The texts are the reference's.
 */
import type { Decision } from "../../base/decision.ts"
import type { User } from "../../base/user.ts"
import type { RequestInfo } from "../../http/request/request-info.ts"
import type { UserRules } from "../../schema/access.ts"
import { allowed, type Authorizer, noOpinion, noRules } from "../authorize.ts"
import { type CompiledRules, questionOf } from "../rbac/rules.ts"
import type { NodeGraph } from "./graph.ts"
import type { Related } from "./references.ts"

export interface NodeParts {
  readonly graph: NodeGraph
  /** Rules of the built-in role `system:node`, without changes by administrators. */
  readonly rules: CompiledRules
  /** Namespace of the leases of nodes. */
  readonly leaseNamespace: string
}

const nodesGroup = "system:nodes"
const userPrefix = "system:node:"

/** The node name of a node's user; "" for a node without a name. Undefined for all other users. */
export function nodeOf({ name, groups }: User): string | undefined {
  return name.startsWith(userPrefix) && groups.includes(nodesGroup) ? name.slice(userPrefix.length) : undefined
}

/** Called once at start. The authorizer reads the graph as it is at each request. */
export function nodeAuthorizer(parts: NodeParts): Authorizer {
  return Object.assign(({ user, info }: Parameters<Authorizer>[0]): Decision => decideFor(parts, user, info), { rulesFor })
}

/** The permissions of a node depend on its pods, so they cannot be listed. */
function rulesFor(user: User): UserRules {
  if (nodeOf(user) === undefined) return noRules
  return { ...noRules, incomplete: true, error: "node authorizer does not support user rule resolution" }
}

function decideFor(parts: NodeParts, user: User, info: RequestInfo): Decision {
  const node = nodeOf(user)
  if (node === undefined) return noOpinion
  if (node === "") return silent(`unknown node for user ${JSON.stringify(user.name)}`)
  const decideOn = info.isResource ? special.get(info.group === "" ? info.resource : `${info.resource}.${info.group}`) : undefined
  if (decideOn !== undefined) return decideOn({ ...parts, node, info })
  return parts.rules.allow(questionOf(info)) ? allowed : noOpinion
}

interface Question extends NodeParts {
  readonly node: string
  readonly info: RequestInfo
}

type Decide = (question: Question) => Decision

/** Resources whose decision depends on the object, with their groups. */
const special: ReadonlyMap<string, Decide> = new Map<string, Decide>([
  ["secrets", (question) => decideRead(question, "secrets")],
  ["configmaps", (question) => decideRead(question, "configmaps")],
  ["persistentvolumeclaims", decideClaim],
  ["persistentvolumes", (question) => decideGet(question, ({ graph, node, info }) => graph.reachesVolume(node, info.name))],
  ["resourceclaims.resource.orch.io", (question) => decideGet(question, naming("resourceclaims"))],
  ["volumeattachments.storage.orch.io", (question) => decideGet(question, owning("volumeattachments"))],
  ["serviceaccounts", decideToken],
  ["leases.coordination.orch.io", decideLease],
  ["csinodes.storage.orch.io", decideCsiNode],
  ["resourceslices.resource.orch.io", decideSlice],
])

/** Whether the named object belongs to the node or to one of its pods. */
type IsRelated = (question: Question) => boolean

function naming(resource: Related): IsRelated {
  return ({ graph, node, info }) => graph.reaches(node, resource, info.namespace, info.name)
}

function owning(kind: "volumeattachments" | "resourceslices"): IsRelated {
  return ({ graph, node, info }) => graph.owns(node, kind, info.name)
}

function decideRelated(question: Question, isRelated: IsRelated): Decision {
  if (question.info.name === "") return silent("No Object name found")
  return isRelated(question) ? allowed : silent(`no relationship found between node '${question.node}' and this object`)
}

const readVerbs = new Set(["get", "list", "watch"])
const ownVerbs = new Set(["get", "create", "update", "patch", "delete"])

function decideRead(question: Question, resource: "secrets" | "configmaps"): Decision {
  const { verb, subresource } = question.info
  if (!readVerbs.has(verb)) return silent("can only read resources of this type")
  if (subresource !== "") return silent("cannot read subresource")
  if (question.info.namespace === "") return silent("can only read namespaced object of this type")
  return decideRelated(question, naming(resource))
}

function decideGet(question: Question, isRelated: IsRelated): Decision {
  if (question.info.verb !== "get") return silent("can only get individual resources of this type")
  if (question.info.subresource !== "") return silent("cannot get subresource")
  return decideRelated(question, isRelated)
}

function decideClaim(question: Question): Decision {
  const { subresource, verb } = question.info
  const isRelated = naming("persistentvolumeclaims")
  if (subresource !== "status") return decideGet(question, isRelated)
  return verb === "update" || verb === "patch" ? decideRelated(question, isRelated) : silent("can only get/update/patch this type")
}

function decideToken(question: Question): Decision {
  const { name, subresource, verb } = question.info
  if (verb !== "create" || name === "") return silent("can only create tokens for individual service accounts")
  if (subresource !== "token") return silent("can only create token subresource of service account")
  return decideRelated(question, naming("serviceaccounts"))
}

/** A creation has no name in its path, so admission checks it. */
function decideLease({ info, node, leaseNamespace }: Question): Decision {
  const { name, verb } = info
  if (!ownVerbs.has(verb)) return silent("can only get, create, update, patch, or delete a node lease")
  if (info.namespace !== leaseNamespace) return silent(`can only access leases in the ${JSON.stringify(leaseNamespace)} system namespace`)
  if (verb !== "create" && name !== node) return silent("can only access node lease with the same name as the requesting node")
  return allowed
}

function decideCsiNode({ info, node }: Question): Decision {
  const { name, subresource, verb } = info
  if (!ownVerbs.has(verb)) return silent("can only get, create, update, patch, or delete a CSINode")
  if (subresource !== "") return silent("cannot authorize CSINode subresources")
  if (verb !== "create" && name !== node) return silent("can only access CSINode with the same name as the requesting node")
  return allowed
}

function decideSlice(question: Question): Decision {
  const { subresource, verb } = question.info
  if (subresource !== "") return silent("cannot authorize ResourceSlice subresources")
  if (verb === "list" || verb === "watch" || verb === "create") return allowed
  if (!ownVerbs.has(verb))
    return silent("only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete")
  return decideRelated(question, owning("resourceslices"))
}

function silent(reason: string): Decision {
  return { opinion: "no-opinion", reason }
}
