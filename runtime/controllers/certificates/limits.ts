/** Bytes of a PKCS#10 request that the signer reads; for a longer one there is no certificate. Real ones have 1 KiB. */
export const signedRequestBytesMax = 64 * 1024
