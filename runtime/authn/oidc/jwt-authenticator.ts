/** An issuer of ID tokens as the server uses it: checked, and its expressions compiled. */
import type { AccessExpression } from "../../policies/access-expressions.ts"

/** Where a fact of the user comes from: a claim with a prefix, or an expression over the claims. */
export type ClaimSource = { readonly claim: string; readonly prefix: string } | { readonly expression: AccessExpression }

/** An expression that must be true, and what to say if it is not. */
export interface ValidationRule {
  readonly expression: AccessExpression
  readonly message: string
}

export interface JwtAuthenticator {
  readonly issuer: string
  /** Where the configuration of the issuer is, if not at its own address. */
  readonly discoveryUrl: string | undefined
  /** PEM of the authorities of its certificate. Undefined: those that the system trusts. */
  readonly authorities: string | undefined
  /** A token must be for one of them. */
  readonly audiences: readonly string[]
  /** Algorithms with which a token may be signed. */
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
