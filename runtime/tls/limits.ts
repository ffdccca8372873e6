/** Limits of the bytes that the other end of a TLS connection may send before its handshake is done. */

/**
 * Bytes from a client. Ten certificates with RSA keys of 4096 bits are 15 KB, after a first message of 2 KB. OpenSSL
 * accepts 100 KB, and checks the signatures of all certificates in one go.
 */
export const clientHandshakeBytesMax = 32 * 1024

/**
 * Bytes from a server: some send a whole file of authorities, and EncryptedExtensions. Go accepts no longer message.
 */
export const serverHandshakeBytesMax = 64 * 1024

/**
 * Certificates of one chain: with keys that `keyFault` accepts, each costs OpenSSL up to a millisecond. Real chains
 * have up to five; a client with more than `sentCertificatesMax` gets 401, which explains more than a broken
 * connection.
 */
export const handshakeCertificatesMax = 12

/** Records of a handshake; real ones have up to ten. Each costs the same, however small it is. */
export const handshakeRecordsMax = 64

/**
 * Milliseconds of CPU that a handshake with a certificate may take without a charge; most take one. For CPU time beyond
 * that, its address waits this many times as long until its next handshake begins. The addresses of load balancers have
 * many clients, so ordinary handshakes cost them nothing.
 */
export const certificateCheckFreeMs = 5
export const certificateChargeFactor = 10
