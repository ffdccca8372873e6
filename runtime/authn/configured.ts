import type { ClientTrust } from "../base/client-trust.ts"
import type { JsonValue } from "../base/json.ts"
import type { Authenticator } from "./authenticate.ts"
import type { TokenCacheMeter } from "./meters.ts"

/** The client of web hooks (`hooks/hooks.ts`). */
export interface ReviewSender {
  post(place: object, call: { readonly review: string; readonly timeoutMs: number }): Promise<JsonValue>
}

/** Parts of the server that token authenticators need. */
export interface TokenParts {
  readonly hooks: ReviewSender
  /** The audiences of the server. */
  readonly audiences: readonly string[]
  readonly meter: TokenCacheMeter
}

/** Authenticators configured by command-line options. */
export interface ConfiguredAuthentication {
  /** Certificate authenticators, in their order; asked before token authenticators. */
  readonly certificates: readonly Authenticator[]
  /** Authenticator of the tokens in a file, which are for these audiences; asked after certificates. */
  readonly listed?: (audiences: readonly string[]) => Authenticator
  /** Authenticators of tokens that the server does not know itself; asked last, in their order. */
  readonly tokens: (parts: TokenParts) => readonly Authenticator[]
  /** Removes the header fields in which a proxy names a user, once the user of the request is known. */
  readonly removeHeaders?: (headers: Record<string, unknown>) => void
  /** PEM of the authorities that TLS names to clients when it requests a certificate. Undefined: it requests none. */
  clientAuthorities(): string | undefined
  /** Trusted authorities and proxy headers; servers behind this one must trust the same. */
  trust(): ClientTrust
  /** Calls `listener` when `clientAuthorities` has changed, and with it `trust`. */
  onAuthorities(listener: () => void): void
  /** Stops reading files and calling other servers. */
  stop(): void
}
