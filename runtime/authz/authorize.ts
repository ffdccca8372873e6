/** Whether a user may do what a request asks: the modes of `--authorization-mode` in order, the first opinion counts. Specification section 5. */
import { ApiError, type ObjectRef } from "../base/errors.ts"
import { anonymous } from "../authn/authenticate.ts"
import type { RequestInfo, User } from "../http/request/context.ts"

export type Authorizer = (request: { user: User; info: RequestInfo }) => "allow" | "deny" | "no-opinion"

export const alwaysAllow: Authorizer = () => "allow"
/** The group whose members pass every mode and every limit of requests: an administrator must be able to mend the server. */
export const privilegedGroup = "system:masters"
export const alwaysDeny: Authorizer = ({ user }) => (user.groups.includes(privilegedGroup) ? "allow" : "no-opinion")

/** Readable without a credential, whatever the settings: health and version say nothing about what the server holds. */
export function isPublicPath(info: RequestInfo): boolean {
  return info.method === "GET" && (isHealthPath(info) || (!info.isResource && versionPath.test(info.path)))
}

/** Whether a request is a probe of health: no limit of requests holds it up. */
export function isHealthPath(info: RequestInfo): boolean {
  return !info.isResource && healthPaths.test(info.path)
}

const healthPaths = /^\/(healthz|livez|readyz)(\/|$)/
const versionPath = /^\/version\/?$/

/** Whether a request to a path that anybody may read came from a user who may read it without that: known by a credential, and allowed. */
export function isTrusted(authorizers: readonly Authorizer[], request: { user: User; info: RequestInfo }): boolean {
  return request.user !== anonymous && opinionOf(authorizers, request) === "allow"
}

/** Throws 403 when no authorizer allows. */
export function authorize(authorizers: readonly Authorizer[], request: { user: User; info: RequestInfo }): void {
  if (opinionOf(authorizers, request) === "allow") return
  throw forbiddenFor(request.user, request.info, authorizers.includes(alwaysDeny) ? ": Everything is forbidden." : "")
}

/** The first that there is. */
function opinionOf(authorizers: readonly Authorizer[], request: { user: User; info: RequestInfo }): ReturnType<Authorizer> {
  for (const authorizer of authorizers) {
    const opinion = authorizer(request)
    if (opinion !== "no-opinion") return opinion
  }
  return "no-opinion"
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
  // The reference takes a namespace for an object of itself here.
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
