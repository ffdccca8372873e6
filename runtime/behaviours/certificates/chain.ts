/** The certificates that a signer issued, as one text of PEM. */
import { X509Certificate } from "node:crypto"
import { pemBlocks } from "../../encoding/pem.ts"

/** Says what is wrong with a text of certificates; undefined when clients can read it. Called with any text. */
export function chainFault(text: string): string | undefined {
  const blocks = pemBlocks(text)
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block"
  for (const { label, hasHeaders, bytes } of blocks) {
    if (label !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(label)}`
    if (hasHeaders) return "no PEM block headers are permitted"
    if (!isCertificate(bytes)) return "found CERTIFICATE PEM block that cannot be read as a certificate"
  }
  return undefined
}

function isCertificate(bytes: Buffer): boolean {
  try {
    return new X509Certificate(bytes).raw.length === bytes.length
  } catch {
    return false
  }
}
