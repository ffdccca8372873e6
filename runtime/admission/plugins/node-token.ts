/** NodeRestriction for tokens: a token must be bound to a pod of the node, so that it does not outlive the pod. */
import type { TokenRequest } from "../../../generated/authentication.orch.io/v1/token-request/types.ts"
import { notFound } from "../../base/errors.ts"
import { typed } from "../../schema/typed.ts"
import { refused } from "../refusal.ts"
import { nodeNameOf, type NodeRequest } from "./node-request.ts"

const pods = { group: "", version: "v1", resource: "pods" }

/** Throws 403, and 404 if the pod does not exist. */
export async function judgeToken({ attributes, node, reader }: NodeRequest): Promise<undefined> {
  const { object, namespace } = attributes
  const { apiVersion, kind, name = "", uid = "" } = typed<TokenRequest>(object ?? {}).spec.boundObjectRef ?? {}
  if (apiVersion !== "v1" || kind !== "Pod" || name === "") throw refused(attributes, "node requested token not bound to a pod")
  if (uid === "") throw refused(attributes, "node requested token with a pod binding without a uid")
  const pod = await reader.get(pods, namespace, name)
  if (pod === undefined) throw notFound({ group: "", resource: "pod", name })
  if (uid !== pod.metadata?.uid)
    throw refused(
      attributes,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  if (nodeNameOf(pod) !== node) throw refused(attributes, "node requested token bound to a pod scheduled on a different node")
}
