/** The authorities of an option's file. */
import { X509Certificate } from "node:crypto"
import { type Certificate, readCertificate } from "../../encoding/certificate.ts"
import { pemBlocks } from "../../encoding/pem.ts"

/** Immutable: a changed file makes another pool. */
export interface CertificatePool {
  readonly certificates: readonly Certificate[]
  /** PEM, for the list of authorities that TLS sends to clients. */
  readonly pem: string
  /** Certificates by their subject. */
  bySubject(subject: Buffer): readonly Certificate[]
}

/** Reads PEM; skips blocks other than certificates. Throws an Error that says what is wrong with the text. */
export function certificatePool(pem: string): CertificatePool {
  const certificates: Certificate[] = []
  const bySubject = new Map<string, Certificate[]>()
  for (const { label, hasHeaders, bytes } of pemBlocks(pem)) {
    if (label !== "CERTIFICATE" || hasHeaders) continue
    const certificate = certificateOf(bytes, certificates.length + 1)
    if (certificates.some(({ x509 }) => x509.raw.equals(certificate.x509.raw))) continue
    certificates.push(certificate)
    const key = certificate.subject.toString("latin1")
    const known = bySubject.get(key)
    if (known === undefined) bySubject.set(key, [certificate])
    else known.push(certificate)
  }
  if (certificates.length === 0) throw new Error("it has no certificate in a PEM block")
  return {
    certificates,
    pem: certificates.map(({ x509 }) => x509.toString()).join(""),
    bySubject: (subject) => bySubject.get(subject.toString("latin1")) ?? [],
  }
}

function certificateOf(bytes: Buffer, place: number): Certificate {
  try {
    return readCertificate(new X509Certificate(bytes))
  } catch (error) {
    throw new Error(`its certificate ${place} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}
