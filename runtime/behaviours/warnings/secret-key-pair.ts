/**
 * A warning about a Secret for TLS whose certificate and key are no pair (catalog validation.yaml: Secret, warnings).
 */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto"
import { pemBlocks, type PemBlock } from "../../encoding/pem.ts"
import { defineWarning } from "../../schema/define.ts"
import type { Secret } from "../../../generated/core/v1/secret/types.ts"

/** Called with each Secret. The texts are from Go's package tls; clients show them. */
export const secretKeyPair = defineWarning<Secret>(({ data = {}, type }, _at, _object, { vendor }) => {
  if (type !== vendor.domain("orch.io/tls")) return []
  const fault = pairFault(blocksOf(data["tls.crt"]), blocksOf(data["tls.key"]))
  return fault === undefined ? [] : [fault]
})

function blocksOf(base64 = ""): readonly PemBlock[] {
  return pemBlocks(Buffer.from(base64, "base64").toString("latin1"))
}

const isKey = ({ label }: PemBlock): boolean => label === "PRIVATE KEY" || label.endsWith(" PRIVATE KEY")
const isCertificate = ({ label }: PemBlock): boolean => label === "CERTIFICATE"

function pairFault(ofCertificate: readonly PemBlock[], ofKey: readonly PemBlock[]): string | undefined {
  const leaf = ofCertificate.find(isCertificate)
  if (leaf === undefined) {
    if (ofCertificate.length === 0) return "tls: failed to find any PEM data in certificate input"
    const found = ofCertificate.length === 1 && ofCertificate.some(isKey)
    return found
      ? "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched"
      : `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${labels(ofCertificate)}]`
  }
  const key = ofKey.find(isKey)
  if (key === undefined) {
    if (ofKey.length === 0) return "tls: failed to find any PEM data in key input"
    const found = ofKey.length === 1 && ofKey.some(isCertificate)
    return found
      ? "tls: found a certificate rather than a key in the PEM for the private key"
      : `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${labels(ofKey)}]`
  }
  const certificate = read(() => new X509Certificate(leaf.bytes))
  if (certificate === undefined) return "x509: malformed certificate"
  const own = read(() => createPrivateKey({ key: pem(key), format: "pem" }))
  if (own === undefined) return "tls: failed to parse private key"
  return matchFault(certificate, own)
}

function matchFault(certificate: X509Certificate, key: KeyObject): string | undefined {
  if (certificate.publicKey.asymmetricKeyType !== key.asymmetricKeyType) return "tls: private key type does not match public key type"
  return certificate.checkPrivateKey(key) ? undefined : "tls: private key does not match public key"
}

function labels(blocks: readonly PemBlock[]): string {
  return blocks.map(({ label }) => label).join(" ")
}

function pem({ label, bytes }: PemBlock): string {
  return `-----BEGIN ${label}-----\n${bytes.toString("base64")}\n-----END ${label}-----\n`
}

/** Undefined for bytes that OpenSSL cannot read. */
function read<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}
