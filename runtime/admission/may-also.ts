import { decide } from "../authz/authorize.ts"
import type { RequestInfo } from "../http/request/request-info.ts"
import type { RequestAttributes } from "./plugin.ts"

type AskedRight = Pick<RequestInfo, "verb" | "group" | "resource" | "namespace" | "name">

/**
 * Whether the user of a write also holds another right, such as `bind` on a role. Called by admission that guards such
 * rights. An authorizer that could not decide does not allow it.
 */
export async function mayAlso({ authorizers, user }: RequestAttributes, asked: AskedRight): Promise<boolean> {
  const info = { ...asked, isResource: true, method: "", path: "", version: "*", subresource: "", tail: [], watchPath: false }
  return (await decide(authorizers, { user, info })).opinion === "allow"
}
