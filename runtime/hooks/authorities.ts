/** The certificate authorities that this machine trusts. */
import { existsSync, readFileSync } from "node:fs"
import { rootCertificates } from "node:tls"

/** Where distributions keep the bundle; the first that exists counts, as in Go. */
const bundles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/tls/cacert.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
]

/**
 * PEM texts of the authorities for hooks without a bundle of their own: the file that `SSL_CERT_FILE` names, else the
 * system's bundle, else the authorities that come with node. Called once per such hook: it reads a file.
 */
export function systemAuthorities(): string | string[] {
  const own = process.env["SSL_CERT_FILE"] ?? ""
  const path = own === "" ? bundles.find((each) => existsSync(each)) : own
  return path === undefined ? [...rootCertificates] : readFileSync(path, "latin1")
}
