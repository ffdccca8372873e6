/**
 * What behaviours ask of authentication and authorization: the kinds TokenReview, SubjectAccessReview and the like are
 * answered with it. `authz/access.ts` implements it over the authenticators and authorizers of the server.
 */
import type { NotedRequest } from "../base/noted-request.ts"
import type { User } from "../base/user.ts"

/** What a user wants to do. Groups are as on the wire; "*" stands for any value of a part. */
export type AccessQuestion =
  | { readonly user: User; readonly verb: string; readonly path: string }
  | { readonly user: User; readonly verb: string; readonly resource: ResourceQuestion }

/** The object, or the objects, of a question. An empty string means that a part is absent. */
export interface ResourceQuestion {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

export interface AccessDecision {
  readonly allowed: boolean
  /** An authorizer forbids it. Neither allowed nor denied: none of them has an opinion. */
  readonly denied: boolean
  readonly reason: string
  /** Why an authorizer could not decide. */
  readonly error?: string
}

export type TokenAnswer =
  /** `audiences`: those of the asked ones that the token is for; absent when the server knows none. */
  | { readonly user: User; readonly audiences?: readonly string[] }
  /** Why the token belongs to no user. */
  | { readonly error: string }

/** What a user may do in a namespace, as far as the authorizers can list it. */
export interface UserRules {
  readonly resourceRules: readonly ResourceRule[]
  readonly nonResourceRules: readonly NonResourceRule[]
  /** There may be more. */
  readonly incomplete: boolean
  readonly error?: string
}

export interface ResourceRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
}

export interface NonResourceRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

/** An object with which a token ends. */
export interface BoundObject {
  readonly kind: "Pod" | "Secret"
  readonly name: string
  readonly uid: string
}

/** What a token of a service account is to say. */
export interface TokenClaims {
  readonly account: { readonly namespace: string; readonly name: string; readonly uid: string }
  readonly audiences: readonly string[]
  /** How long it is valid. */
  readonly seconds: number
  readonly bound?: BoundObject
  /** The node of the pod that it is bound to; the uid is "" if the node is not known. */
  readonly node?: { readonly name: string; readonly uid: string }
  /** Seconds since 1970 after which clients should have fetched another token. */
  readonly warnAfter?: number
}

/** Makes tokens of service accounts. */
export interface TokenIssuer {
  /** Those of the server: what a token is for that names none. */
  readonly audiences: readonly string[]
  /** The longest life of a token; absent: any. */
  readonly maxSeconds?: number
  /** `--service-account-extend-token-expiration`. */
  readonly extendsExpiration: boolean
  /** Returns the token. */
  issue(claims: TokenClaims): Promise<string>
}

/** The functions reject with ApiError only. They may ask other machines. */
export interface Access {
  /** Absent: the server has no key to sign tokens with. */
  readonly issuer?: TokenIssuer
  /**
   * Whose token it is. `audiences`: those that the token has to be for; empty for the server's own. `request`: what
   * asks; it is annotated and warned as a request with that token is.
   */
  authenticate(token: string, audiences: readonly string[], request?: NotedRequest): Promise<TokenAnswer>
  authorize(question: AccessQuestion): Promise<AccessDecision>
  rulesFor(user: User, namespace: string): Promise<UserRules>
}
