/** Authorities that a server trusts to identify its clients. */

/** Proxies, and the header fields in which they name their users. Names of header fields in any case. */
export interface RequestHeaderNames {
  /** Common names of the proxies' certificates. Empty: any that is verified. */
  readonly allowedNames: readonly string[]
  /** The first of these that is not empty names the user. */
  readonly usernameHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  /** The rest of a field's name after one of these is the key of an extra. */
  readonly extraPrefixes: readonly string[]
}

/** Authorities in PEM, "" for none: for clients, and for proxies, which name their users in header fields. */
export interface ClientTrust {
  readonly clients: string
  readonly proxies: string
  readonly proxyHeaders: RequestHeaderNames
}
