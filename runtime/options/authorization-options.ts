/** The options of authorization (specification section 5). */
import { option } from "./option.ts"
import { duration, listOf, oneOf, text } from "./value-types.ts"

const file = text("file")

/** The authorizers that may be chosen. */
export const authorizationModes = ["AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"] as const

export const authorizationOptions = {
  "authorization-mode": option({
    type: listOf(oneOf(...authorizationModes)),
    group: "Authentication and authorization",
    default: ["AlwaysAllow"],
    help: "Authorizers, consulted in this order: the first with an opinion decides. ABAC: a file of policies; Webhook: another server; RBAC: roles and their bindings; Node: what a kubelet needs for the pods of its node. Members of system:masters are always authorized. npm start uses Node,RBAC.",
  }),
  "authorization-config": option({
    type: file,
    group: "Authentication and authorization",
    default: "",
    help: "File of kind AuthorizationConfiguration that names the authorizers, in place of --authorization-mode and --authorization-webhook-*. Read again when it changes.",
  }),
  "authorization-policy-file": option({
    type: file,
    group: "Authentication and authorization",
    default: "",
    help: "File of the policies of --authorization-mode=ABAC, one JSON object per line. Read again when it changes.",
  }),
  "authorization-webhook-config-file": option({
    type: file,
    group: "Authentication and authorization",
    default: "",
    help: "File in the form of a kubeconfig that names the server of --authorization-mode=Webhook.",
  }),
  "authorization-webhook-version": option({
    type: oneOf("v1", "v1beta1"),
    group: "Authentication and authorization",
    default: "v1beta1",
    help: "Version of the SubjectAccessReviews that it is sent.",
  }),
  "authorization-webhook-cache-authorized-ttl": option({
    type: duration({ minMs: 0 }),
    group: "Authentication and authorization",
    default: 300_000,
    help: "How long its permissions are kept.",
  }),
  "authorization-webhook-cache-unauthorized-ttl": option({
    type: duration({ minMs: 0 }),
    group: "Authentication and authorization",
    default: 30_000,
    help: "How long its refusals are kept.",
  }),
}
