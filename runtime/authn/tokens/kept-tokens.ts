/** Caches the answers of token authenticators that take time. */
import { createHmac } from "node:crypto"
import type { Clock } from "../../base/clock.ts"
import type { Random } from "../../base/random.ts"
import { AuthenticationError, type Authenticator, type Identity } from "../authenticate.ts"
import type { TokenCacheMeter } from "../meters.ts"
import { keptTokensMax, tokenCharactersMax, tokenLookUpsMax } from "../limits.ts"

/**
 * Looks a token up. Resolves with undefined when it is of another type, or not valid; rejects with AuthenticationError
 * when that cannot be determined, or with the reason.
 */
export type TokenLookUp = (token: string, audiences: readonly string[]) => Promise<Identity | undefined>

export interface KeptTokensOptions {
  readonly lookUp: TokenLookUp
  /** Milliseconds for which a user, and the absence of one, is cached. 0: not at all. Errors are never cached. */
  readonly keptMs: { readonly success: number; readonly failure: number }
  readonly clock: Clock
  readonly random: Random
  readonly meter: TokenCacheMeter
}

interface Kept {
  readonly identity: Identity | undefined
  readonly untilMs: number
}

/** Requests with the same token share a look-up. Cached answers are returned at once, without a promise. */
export function keptTokens({ lookUp, keptMs, clock, random, meter }: KeptTokensOptions): Authenticator {
  // Oldest first.
  const kept = new Map<string, Kept>()
  const running = new Map<string, Promise<Identity | undefined>>()
  // Keys are keyed hashes, so that memory contains no tokens, and clients cannot choose keys.
  const secret = random.bytes(32)
  const keep = (key: string, identity: Identity | undefined): void => {
    const forMs = identity === undefined ? keptMs.failure : keptMs.success
    if (forMs <= 0) return
    kept.delete(key)
    kept.set(key, { identity, untilMs: clock.elapsedMs() + forMs })
    if (kept.size > keptTokensMax) for (const oldest of kept.keys()) return void kept.delete(oldest)
  }
  return ({ token, audiences }) => {
    if (token === undefined) return undefined
    const began = clock.elapsedMs()
    if (token.length > tokenCharactersMax) throw new AuthenticationError(`the token has more than ${tokenCharactersMax} characters`)
    const key = createHmac("sha256", secret)
      .update(audiences.length === 0 ? token : JSON.stringify([token, audiences]))
      .digest("base64")
    const known = kept.get(key)
    if (known !== undefined && began < known.untilMs) {
      meter.end(true, began)
      return known.identity
    }
    const before = running.get(key)
    if (before !== undefined) return measured(before, meter, { began, ended: meter.blocked() })
    if (running.size >= tokenLookUpsMax) throw new AuthenticationError("too many tokens are being looked up")
    const fetched = meter.fetching()
    const lookingUp = lookUp(token, audiences)
      .then(
        (identity) => {
          fetched("ok")
          keep(key, identity)
          return identity
        },
        (error: unknown) => {
          fetched("error")
          throw error
        },
      )
      .finally(() => running.delete(key))
    running.set(key, lookingUp)
    return measured(lookingUp, meter, { began, ended: () => undefined })
  }
}

async function measured<Answer>(
  answer: Promise<Answer>,
  meter: TokenCacheMeter,
  { began, ended }: { readonly began: number; readonly ended: () => void },
): Promise<Answer> {
  try {
    return await answer
  } finally {
    ended()
    meter.end(false, began)
  }
}
