/**
 * Authorization: the modes of `--authorization-mode` in order, of which the first with an opinion decides.
 * Specification section 5.
 */
import { ApiError, type ObjectRef } from "../base/errors.ts"
import { anonymous } from "../authn/authenticate.ts"
import type { Decision, Opinion } from "../base/decision.ts"
import type { UserRules } from "../schema/access.ts"
import type { RequestInfo } from "../http/request/context.ts"
import type { User } from "../base/user.ts"

/** One mode. */
export interface Authorizer {
  (request: { user: User; info: RequestInfo }): Opinion
  /** Why it does not allow a request. Reviews and refusals say it. */
  readonly reason?: string
  /** What a user may do in a namespace. Absent: it cannot be listed, and reviews say that they are incomplete. */
  readonly rulesFor?: (user: User, namespace: string) => UserRules
}

const everything: UserRules = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  incomplete: false,
}
const nothing: UserRules = { resourceRules: [], nonResourceRules: [], incomplete: false }

export const alwaysAllow: Authorizer = Object.assign((): Opinion => "allow", { rulesFor: () => everything })
/** Members of this group pass every mode and the limits of requests in flight: an administrator must be able to act. */
export const privilegedGroup = "system:masters"
export const alwaysDeny: Authorizer = Object.assign(
  ({ user }: { user: User }): Opinion => (user.groups.includes(privilegedGroup) ? "allow" : "no-opinion"),
  { reason: "Everything is forbidden.", rulesFor: () => nothing },
)

/** Whether a request needs neither credential nor permission: health and version reveal nothing of the objects. */
export function isPublicPath(info: RequestInfo): boolean {
  return info.method === "GET" && (isHealthPath(info) || (!info.isResource && versionPath.test(info.path)))
}

/** Whether a request is a health probe. Limits of requests in flight do not apply to it. */
export function isHealthPath(info: RequestInfo): boolean {
  return !info.isResource && healthPaths.test(info.path)
}

const healthPaths = /^\/(healthz|livez|readyz)(\/|$)/
const versionPath = /^\/version\/?$/

/**
 * Called for public paths, which pass without authorization. Returns whether the user has a credential and is allowed
 * to read the path by the modes as well; the answer may then contain details.
 */
export function isTrusted(authorizers: readonly Authorizer[], request: { user: User; info: RequestInfo }): boolean {
  return request.user !== anonymous && decide(authorizers, request).opinion === "allow"
}

/** Throws 403 unless an authorizer allows the request. */
export function authorize(authorizers: readonly Authorizer[], request: { user: User; info: RequestInfo }): void {
  demand(decide(authorizers, request), request)
}

/** Throws 403 unless the decision allows the request. */
export function demand({ opinion, reason }: Decision, request: { user: User; info: RequestInfo }): void {
  if (opinion !== "allow") throw forbiddenFor(request.user, request.info, reason === "" ? "" : `: ${reason}`)
}

/** The first opinion. `reason`: why the authorizers up to that one do not allow the request. */
export function decide(authorizers: readonly Authorizer[], request: { user: User; info: RequestInfo }): Decision {
  let reason = ""
  for (const authorizer of authorizers) {
    const opinion = authorizer(request)
    if (opinion === "allow") return { opinion, reason: "" }
    if (authorizer.reason !== undefined) reason = reason === "" ? authorizer.reason : `${reason}\n${authorizer.reason}`
    if (opinion === "deny") return { opinion, reason }
  }
  return { opinion: "no-opinion", reason }
}

function forbiddenFor(user: User, info: RequestInfo, why: string): ApiError {
  if (!info.isResource)
    return new ApiError(
      403,
      "Forbidden",
      `forbidden: User ${JSON.stringify(user.name)} cannot ${info.verb} path ${JSON.stringify(info.path)}${why}`,
      {},
    )
  const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`
  // The reference treats a Namespace as an object in itself here.
  const namespace = info.group === "" && info.resource === "namespaces" ? info.name : info.namespace
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`
  const subject: ObjectRef = { group: info.group, resource: info.resource, name: info.name }
  const qualified = info.group === "" ? info.resource : `${info.resource}.${info.group}`
  const what = `${qualified}${info.name === "" ? "" : ` ${JSON.stringify(info.name)}`} is forbidden: `
  return new ApiError(
    403,
    "Forbidden",
    `${what}User ${JSON.stringify(user.name)} cannot ${info.verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(info.group)} ${where}${why}`,
    { ...(subject.name !== "" && { name: info.name }), ...(info.group !== "" && { group: info.group }), kind: info.resource },
  )
}
