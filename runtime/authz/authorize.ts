/**
 * Authorization: the modes of `--authorization-mode`, in order; the first with an opinion decides. Specification
 * section 5.
 */
import { ApiError, internal, type ObjectRef } from "../base/errors.ts"
import type { UserRules } from "../schema/access.ts"
import type { RequestInfo } from "../http/request/request-info.ts"
import type { Decision } from "../base/decision.ts"
import { privilegedGroup, type User } from "../base/user.ts"

/** User and request to authorize. A `RequestContext` is one. */
export interface AuthorizedRequest {
  readonly user: User
  readonly info: RequestInfo
  /** Aborted when the client no longer waits for the decision. */
  readonly signal?: AbortSignal
}

/** One mode. Only an authorizer that calls another server returns a promise, which never rejects. */
export interface Authorizer {
  (request: AuthorizedRequest): Decision | Promise<Decision>
  /** The user's permissions in a namespace. Absent: they cannot be listed, and reviews say that they are incomplete. */
  readonly rulesFor?: (user: User, namespace: string) => UserRules
}

const everything: UserRules = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  incomplete: false,
}
const nothing: UserRules = { resourceRules: [], nonResourceRules: [], incomplete: false }

/** Decisions without a reason. */
export const allowed: Decision = { opinion: "allow", reason: "" }
export const noOpinion: Decision = { opinion: "no-opinion", reason: "" }
const everythingForbidden: Decision = { opinion: "no-opinion", reason: "Everything is forbidden." }

export const alwaysAllow: Authorizer = Object.assign(() => allowed, { rulesFor: () => everything })
export const alwaysDeny: Authorizer = Object.assign(() => everythingForbidden, { rulesFor: () => nothing })

/** Placed before all modes. Reviews list only permissions granted by modes, as in the reference. */
export const privileged: Authorizer = Object.assign(
  ({ user }: AuthorizedRequest) => (user.groups.includes(privilegedGroup) ? allowed : noOpinion),
  { rulesFor: () => nothing },
)

/** Rules of a user without permissions from an authorizer. */
export const noRules: UserRules = { resourceRules: [], nonResourceRules: [], incomplete: false }
const unknownRules: UserRules = { ...noRules, incomplete: true }

/** A user's permissions in a namespace from all authorizers, as far as they can be listed. */
export function rulesOf(authorizers: readonly Authorizer[], user: User, namespace: string): UserRules {
  return authorizers.map((authorizer) => authorizer.rulesFor?.(user, namespace) ?? unknownRules).reduce(bothRules, noRules)
}

function bothRules(one: UserRules, other: UserRules): UserRules {
  const error = allErrors([one.error, other.error])
  return {
    resourceRules: [...one.resourceRules, ...other.resourceRules],
    nonResourceRules: [...one.nonResourceRules, ...other.nonResourceRules],
    incomplete: one.incomplete || other.incomplete,
    ...(error !== undefined && { error }),
  }
}

/** Whether a request is a health probe. Limits of requests in flight do not apply to it. */
export function isHealthPath(info: RequestInfo): boolean {
  return !info.isResource && healthPaths.test(info.path)
}

const healthPaths = /^\/(healthz|livez|readyz)(\/|$)/

/** Throws 403 unless the decision allows the request, and 500 when an authorizer could not decide. */
export function demand(decision: Decision, request: AuthorizedRequest): undefined {
  if (decision.opinion === "allow") return undefined
  if (decision.error !== undefined) throw internal(decision.error)
  throw forbiddenFor(request, decision.reason)
}

/**
 * The decision of the first authorizer with an opinion, without the reasons of the others. If none has one, all reasons
 * and errors together, as in the reference. Returns a promise only when an authorizer does.
 */
export function decide(authorizers: readonly Authorizer[], request: AuthorizedRequest): Decision | Promise<Decision> {
  return decideFrom(0, noOpinion, authorizers, request)
}

function decideFrom(
  first: number,
  before: Decision,
  authorizers: readonly Authorizer[],
  request: AuthorizedRequest,
): Decision | Promise<Decision> {
  let silent = before
  for (let index = first; index < authorizers.length; index++) {
    const decision = authorizers[index]?.(request) ?? noOpinion
    if (decision instanceof Promise)
      return decision.then((decided) =>
        decided.opinion === "no-opinion" ? decideFrom(index + 1, bothSilent(silent, decided), authorizers, request) : decided,
      )
    if (decision.opinion !== "no-opinion") return decision
    silent = bothSilent(silent, decision)
  }
  return silent
}

/** Joins two decisions without an opinion. */
function bothSilent(one: Decision, other: Decision): Decision {
  if (one === noOpinion || other === noOpinion) return one === noOpinion ? other : one
  const reason = [one.reason, other.reason].filter((text) => text !== "").join("\n")
  const error = allErrors([one.error, other.error])
  return { opinion: "no-opinion", reason, ...(error !== undefined && { error }) }
}

/** Several errors in one text, as the reference writes them: `[one, other]`. Undefined for none. */
export function allErrors(errors: readonly (string | undefined)[]): string | undefined {
  const texts = [...new Set(errors.filter((error) => error !== undefined))]
  return texts.length > 1 ? `[${texts.join(", ")}]` : texts[0]
}

/**
 * The namespace that a request is about. As in the reference, a Namespace counts as being in itself if the path names
 * it, but not if a field selector does.
 */
export function namespaceOf(info: RequestInfo): string {
  if (info.group !== "" || info.resource !== "namespaces") return info.namespace
  const isSelected = (info.verb === "list" || info.verb === "watch") && !info.watchPath
  return isSelected ? info.namespace : info.name
}

/** The 403 of a request that no authorizer allows, in the reference's words. */
export function forbiddenFor({ user, info }: AuthorizedRequest, reason: string): ApiError {
  const why = reason === "" ? "" : `: ${reason}`
  if (!info.isResource)
    return new ApiError(
      403,
      "Forbidden",
      `forbidden: User ${JSON.stringify(user.name)} cannot ${info.verb} path ${JSON.stringify(info.path)}${why}`,
      {},
    )
  const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`
  const namespace = namespaceOf(info)
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
