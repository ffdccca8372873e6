/** Keys and settings of service-account tokens. */
import type { SigningKey, VerifyingKey } from "./keys.ts"

export interface ServiceAccountTokens {
  /** Keys that verify tokens. Read for each token, since they change with their files. */
  readonly keys: readonly VerifyingKey[]
  /** Signs tokens, and changes with its file; undefined: the server only verifies. */
  readonly signing: SigningKey | undefined
  /** Accepted values of `iss`; new tokens have the first. */
  readonly issuers: readonly string[]
  /** The longest life of a token, in seconds; absent: any. */
  readonly maxSeconds?: number
  readonly extendsExpiration: boolean
  /** Whether the account and the bound object must exist. */
  readonly lookup: boolean
  /** Public address of the keys; absent: this server. */
  readonly jwksUri?: string
  /** Stops following the key files. */
  stop(): void
}
