/** Users from the ID tokens of an OpenID Connect provider: `--oidc-*`. Specification section 5. */
import type { JWTPayload } from "jose"
import type { Clock } from "../../base/clock.ts"
import type { User } from "../../base/user.ts"
import { AuthenticationError } from "../authenticate.ts"
import { notBeforeLeewaySeconds } from "../limits.ts"
import type { TokenLookUp } from "../tokens/kept-tokens.ts"
import type { Provider } from "./provider.ts"

export interface OidcOptions {
  readonly issuer: string
  readonly clientId: string
  readonly usernameClaim: string
  /** Before every name; "" for none. */
  readonly usernamePrefix: string
  /** "" for none. */
  readonly groupsClaim: string
  readonly groupsPrefix: string
  readonly requiredClaims: Readonly<Record<string, string>>
  readonly algorithms: readonly string[]
  readonly provider: Provider
  readonly clock: Clock
}

/** Called once per provider. Tokens of other issuers are left to other authenticators. */
export function oidcTokens(options: OidcOptions): TokenLookUp {
  return async (token) => {
    // Loaded with the first token: a server without a provider never needs it.
    const jose = await import("jose")
    if (issuerOf(jose, token) !== options.issuer) return undefined
    try {
      const claims = await options.provider.verified(jose, async (keyOf) => {
        const { payload } = await jose.jwtVerify(token, keyOf, {
          issuer: options.issuer,
          audience: options.clientId,
          algorithms: [...options.algorithms],
          currentDate: new Date(options.clock.nowMs()),
          clockTolerance: notBeforeLeewaySeconds,
          requiredClaims: ["exp"],
        })
        return payload
      })
      // The tolerance above is for the beginning alone.
      if ((claims.exp ?? 0) * 1000 < options.clock.nowMs()) throw new AuthenticationError("oidc: verify token: it has expired")
      return { user: userOf(claims, options) }
    } catch (error) {
      if (error instanceof jose.errors.JOSEError) throw new AuthenticationError(`oidc: verify token: ${error.message}`)
      throw error
    }
  }
}

/** Of a token that is not verified; undefined when it is no token of this sort. */
function issuerOf(jose: typeof import("jose"), token: string): unknown {
  try {
    return jose.decodeJwt(token).iss
  } catch {
    return undefined
  }
}

function userOf(claims: JWTPayload, options: OidcOptions): User {
  const user = { name: options.usernamePrefix + usernameOf(claims, options.usernameClaim), groups: groupsOf(claims, options), extra: {} }
  for (const [name, value] of Object.entries(options.requiredClaims)) {
    if (!Object.hasOwn(claims, name)) throw refusal(`required claim ${name} not present in ID token`)
    if (claims[name] !== value) throw refusal(`required claim ${name} value does not match`)
  }
  return user
}

function usernameOf(claims: JWTPayload, claim: string): string {
  const name = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  if (typeof name !== "string") throw refusal(`the claim ${claim}, which names the user, is missing or no text`)
  if (claim === "email" && Object.hasOwn(claims, "email_verified") && claims["email_verified"] !== true) throw refusal("email not verified")
  return name
}

function groupsOf(claims: JWTPayload, { groupsClaim, groupsPrefix }: OidcOptions): readonly string[] {
  if (groupsClaim === "") return []
  if (!Object.hasOwn(claims, groupsClaim)) return withoutDistributed(claims, groupsClaim)
  const value = claims[groupsClaim]
  const groups: readonly unknown[] = Array.isArray(value) ? value : value === null ? [] : [value]
  return groups.map((group) => {
    if (typeof group !== "string") throw refusal(`the claim ${groupsClaim} is no list of texts`)
    return groupsPrefix + group
  })
}

/** A token whose groups are elsewhere is refused: without them its user might be allowed what a group is denied. */
function withoutDistributed(claims: JWTPayload, groupsClaim: string): readonly string[] {
  const names = claims["_claim_names"]
  if (typeof names === "object" && names !== null && Object.hasOwn(names, groupsClaim))
    throw refusal(`the claim ${groupsClaim} is a distributed claim, which this server does not fetch`)
  return []
}

function refusal(why: string): AuthenticationError {
  return new AuthenticationError(`oidc: ${why}`)
}
