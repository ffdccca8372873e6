/**
 * POST of a TokenRequest makes a token of a service account (catalog operations.yaml, serviceAccounts.tokenRequest).
 */
import type { ServiceAccount } from "../../generated/core/v1/service-account/types.ts"
import type { Pod } from "../../generated/core/v1/pod/types.ts"
import type { BoundObjectReference, TokenRequest, TokenRequestSpec } from "../../generated/authentication.orch.io/v1/token-request/types.ts"
import { ApiError, badRequest, conflict, invalid, unknownPath } from "../base/errors.ts"
import { timeText } from "../base/time.ts"
import type { BoundObject, TokenClaims, TokenIssuer } from "../schema/access.ts"
import type { AnswerRequest } from "../schema/behaviour.ts"
import { defineSubresource } from "../schema/define.ts"
import { typed } from "../schema/typed.ts"

/** The expiration that kubelets ask for: the server may extend such tokens, and warns of their use after this time. */
const extendedSeconds = 3607
/** How long an extended token lives: a year. */
const extendedToSeconds = 365 * 24 * 3600

/** Sub-resource `token`. Throws 400, 404 and 409 as described at `boundObject`, 422 for the name of another account. */
export const tokenRequest = defineSubresource<TokenRequest, ServiceAccount>(({ clock }) => ({
  validate({ metadata }, name) {
    const sent = metadata.name ?? ""
    if (sent === "" || sent === name) return
    const detail = "must match the service account name if specified"
    throw invalid({ group: "authentication.orch.io", resource: "TokenRequest", name }, [
      { type: "Invalid", field: "metadata.name", value: sent, detail },
    ])
  },
  async answer(request): Promise<TokenRequest> {
    const { body, namespace, name, access } = request
    const { issuer } = access
    // As in the reference, a server without a key to sign with has no such sub-resource.
    if (issuer === undefined) throw unknownPath("tokens of service accounts are off: the server has no --service-account-signing-key-file")
    const account = typed<ServiceAccount>(await request.objects.get({ ...accounts, namespace, name }))
    const spec = completed(body.spec, issuer)
    const reference = spec.boundObjectRef ?? undefined
    const bound = reference === undefined ? {} : await boundObject(request, reference)
    const seconds = shortened(spec.expirationSeconds, issuer, request.warn)
    const isExtended = mayExtend(spec, bound.bound, issuer)
    const now = Math.floor(clock.nowMs() / 1000)
    const token = await issuer.issue({
      account: { namespace, name, uid: account.metadata.uid ?? "" },
      audiences: spec.audiences,
      seconds: isExtended ? extendedToSeconds : seconds,
      ...bound,
      ...(isExtended && { warnAfter: now + seconds }),
    })
    return {
      ...body,
      metadata: { ...body.metadata, name, namespace, creationTimestamp: timeText(now * 1000) },
      spec: { ...spec, expirationSeconds: seconds },
      status: { token, expirationTimestamp: timeText((now + seconds) * 1000) },
    }
  },
}))

type Request = AnswerRequest<TokenRequest>
/** A spec with all fields that the server fills in. */
type Completed = TokenRequestSpec & { readonly audiences: string[]; readonly expirationSeconds: number }

const accounts = { group: "", version: "v1", resource: "serviceaccounts" }
const pods = { group: "", version: "v1", resource: "pods" }
const secrets = { group: "", version: "v1", resource: "secrets" }
const nodes = { group: "", version: "v1", resource: "nodes" }

function completed(spec: TokenRequestSpec, { audiences }: TokenIssuer): Completed {
  const asked = spec.audiences ?? []
  return { ...spec, audiences: asked.length === 0 ? [...audiences] : asked, expirationSeconds: Number(spec.expirationSeconds) }
}

function shortened(seconds: number, { maxSeconds = seconds }: TokenIssuer, warn: (text: string) => void): number {
  if (seconds <= maxSeconds) return seconds
  warn(`requested expiration of ${seconds} seconds shortened to ${maxSeconds} seconds`)
  return maxSeconds
}

function mayExtend({ audiences, expirationSeconds }: Completed, bound: BoundObject | undefined, issuer: TokenIssuer): boolean {
  const isOwn = audiences.length === issuer.audiences.length && audiences.every((audience) => issuer.audiences.includes(audience))
  return issuer.extendsExpiration && bound?.kind === "Pod" && expirationSeconds === extendedSeconds && isOwn
}

/**
 * Looks up the object that the token is bound to. Throws 404 if it is not there, 409 if another object has its name
 * now, 400 for a pod of another account and for other kinds.
 */
async function boundObject(request: Request, reference: BoundObjectReference): Promise<Pick<TokenClaims, "bound" | "node">> {
  const { kind = "", apiVersion = "", name = "", uid = "" } = reference
  if (kind === "Node" && apiVersion === "v1")
    throw badRequest('cannot bind token to a Node object as the "ServiceAccountTokenNodeBinding" feature-gate is disabled')
  if ((kind !== "Pod" && kind !== "Secret") || apiVersion !== "v1") {
    const shown = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`
    throw badRequest(`cannot bind token to object of type ${shown}, Kind=${kind}: it can be a Pod or a Secret of v1`)
  }
  if (name === "") throw badRequest("Name parameter required. It is the one of spec.boundObjectRef.")
  const { namespace, objects } = request
  const found = await objects.get({ ...(kind === "Pod" ? pods : secrets), namespace, name })
  const { uid: own = "" } = found.metadata ?? {}
  if (uid !== "" && uid !== own)
    throw conflict(
      { group: "", resource: kind === "Pod" ? "pods" : "secrets", name },
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  const bound: BoundObject = { kind, name, uid: own }
  if (kind === "Secret") return { bound }
  const { spec } = typed<Pod>(found)
  if (spec.serviceAccountName !== request.name)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(request.name)} to pod running with different serviceaccount name.`,
    )
  const { nodeName = "" } = spec
  return nodeName === "" ? { bound } : { bound, node: { name: nodeName, uid: await nodeUid(request, nodeName) } }
}

/** A pod may be assigned to a node that has not registered yet. */
async function nodeUid({ objects }: Request, name: string): Promise<string> {
  try {
    return (await objects.get({ ...nodes, namespace: "", name })).metadata?.uid ?? ""
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return ""
    throw error
  }
}
