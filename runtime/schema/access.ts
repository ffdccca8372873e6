/**
 * Authentication and authorization for behaviours: kinds such as TokenReview and SubjectAccessReview are answered with
 * it. `authz/access.ts` implements it over the authenticators and authorizers of the server.
 */
import type { NotedRequest } from "../base/noted-request.ts"
import type { User } from "../base/user.ts"

/** A request that a user wants to make. Groups are as on the wire; "*" stands for any value of a part. */
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
  /** `audiences`: the asked audiences that the token is for; absent when the server knows none. */
  | { readonly user: User; readonly audiences?: readonly string[] }
  /** Why the token belongs to no user. */
  | { readonly error: string }

/** Rules of a user in a namespace, as far as the authorizers can list them. */
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

/** An object that a token is bound to: the token ends with it. */
export interface BoundObject {
  readonly kind: "Pod" | "Secret"
  readonly name: string
  readonly uid: string
}

/** Claims of a service account token that is to be issued. */
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
  /** The server's audiences, for tokens that name none. */
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
   * Returns the user of a token. `audiences`: the audiences that the token must be for; empty for the server's own.
   * `request`: the request that asks; it gets the annotations and warnings of a request with that token.
   */
  authenticate(token: string, audiences: readonly string[], request?: NotedRequest): Promise<TokenAnswer>
  authorize(question: AccessQuestion): Promise<AccessDecision>
  rulesFor(user: User, namespace: string): Promise<UserRules>
}
