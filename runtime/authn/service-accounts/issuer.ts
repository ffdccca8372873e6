/** Makes tokens of service accounts, for TokenRequests. Specification section 5. */
import type { Clock } from "../../base/clock.ts"
import type { Random } from "../../base/random.ts"
import type { Vendor } from "../../base/vendor.ts"
import type { TokenIssuer } from "../../schema/access.ts"
import { payloadOf } from "./claims.ts"
import type { SigningKey } from "./keys.ts"

export interface IssuerOptions {
  /** Read for each token, since it changes with its file. */
  readonly key: SigningKey
  /** The `iss` of tokens: the first of `--service-account-issuer`. */
  readonly issuer: string
  readonly audiences: readonly string[]
  /** The longest life of a token, in seconds; undefined: any. */
  readonly maxSeconds?: number
  readonly extendsExpiration: boolean
  readonly clock: Clock
  readonly random: Random
  readonly vendor: Vendor
}

/** Called once per server that has a signing key. */
export function createTokenIssuer(options: IssuerOptions): TokenIssuer {
  const { issuer, audiences, maxSeconds, extendsExpiration, clock, random, vendor } = options
  return {
    audiences,
    ...(maxSeconds !== undefined && { maxSeconds }),
    extendsExpiration,
    async issue(claims) {
      // Loaded with the first token: most servers issue none.
      const { SignJWT } = await import("jose")
      const { key } = options
      const now = Math.floor(clock.nowMs() / 1000)
      return new SignJWT({ ...payloadOf(claims, vendor), jti: random.uuid() })
        .setProtectedHeader({ alg: key.algorithm, kid: key.id })
        .setIssuer(issuer)
        .setIssuedAt(now)
        .setNotBefore(now)
        .setExpirationTime(now + claims.seconds)
        .sign(key.privateKey)
    },
  }
}
