/** Verifies tokens of one issuer: signature, times and audience. */
import type { JWTPayload, JWTVerifyOptions } from "jose"
import type { Clock } from "../../base/clock.ts"
import { AuthenticationError } from "../authenticate.ts"
import { isCompactToken } from "../jwt-form.ts"
import { notBeforeLeewaySeconds } from "../limits.ts"
import type { Jose, Provider } from "./provider.ts"

export interface TokenVerifierOptions {
  readonly issuer: string
  readonly audiences: readonly string[]
  readonly algorithms: readonly string[]
  readonly provider: Provider
  readonly clock: Clock
}

/** Google's tokens may name their issuer without the scheme, as its older ones do. */
const googleIssuer = "https://accounts.google.com"
const googleIssuerAlias = "accounts.google.com"

/** The issuer that a token names, not verified yet; undefined when it is not a token of this form. */
export function untrustedIssuer(jose: Jose, token: string): string | undefined {
  if (!isCompactToken(token)) return undefined
  try {
    const { iss } = jose.decodeJwt(token)
    return iss === googleIssuerAlias ? googleIssuer : typeof iss === "string" ? iss : undefined
  } catch {
    return undefined
  }
}

/** Returns the claims of a token. Rejects with AuthenticationError. */
export async function verifiedClaims(jose: Jose, token: string, options: TokenVerifierOptions): Promise<JWTPayload> {
  const { audiences, algorithms, clock, issuer, provider } = options
  try {
    const claims = await provider.verified(jose, async (keyOf) => {
      const how: JWTVerifyOptions = {
        issuer: issuer === googleIssuer ? [issuer, googleIssuerAlias] : issuer,
        audience: [...audiences],
        algorithms: [...algorithms],
        currentDate: new Date(clock.nowMs()),
        clockTolerance: notBeforeLeewaySeconds,
        requiredClaims: ["exp"],
      }
      return (await jose.jwtVerify(token, keyOf, how).catch((error: unknown) => Promise.reject(unusable(jose, error)))).payload
    })
    // The tolerance above is meant for `nbf` alone.
    if ((claims.exp ?? 0) * 1000 < clock.nowMs()) throw new AuthenticationError("oidc: verify token: it has expired")
    return claims
  } catch (error) {
    if (error instanceof jose.errors.JOSEError) throw new AuthenticationError(`oidc: verify token: ${error.message}`)
    throw error
  }
}

/** The library reports an unusable key, too short or not a key at all, by a plain Error or TypeError. */
function unusable(jose: Jose, error: unknown): unknown {
  if (error instanceof jose.errors.JOSEError || !(error instanceof Error)) return error
  return new AuthenticationError(`oidc: verify token: the key of the provider cannot be used: ${error.message}`)
}
