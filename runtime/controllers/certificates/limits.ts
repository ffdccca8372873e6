/**
 * Bytes of a PKCS#10 request that the signer reads; for a longer one there is no certificate. Reading this many takes
 * up to 70 ms of CPU, if all of it is names. Real ones have 1 KiB, and with a hundred names 4 KiB.
 */
export const signedRequestBytesMax = 8 * 1024
