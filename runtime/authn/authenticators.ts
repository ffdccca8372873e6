/** All authenticators of a server, in the order in which they are asked. Specification section 5. */
import type { Clock } from "../base/clock.ts"
import type { Random } from "../base/random.ts"
import type { Vendor } from "../base/vendor.ts"
import type { TokenIssuer } from "../schema/access.ts"
import { type Authenticator, type StaticToken, staticTokens } from "./authenticate.ts"
import { bootstrapTokens } from "./bootstrap-tokens.ts"
import type { ConfiguredAuthentication, ReviewSender } from "./configured.ts"
import { keptAccountTokensMs } from "./limits.ts"
import type { AccountTokenMeter, TokenCacheMeter } from "./meters.ts"
import { serviceAccountTokens } from "./service-accounts/authenticator.ts"
import { createTokenIssuer } from "./service-accounts/issuer.ts"
import { lastUses, type LastUseOptions } from "./service-accounts/last-use.ts"
import type { ServiceAccountTokens } from "./service-accounts/tokens.ts"
import type { CoreReader } from "./service-accounts/verify.ts"
import { keptTokens, type TokenLookUp } from "./tokens/kept-tokens.ts"

export interface AuthenticationParts {
  readonly hooks: ReviewSender
  readonly configured: ConfiguredAuthentication | undefined
  readonly tokens: readonly StaticToken[]
  /** Undefined: there are no keys, so no token of a service account is known. */
  readonly serviceAccounts: ServiceAccountTokens | undefined
  /** `--enable-bootstrap-token-auth` */
  readonly bootstrap: boolean
  /** `--api-audiences`; empty: the first issuer of tokens of service accounts. */
  readonly audiences: readonly string[]
  readonly read: CoreReader
  /** Writes labels to Secrets; receives the error when that fails. */
  readonly lastUse: Pick<LastUseOptions, "label" | "onFault">
  readonly clock: Clock
  readonly random: Random
  readonly vendor: Vendor
  readonly meter: TokenCacheMeter
  readonly accountMeter: AccountTokenMeter
}

export interface Authentication {
  readonly authenticators: readonly Authenticator[]
  /** The audiences of the server. */
  readonly audiences: readonly string[]
  /** Undefined: the server has no key to sign tokens with. */
  readonly issuer: TokenIssuer | undefined
}

/** Called once per server. The order is as in kube-apiserver. */
export function createAuthentication(parts: AuthenticationParts): Authentication {
  const { configured, hooks, serviceAccounts, tokens, clock, meter, random, vendor, read } = parts
  const audiences = parts.audiences.length > 0 ? parts.audiences : (serviceAccounts?.issuers.slice(0, 1) ?? [])
  const shared = { read, audiences, clock, vendor }
  const accounts = { ...shared, meter: parts.accountMeter, noteUse: lastUses({ ...parts.lastUse, clock, vendor }) }
  const kept = (lookUp: TokenLookUp): Authenticator =>
    keptTokens({ lookUp, keptMs: { success: keptAccountTokensMs, failure: 0 }, clock, random, meter })
  return {
    authenticators: [
      ...(configured?.certificates ?? []),
      ...(tokens.length === 0 ? [] : [staticTokens(tokens, audiences)]),
      ...(configured?.listed === undefined ? [] : [configured.listed(audiences)]),
      ...(serviceAccounts === undefined ? [] : [kept(serviceAccountTokens({ ...accounts, tokens: serviceAccounts }))]),
      ...(parts.bootstrap ? [kept(bootstrapTokens(shared))] : []),
      ...(configured?.tokens({ hooks, audiences, meter }) ?? []),
    ],
    audiences,
    issuer: serviceAccounts === undefined ? undefined : issuerOf(serviceAccounts, { audiences, clock, random, vendor }),
  }
}

function issuerOf(
  tokens: ServiceAccountTokens,
  shared: Pick<Parameters<typeof createTokenIssuer>[0], "audiences" | "clock" | "random" | "vendor">,
): TokenIssuer | undefined {
  const { signing, issuers, maxSeconds, extendsExpiration } = tokens
  const [issuer = ""] = issuers
  if (signing === undefined) return undefined
  return createTokenIssuer({
    get key() {
      return tokens.signing ?? signing
    },
    issuer,
    ...(maxSeconds !== undefined && { maxSeconds }),
    extendsExpiration,
    ...shared,
  })
}
