/** What a server knows of the tokens of service accounts. */
import type { SigningKey, VerifyingKey } from "./keys.ts"

export interface ServiceAccountTokens {
  /** They verify tokens. They change with their files, so they are read for each token. */
  readonly keys: readonly VerifyingKey[]
  /** Signs tokens, and changes with its file; undefined: the server only verifies. */
  readonly signing: SigningKey | undefined
  /** Accepted values of `iss`; the first is that of new tokens. */
  readonly issuers: readonly string[]
  /** The longest life of a token, in seconds; absent: any. */
  readonly maxSeconds?: number
  readonly extendsExpiration: boolean
  /** Whether the account, and what a token is bound to, must exist. */
  readonly lookup: boolean
  /** Where others find the keys; absent: at this server. */
  readonly jwksUri?: string
  /** The files of the keys are not read any more. */
  stop(): void
}
