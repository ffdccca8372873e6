/** The TLS settings of a listener: certificates, keys, protocol versions and ciphers. */
import { constants } from "node:crypto"
import type { SecureContextOptions } from "node:tls"

/** A certificate and its key, as PEM. */
interface Pair {
  /** The serving certificate, followed by intermediate certificates. */
  readonly certificate: string
  readonly key: string
}

/** A certificate for clients that ask for some names. */
export interface NamedCertificate extends Pair {
  /** Host names, `*.` with a domain, and addresses. Empty: the names in the certificate. */
  readonly names: readonly string[]
}

export interface Tls extends Pair {
  /** Further certificates; an earlier one takes precedence. */
  readonly named?: readonly NamedCertificate[]
  /** Default TLSv1.2. */
  readonly minVersion?: "TLSv1" | "TLSv1.1" | "TLSv1.2" | "TLSv1.3"
  /** OpenSSL's list of cipher suites. Default: node's. */
  readonly ciphers?: string
  /**
   * PEM of the authorities whose certificates clients may choose from. Present: clients are asked for a certificate.
   * Whether it is valid is decided per request (`authn/certificates/`); a connection without one is as good.
   */
  readonly clientAuthorities?: string
}

/** The TLS settings of a server, without the client authorities, which authentication adds. */
export interface ServingTls {
  current(): Omit<Tls, "clientAuthorities">
  /** Calls `listener` when `current` has changed. */
  onChange(listener: () => void): void
  /** Stops reading files. */
  stop(): void
}

/** Certificates that stay as they are. */
export function fixedTls(tls: Omit<Tls, "clientAuthorities">): ServingTls {
  return { current: () => tls, onChange: () => undefined, stop: () => undefined }
}

/** The curves of kube-apiserver 1.30, in its order. */
const curves = "X25519:P-256:P-384:P-521"

/**
 * A list of revoked certificates: empty, from an authority that exists only here. With it, OpenSSL requires such a list
 * of each authority that has issued a client's certificate, finds none, and so verifies no client. The server does not
 * ask OpenSSL; Node 24.21 does after a handshake, and takes the certificates that were sent with a verified one
 * (nodejs/node issue 65579). The server could then no longer read them.
 */
const revocations = `-----BEGIN X509 CRL-----
MIGpMFACAQEwCgYIKoZIzj0EAwIwETEPMA0GA1UEAwwGbm9ib2R5Fw0yNjExMjcy
MTUwNDBaFw0yNjExMjgyMTUwNDBaoA4wDDAKBgNVHRQEAwIBATAKBggqhkjOPQQD
AgNJADBGAiEA1qQb5jSaIK3yYDCDR6KZkCHH1OR2pGS58MDmgvW5Zd0CIQDAn9XB
nLk9HL92Qvgec5DBIscviAGMuROfi4wURw8upg==
-----END X509 CRL-----
`

/** Builds the options of node's TLS context. */
export function contextOf({ certificate, key, minVersion = "TLSv1.2", ciphers, clientAuthorities }: Tls): SecureContextOptions {
  // In a renegotiation a client could send its certificates past `guardHandshake`. Go does not renegotiate either.
  const always = constants.SSL_OP_NO_RENEGOTIATION
  const serving = {
    cert: certificate,
    key,
    minVersion,
    ecdhCurve: curves,
    honorCipherOrder: true,
    secureOptions: always,
    ...(ciphers !== undefined && { ciphers }),
  }
  if (clientAuthorities === undefined) return serving
  // A resumed connection has the client's certificate without the intermediate ones, which verify it.
  return { ...serving, ca: clientAuthorities, crl: revocations, secureOptions: always | constants.SSL_OP_NO_TICKET }
}
