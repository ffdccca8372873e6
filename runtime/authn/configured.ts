import type { ClientTrust } from "../base/client-trust.ts"
import type { JsonValue } from "../base/json.ts"
import type { Authenticator } from "./authenticate.ts"
import type { TokenCacheMeter } from "./meters.ts"

/** The client of web hooks (`hooks/hooks.ts`). */
export interface ReviewSender {
  post(place: object, call: { readonly review: string; readonly timeoutMs: number }): Promise<JsonValue>
}

/** What authenticators of tokens need of the server. */
export interface TokenParts {
  readonly hooks: ReviewSender
  /** Those of the server. */
  readonly audiences: readonly string[]
  readonly meter: TokenCacheMeter
}

/** The authenticators that options of the start configure. */
export interface ConfiguredAuthentication {
  /** Those of certificates, which are asked before any of tokens, in their order. */
  readonly certificates: readonly Authenticator[]
  /** That of the tokens of a file, which are for these audiences; asked behind certificates. */
  readonly listed?: (audiences: readonly string[]) => Authenticator
  /** Those of tokens that are not in the server's own list; asked last, in their order. */
  readonly tokens: (parts: TokenParts) => readonly Authenticator[]
  /** Removes the header fields that name a user of a proxy, once the user of the request is known. */
  readonly removeHeaders?: (headers: Record<string, unknown>) => void
  /** PEM of the authorities that TLS names to clients when it asks for a certificate. Undefined: it asks for none. */
  clientAuthorities(): string | undefined
  /** Whom this server trusts, for servers behind it that must trust the same. */
  trust(): ClientTrust
  /** Calls `listener` when `clientAuthorities` has changed, and with it `trust`. */
  onAuthorities(listener: () => void): void
  /** Nothing is read or asked any more. */
  stop(): void
}
