/** An issuer of ID tokens, validated, with compiled expressions. */
import type { AccessExpression } from "../../policies/access-expressions.ts"

/** The source of a user's field: a claim with a prefix, or an expression over the claims. */
export type ClaimSource = { readonly claim: string; readonly prefix: string } | { readonly expression: AccessExpression }

/** An expression that must be true, and the message if it is not. */
export interface ValidationRule {
  readonly expression: AccessExpression
  readonly message: string
}

export interface JwtAuthenticator {
  readonly issuer: string
  /** URL of the issuer's configuration, if not below its own address. */
  readonly discoveryUrl: string | undefined
  /** PEM of the authorities of its certificate. Undefined: the system's authorities. */
  readonly authorities: string | undefined
  /** A token must be for one of these audiences. */
  readonly audiences: readonly string[]
  /** Algorithms allowed for the signatures of tokens. */
  readonly algorithms: readonly string[]
  readonly username: ClaimSource
  readonly groups: ClaimSource | undefined
  readonly uid: ClaimSource | undefined
  readonly extra: readonly { readonly key: string; readonly expression: AccessExpression }[]
  /** Claims that a token must have, with their values. */
  readonly requiredClaims: readonly (readonly [claim: string, value: string])[]
  readonly claimRules: readonly ValidationRule[]
  readonly userRules: readonly ValidationRule[]
}
