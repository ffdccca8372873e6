/** Answers the questions of reviews with the authenticators and authorizers that requests pass. */
import { AuthenticationError, type Authenticator, identify } from "../authn/authenticate.ts"
import { note } from "../authn/notes.ts"
import type { Vendor } from "../base/vendor.ts"
import type { RequestInfo } from "../http/request/request-info.ts"
import type { Access, AccessDecision, AccessQuestion, TokenAnswer, TokenIssuer, UserRules } from "../schema/access.ts"
import { type Authorizer, decide, rulesOf } from "./authorize.ts"

export interface AccessParts {
  readonly authenticators: readonly Authenticator[]
  readonly authorizers: readonly Authorizer[]
  readonly vendor: Vendor
  /** The audiences of the server. */
  readonly audiences: readonly string[]
  /** Absent: the server has no key to sign tokens with. */
  readonly issuer?: TokenIssuer
}

/** Called once per server. A new authenticator or authorizer needs no change here. */
export function createAccess({ authenticators, authorizers, vendor, audiences: own, issuer }: AccessParts): Access {
  return {
    ...(issuer !== undefined && { issuer }),
    async authenticate(token, audiences, request): Promise<TokenAnswer> {
      const asked = audiences.length > 0 ? audiences : own
      try {
        const identity = await identify(authenticators, { headers: {}, token, audiences: asked })
        if (identity?.notes !== undefined) note(request, identity.notes)
        return identity ?? { error: invalidToken }
      } catch (error) {
        if (!(error instanceof AuthenticationError)) throw error
        if (error.notes !== undefined) note(request, error.notes)
        return { error: error.message }
      }
    },
    async authorize(question): Promise<AccessDecision> {
      const { opinion, reason, error } = await decide(authorizers, { user: question.user, info: infoOf(question, vendor) })
      return { allowed: opinion === "allow", denied: opinion === "deny", reason, ...(error !== undefined && { error }) }
    },
    async rulesFor(user, namespace): Promise<UserRules> {
      return rulesOf(authorizers, user, namespace)
    },
  }
}

const invalidToken = "invalid bearer token"

/** The request in question, in the form that authorizers get. */
function infoOf(question: AccessQuestion, vendor: Vendor): RequestInfo {
  const { verb } = question
  const common = { verb, method: "", tail: [], watchPath: false }
  if ("path" in question) return { ...common, ...noResource, isResource: false, path: question.path }
  const { group, version, ...resource } = question.resource
  return { ...common, ...resource, isResource: true, path: "", group: vendor.neutralGroup(group), version: version === "" ? "*" : version }
}

const noResource = { group: "", version: "", namespace: "", resource: "", subresource: "", name: "" }
