/**
 * Bytes of a PKCS#10 request that the signer accepts; a longer one gets no certificate. Parsing this many takes up to
 * 70 ms of CPU if all of them are names. Real requests have 1 KiB, and with a hundred names 4 KiB.
 */
export const signedRequestBytesMax = 8 * 1024
