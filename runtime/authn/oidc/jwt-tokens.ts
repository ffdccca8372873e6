/** Users from ID tokens of the issuers of a configuration. Specification section 5. */
import type { Clock } from "../../base/clock.ts"
import { isObject, type JsonObject } from "../../base/json.ts"
import { JsonSyntaxError, parseJson } from "../../encoding/json/text.ts"
import { AuthenticationError, type Identity } from "../authenticate.ts"
import { distributedIssuersMax, identityCharactersMax } from "../limits.ts"
import type { TokenLookUp } from "../tokens/kept-tokens.ts"
import { refusal, userOf } from "./claims.ts"
import { withDistributedClaim } from "./distributed-claims.ts"
import type { ProviderClient } from "./fetch-document.ts"
import type { JwtAuthenticator } from "./jwt-authenticator.ts"
import { type Jose, Provider } from "./provider.ts"
import { untrustedIssuer, verifiedClaims } from "./token-verifier.ts"

/** Called with the duration of each look-up of an issuer's token. Look-ups of other tokens are not measured. */
export type JwtMeter = (issuer: string, result: "success" | "failure", seconds: number) => void

export interface IssuerParts {
  readonly authenticator: JwtAuthenticator
  readonly client: ProviderClient
  readonly provider: Provider
}

export interface JwtTokensOptions {
  /** Issuers are unique. */
  readonly issuers: readonly IssuerParts[]
  readonly clock: Clock
  readonly meter: JwtMeter
}

/** Called once per configuration. Tokens of other issuers are left to other authenticators. */
export function jwtTokens({ issuers, clock, meter }: JwtTokensOptions): TokenLookUp {
  const known = new Map(issuers.map((parts) => [parts.authenticator.issuer, new Issuer(parts, clock)]))
  return async (token) => {
    if (known.size === 0) return undefined
    // Loaded with the first token: a server without an issuer never needs it.
    const jose = await import("jose")
    const name = untrustedIssuer(jose, token)
    const issuer = name === undefined ? undefined : known.get(name)
    if (name === undefined || issuer === undefined) return undefined
    const began = clock.elapsedMs()
    let result: "success" | "failure" = "failure"
    try {
      const identity = await issuer.identity(jose, token)
      result = "success"
      return identity
    } finally {
      meter(name, result, (clock.elapsedMs() - began) / 1000)
    }
  }
}

class Issuer {
  /** Other issuers of distributed claims, by their address. */
  private readonly others = new Map<string, Provider>()

  constructor(
    private readonly parts: IssuerParts,
    private readonly clock: Clock,
  ) {}

  async identity(jose: Jose, token: string): Promise<Identity> {
    const { authenticator, client } = this.parts
    const { groups } = authenticator
    const verified = await this.verified(jose, token, this.parts.provider, authenticator.issuer)
    const claims =
      groups !== undefined && "claim" in groups
        ? await withDistributedClaim(verified, groups.claim, { client, verify: (other) => this.verifiedOfAny(jose, other) })
        : verified
    const user = await userOf(authenticator, claims)
    const characters = [user.name, ...user.groups, ...Object.values(user.extra).flat()].reduce((sum, { length }) => sum + length, 0)
    if (characters > identityCharactersMax) throw refusal(`the user has more than ${identityCharactersMax} characters`)
    return { user }
  }

  /** Parses the claims from the token again, with exact numbers, for expressions. */
  private async verified(jose: Jose, token: string, provider: Provider, issuer: string): Promise<JsonObject> {
    const { audiences, algorithms } = this.parts.authenticator
    await verifiedClaims(jose, token, { issuer, audiences, algorithms, provider, clock: this.clock })
    return claimsOf(token)
  }

  private async verifiedOfAny(jose: Jose, token: string): Promise<JsonObject> {
    const issuer = untrustedIssuer(jose, token)
    if (issuer === undefined) throw refusal("could not expand distributed claims: the endpoint did not answer with a token")
    const provider = issuer === this.parts.authenticator.issuer ? this.parts.provider : await this.other(issuer)
    return this.verified(jose, token, provider, issuer)
  }

  /** The endpoint named by the issuer may answer with tokens of other issuers, whose keys are found in the same way. */
  private async other(issuer: string): Promise<Provider> {
    const { client } = this.parts
    let provider = this.others.get(issuer)
    if (provider === undefined) {
      if (this.others.size >= distributedIssuersMax)
        throw new AuthenticationError(`oidc: distributed claims come from more than ${distributedIssuersMax} issuers`)
      provider = new Provider({ issuer, discoveryUrl: undefined, client, clock: this.clock, retries: false, onReady() {}, onFault() {} })
      this.others.set(issuer, provider)
    }
    if (await provider.asked) return provider
    this.others.delete(issuer)
    throw new AuthenticationError(`oidc: verifying untrusted issuer ${issuer} failed: it cannot be asked`)
  }
}

/** Throws AuthenticationError for claims that only the token library can parse: here the depth is bounded. */
function claimsOf(token: string): JsonObject {
  try {
    const { value } = parseJson(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"))
    return isObject(value) ? value : {}
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new AuthenticationError(`oidc: parse claims: ${error.message}`)
    throw error
  }
}
