/** Limits of authentication. */

/** Certificates that a client may send for its own, with it; more are refused. Real chains have up to five. */
export const sentCertificatesMax = 10

/**
 * Signatures that are checked for one certificate: cross-signed authorities make many paths. Each takes up to a
 * millisecond.
 */
export const signatureChecksMax = 30

/** Bits of an RSA key in a client's chain; the number of Go's TLS. A larger one takes many milliseconds to check. */
export const rsaKeyBitsMax = 8192
