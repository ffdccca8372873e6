/** Limits of authentication. */

/** Certificates that a client may send, its own included; more are refused. Real chains have up to five. */
export const sentCertificatesMax = 10

/**
 * Signatures checked for one certificate: cross-signed authorities make many paths. Each check takes up to a
 * millisecond with the keys that `keyFault` accepts.
 */
export const signatureChecksMax = 30

/** Cached answers about tokens, per authenticator; beyond that, the oldest is dropped and asked for again. */
export const keptTokensMax = 8192

/** Concurrent token look-ups of an authenticator; further tokens are refused. */
export const tokenLookUpsMax = 1000

/** Characters of a token; a longer one is refused without a look-up. */
export const tokenCharactersMax = 16_384

/** Characters of one user's name, groups and extras from another server; more is refused. */
export const identityCharactersMax = 64 * 1024

/** Calls of the web hook of tokens for one look-up, and the delay before the second: the reference's numbers. */
export const hookAttemptsMax = 5
export const hookRetryMs = 500
export const hookRetryFactor = 1.5
export const hookRetryJitter = 0.2

/** Milliseconds for one look-up of a token by the web hook, with all attempts, and for one answer of a provider. */
export const tokenLookUpMs = 30_000
export const providerTimeoutMs = 30_000

/** Bytes of a document of an identity provider; more is an error. */
export const providerAnswerBytesMax = 1024 * 1024

/** Bytes of a token with distributed claims, which exist because there are many groups. */
export const distributedTokenBytesMax = 256 * 1024

/** Other issuers whose tokens may hold the distributed claims of one issuer. */
export const distributedIssuersMax = 8

/** Milliseconds in which the issuers of a changed configuration must be ready; the reference's number. */
export const changedIssuersMs = 60_000

/** Milliseconds until a provider that did not answer is asked for its configuration again; the reference's number. */
export const discoveryRetryMs = 10_000

/** Milliseconds before the keys of a provider are read again: clients can make tokens with unknown keys. */
export const keysRefreshMs = 5000

/** Seconds by which an ID token is accepted before its `nbf`; the reference's number. */
export const notBeforeLeewaySeconds = 60

/** Milliseconds for which the user of an ID token is cached; the reference's number. */
export const keptIdTokensMs = 10_000

/**
 * Milliseconds for which a valid token of a service account, or a bootstrap token, is cached; the reference's number.
 */
export const keptAccountTokensMs = 10_000

/** Concurrent writes of last-use labels to Secrets; a Secret beyond that is labelled at its next look-up. */
export const lastUseWritesMax = 16

/** Different reasons for refused credentials that are logged per period, and its length in milliseconds. */
export const loggedReasonsMax = 10
export const loggedReasonsMs = 60_000

/** Characters of such a reason, part of which comes from the client. */
export const loggedReasonCharactersMax = 1024
