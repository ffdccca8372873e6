/** An identity provider: its configuration and keys. */
import type { CryptoKey, FlattenedJWSInput, JSONWebKeySet, JWK, JWSHeaderParameters, JWTPayload } from "jose"
import type { Clock } from "../../base/clock.ts"
import { cut } from "../../base/quote.ts"
import { rsaNumbersFault } from "../../encoding/public-key.ts"
import { AuthenticationError } from "../authenticate.ts"
import { discoveryRetryMs, keysRefreshMs } from "../limits.ts"
import { isRecord, type ProviderClient } from "./fetch-document.ts"

export interface ProviderOptions {
  readonly issuer: string
  /** URL of its configuration. Undefined: the standard address of OpenID Connect. */
  readonly discoveryUrl: string | undefined
  readonly client: Pick<ProviderClient, "get">
  readonly clock: Clock
  /** Whether it is asked again until it answers. */
  readonly retries: boolean
  /** Called when its configuration was read. */
  readonly onReady: () => void
  /** Called when the provider could not be reached. */
  readonly onFault: (message: string) => void
}

/** The library, loaded on first use. */
export type Jose = typeof import("jose")
type KeyOf = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>

interface Keys {
  readonly keyOf: KeyOf
  readonly readMs: number
}

/**
 * Requests the provider's configuration at once, and every `discoveryRetryMs` until it answers: the provider may run in
 * this very cluster. Reads the keys with the first token, and again when a token is signed with an unknown key.
 */
export class Provider {
  private keysUrl: string | undefined
  private keys: Keys | undefined
  private reading: Promise<Keys> | undefined
  private cancel: () => void = () => undefined
  private isStopped = false
  /** Resolves after the first attempt, with whether the provider has answered. */
  readonly asked: Promise<boolean>

  constructor(private readonly options: ProviderOptions) {
    this.asked = this.discover()
  }

  /** Whether its configuration was read. */
  get isReady(): boolean {
    return this.keysUrl !== undefined
  }

  stop(): void {
    this.isStopped = true
    this.cancel()
  }

  private async discover(): Promise<boolean> {
    const { client, clock, discoveryUrl, issuer, onFault, onReady, retries } = this.options
    try {
      const found = await client.get(discoveryUrl ?? `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`)
      if (found["issuer"] !== issuer)
        throw new Error(`the provider calls itself ${cut(String(JSON.stringify(found["issuer"])))}, not ${issuer}`)
      if (typeof found["jwks_uri"] !== "string") throw new Error("the provider does not say where its keys are (jwks_uri)")
      this.keysUrl = found["jwks_uri"]
      onReady()
      return true
    } catch (error) {
      if (this.isStopped) return false
      onFault(error instanceof Error ? error.message : String(error))
      if (retries) this.cancel = clock.after(discoveryRetryMs, () => void this.discover())
      return false
    }
  }

  /**
   * Returns the claims of a token that is signed by one of the keys and that `check` accepts; `check` verifies with the
   * key that it gets. Rejects with AuthenticationError.
   */
  async verified(jose: Jose, check: (keyOf: KeyOf) => Promise<JWTPayload>): Promise<JWTPayload> {
    const known = this.keys ?? (await this.read(jose))
    try {
      return await this.anyKey(jose, known, check)
    } catch (error) {
      if (!isOfKey(jose, error) || this.options.clock.elapsedMs() - known.readMs < keysRefreshMs) throw error
    }
    return this.anyKey(jose, await this.read(jose), check)
  }

  /** Tries a token without a key id with all keys that may have signed it. */
  private async anyKey(jose: Jose, { keyOf }: Keys, check: (keyOf: KeyOf) => Promise<JWTPayload>): Promise<JWTPayload> {
    try {
      return await check(keyOf)
    } catch (error) {
      if (!(error instanceof jose.errors.JWKSMultipleMatchingKeys)) throw error
      let fault: unknown = error
      // Bounded: these keys of the issuer share an id.
      for await (const key of error) {
        try {
          return await check(async () => key)
        } catch (wrong) {
          fault = wrong
        }
      }
      throw fault
    }
  }

  private read(jose: Jose): Promise<Keys> {
    this.reading ??= this.readNow(jose).finally(() => {
      this.reading = undefined
    })
    return this.reading
  }

  private async readNow(jose: Jose): Promise<Keys> {
    const { client, clock, onFault } = this.options
    if (this.keysUrl === undefined) throw new AuthenticationError("oidc: authenticator not initialized")
    try {
      const found = await client.get(this.keysUrl)
      if (!isKeySet(found)) throw new Error(`${this.keysUrl}: the answer has no keys`)
      const keys = found.keys.filter((key) => isCheap(key))
      if (keys.length < found.keys.length) onFault(`${this.keysUrl}: an RSA key is too long, or its exponent is; it is not used`)
      this.keys = { keyOf: jose.createLocalJWKSet({ keys }), readMs: clock.elapsedMs() }
      return this.keys
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      onFault(message)
      throw new AuthenticationError(`oidc: verify token: fetching keys: ${message}`)
    }
  }
}

function isKeySet(found: Readonly<Record<string, unknown>>): found is Readonly<Record<string, unknown>> & JSONWebKeySet {
  const { keys } = found
  return Array.isArray(keys) && keys.every((key) => isRecord(key) && typeof key["kty"] === "string")
}

/** Whether a signature of the key costs little to check. The library has no limit. */
function isCheap({ kty, n, e }: JWK): boolean {
  if (kty !== "RSA" || typeof n !== "string" || typeof e !== "string") return true
  return rsaNumbersFault(Buffer.from(n, "base64url"), Buffer.from(e, "base64url")) === undefined
}

/** Whether the token may be valid with another set of keys. */
function isOfKey(jose: Jose, error: unknown): boolean {
  return error instanceof jose.errors.JWKSNoMatchingKey || error instanceof jose.errors.JWSSignatureVerificationFailed
}
