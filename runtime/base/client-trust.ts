/** Whom a server trusts to say who its clients are. */

/** What a proxy may say of its users. Names of header fields in any case. */
export interface RequestHeaderNames {
  /** Common names of the proxies' certificates. Empty: any that is verified. */
  readonly allowedNames: readonly string[]
  /** The first of these that is not empty names the user. */
  readonly usernameHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  /** What follows one of these in the name of a field is the key of an extra. */
  readonly extraPrefixes: readonly string[]
}

/** Authorities in PEM, "" for none: those of clients, and those of proxies, which name their users in header fields. */
export interface ClientTrust {
  readonly clients: string
  readonly proxies: string
  readonly proxyHeaders: RequestHeaderNames
}
