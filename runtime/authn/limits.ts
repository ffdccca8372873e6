/** Limits of authentication. */

/** Certificates that a client may send for its own, with it; more are refused. Real chains have up to five. */
export const sentCertificatesMax = 10

/**
 * Signatures that are checked for one certificate: cross-signed authorities make many paths. Each takes up to a
 * millisecond with the keys that `keyFault` accepts.
 */
export const signatureChecksMax = 30

/** Answers about tokens that are kept, per authenticator; the oldest is asked for again when there are more. */
export const keptTokensMax = 8192

/** Tokens that an authenticator looks up at a time: others are refused. */
export const tokenLookUpsMax = 1000

/** Characters of a token; longer ones are not looked up. */
export const tokenCharactersMax = 16_384

/** Characters of one user's name, groups and extras, from a machine that is asked; more is refused. */
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

/** Bytes of a token with distributed claims: their point is that there are many groups. */
export const distributedTokenBytesMax = 256 * 1024

/** Issuers whose tokens may hold the distributed claims of one issuer, besides itself. */
export const distributedIssuersMax = 8

/** Milliseconds in which the issuers of a changed configuration must be ready; the reference's number. */
export const changedIssuersMs = 60_000

/** Milliseconds until a provider that did not answer is asked for its configuration again; the reference's number. */
export const discoveryRetryMs = 10_000

/** Milliseconds for which the keys of a provider are not read again: clients can make tokens with unknown keys. */
export const keysRefreshMs = 5000

/** Seconds before its beginning from which an ID token is accepted; the reference's number. */
export const notBeforeLeewaySeconds = 60

/** Milliseconds for which the user of an ID token is kept; the reference's number. */
export const keptIdTokensMs = 10_000

/** Milliseconds for which a valid token of a service account, or a bootstrap token, is kept; the reference's number. */
export const keptAccountTokensMs = 10_000

/** Secrets that are labelled with the last use of their tokens at a time; those beyond wait for their next look-up. */
export const lastUseWritesMax = 16

/** Different reasons of refused credentials that are logged in each period of so many milliseconds. */
export const loggedReasonsMax = 10
export const loggedReasonsMs = 60_000

/** Characters of such a reason: some of it is the client's. */
export const loggedReasonCharactersMax = 1024
