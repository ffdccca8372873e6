import type { JsonValue } from "../base/json.ts"
import { type Authenticator, type StaticToken, staticTokens } from "./authenticate.ts"

/** The client of web hooks (`hooks/hooks.ts`). */
export interface ReviewSender {
  post(place: object, call: { readonly review: string; readonly timeoutMs: number }): Promise<JsonValue>
}

/** The authenticators that options of the start configure. */
export interface ConfiguredAuthentication {
  /** Those of certificates, which are asked before any of tokens, in their order. */
  readonly certificates: readonly Authenticator[]
  /** Those of tokens that are not in the server's own list; asked after it, in their order. */
  readonly tokens: (hooks: ReviewSender) => readonly Authenticator[]
  /** Removes the header fields that name a user of a proxy, once the user of the request is known. */
  readonly removeHeaders?: (headers: Record<string, unknown>) => void
  /** PEM of the authorities that TLS names to clients when it asks for a certificate. Undefined: it asks for none. */
  clientAuthorities(): string | undefined
  /** Calls `listener` when `clientAuthorities` has changed. */
  onAuthorities(listener: () => void): void
  /** Nothing is read or asked any more. */
  stop(): void
}

interface AuthenticatorParts {
  readonly hooks: ReviewSender
  readonly configured: ConfiguredAuthentication | undefined
  readonly tokens: readonly StaticToken[]
  /** `--api-audiences` */
  readonly audiences: readonly string[]
}

/** Called once per server: all authenticators in the order in which they are asked, as in kube-apiserver. */
export function authenticatorsInOrder({ audiences, configured, hooks, tokens }: AuthenticatorParts): readonly Authenticator[] {
  return [
    ...(configured?.certificates ?? []),
    ...(tokens.length === 0 ? [] : [staticTokens(tokens, audiences)]),
    ...(configured?.tokens(hooks) ?? []),
  ]
}
