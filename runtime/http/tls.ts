/** What TLS needs of a listener: certificates, keys, and what they are used with. */
import { constants } from "node:crypto"
import type { SecureContextOptions } from "node:tls"

/** A certificate and its key, as PEM. */
interface Pair {
  /** The serving certificate, and behind it those between it and an authority. */
  readonly certificate: string
  readonly key: string
}

/** A certificate for clients that ask for some names. */
export interface NamedCertificate extends Pair {
  /** Host names, `*.` with a domain, and addresses. Empty: those of the certificate. */
  readonly names: readonly string[]
}

export interface Tls extends Pair {
  /** Further certificates; an earlier one goes before a later one. */
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

/** What a server serves with, except what authentication adds. */
export interface ServingTls {
  current(): Omit<Tls, "clientAuthorities">
  /** Calls `listener` when `current` has changed. */
  onChange(listener: () => void): void
  /** Nothing is read any more. */
  stop(): void
}

/** Certificates that stay as they are. */
export function fixedTls(tls: Omit<Tls, "clientAuthorities">): ServingTls {
  return { current: () => tls, onChange: () => undefined, stop: () => undefined }
}

/** The curves of kube-apiserver 1.30, in its order. */
const curves = "X25519:P-256:P-384:P-521"

/**
 * A list of revoked certificates: empty, and of an authority that exists here alone. With it, OpenSSL asks for the list
 * of each authority that has issued a client's certificate, has none, and so verifies no client. The server does not
 * ask OpenSSL; Node 24.21 does after a handshake, and takes the certificates that were sent with a verified one
 * (nodejs/node issue 65579). The server could not read them any more.
 */
const revocations = `-----BEGIN X509 CRL-----
MIGpMFACAQEwCgYIKoZIzj0EAwIwETEPMA0GA1UEAwwGbm9ib2R5Fw0yNjExMjcy
MTUwNDBaFw0yNjExMjgyMTUwNDBaoA4wDDAKBgNVHRQEAwIBATAKBggqhkjOPQQD
AgNJADBGAiEA1qQb5jSaIK3yYDCDR6KZkCHH1OR2pGS58MDmgvW5Zd0CIQDAn9XB
nLk9HL92Qvgec5DBIscviAGMuROfi4wURw8upg==
-----END X509 CRL-----
`

/** As node takes it. */
export function contextOf({ certificate, key, minVersion = "TLSv1.2", ciphers, clientAuthorities }: Tls): SecureContextOptions {
  // In a second handshake a client could send its certificates without `guardHandshake` seeing them. Go has none.
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
  // A resumed connection has the client's certificate without those that it sent with it, which verify it.
  return { ...serving, ca: clientAuthorities, crl: revocations, secureOptions: always | constants.SSL_OP_NO_TICKET }
}
