/** Claims of a service-account token (catalog operations.yaml, serviceAccounts). */
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts"
import { accountUser } from "../../base/user.ts"
import type { Vendor } from "../../base/vendor.ts"
import type { BoundObject, TokenClaims } from "../../schema/access.ts"

/** The subject in the claims of a verified token. */
export interface TokenSubject {
  readonly namespace: string
  readonly account: { readonly name: string; readonly uid: string }
  readonly pod?: Named
  readonly secret?: Named
  /** The node of the pod, or the node that the token is bound to. */
  readonly node?: Named
  /** Seconds since 1970 after which a client should have fetched another token. */
  readonly warnAfter?: number
}

export interface Named {
  readonly name: string
  readonly uid: string
}

/** The claim that holds the subject: `orch.io`, `kubernetes.io`. */
export function privateClaim(vendor: Vendor): string {
  return vendor.domain("orch.io/").slice(0, -1)
}

/** The payload of a token besides issuer, times and id. */
export function payloadOf({ account, audiences, bound, node, warnAfter }: TokenClaims, vendor: Vendor): JsonObject {
  const { namespace, name, uid } = account
  return {
    sub: accountUser(namespace, name),
    aud: [...audiences],
    [privateClaim(vendor)]: {
      namespace,
      serviceaccount: { name, uid },
      ...(bound !== undefined && { [boundClaims[bound.kind]]: { name: bound.name, uid: bound.uid } }),
      ...(node !== undefined && { node: { name: node.name, ...(node.uid !== "" && { uid: node.uid }) } }),
      ...(warnAfter !== undefined && { warnafter: warnAfter }),
    },
  }
}

const boundClaims: Readonly<Record<BoundObject["kind"], "pod" | "secret">> = { Pod: "pod", Secret: "secret" }

/**
 * Reads the payload of a token whose issuer and signature are verified. Undefined if it is not a service-account token.
 */
export function subjectOf(payload: Readonly<Record<string, unknown>>, vendor: Vendor): TokenSubject | undefined {
  const claim = payload[privateClaim(vendor)]
  if (!isObject(claim)) return undefined
  const { namespace, serviceaccount, pod, secret, node, warnafter } = claim
  const account = namedIn(serviceaccount)
  if (typeof namespace !== "string" || account === undefined || payload.sub !== accountUser(namespace, account.name)) return undefined
  const objects = { pod: namedIn(pod), secret: namedIn(secret), node: namedIn(node) }
  return {
    namespace,
    account,
    ...(objects.pod !== undefined && { pod: objects.pod }),
    ...(objects.secret !== undefined && { secret: objects.secret }),
    ...(objects.node !== undefined && { node: objects.node }),
    ...(typeof warnafter === "number" && { warnAfter: warnafter }),
  }
}

function namedIn(value: JsonValue | undefined): Named | undefined {
  if (!isObject(value) || typeof value.name !== "string") return undefined
  return { name: value.name, uid: typeof value.uid === "string" ? value.uid : "" }
}
