/** Limits of what the other end of a TLS connection may send before its handshake is done. */

/**
 * Bytes of a client. Ten certificates with RSA keys of 4096 bits are 15 KB, and a first message of 2 KB comes before
 * them. OpenSSL takes 100 KB, and checks the signature of each certificate in one go.
 */
export const clientHandshakeBytesMax = 32 * 1024

/** Bytes of a server: some send a whole file of authorities, and EncryptedExtensions. Go takes no longer message. */
export const serverHandshakeBytesMax = 64 * 1024

/**
 * Certificates of one chain: with keys that `keyFault` accepts, each costs OpenSSL up to a millisecond. Real chains
 * have up to five; a client with more than `sentCertificatesMax` gets 401, which says more than a broken connection.
 */
export const handshakeCertificatesMax = 12

/** Records of a handshake; real ones have up to ten. Each costs the same, however little is in it. */
export const handshakeRecordsMax = 64

/**
 * Milliseconds of CPU that a handshake with a certificate may take without a charge; most take one. For what
 * it takes beyond that, its address waits this many times as long until its next one begins. The addresses of load
 * balancers have many clients, so what is usual costs them nothing.
 */
export const certificateCheckFreeMs = 5
export const certificateChargeFactor = 10
