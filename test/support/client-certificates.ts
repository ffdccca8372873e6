/** Certificates of any make: authorities, chains, and certificates that must be refused. */
import "reflect-metadata"
import { createPrivateKey, webcrypto, X509Certificate } from "node:crypto"
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509"

export interface Made {
  readonly subject: string
  /** PEM. */
  readonly certificate: string
  readonly key: string
  readonly x509: X509Certificate
  readonly keys: webcrypto.CryptoKeyPair
}

export interface Making {
  /** `O=dev, CN=alice` */
  readonly subject: string
  /** Absent: signed by itself. */
  readonly issuer?: Made
  /** It may sign others, with this many authorities below it. */
  readonly authority?: { readonly pathLength?: number } | true
  /** Default: for clients; for an authority anything. Empty: anything. */
  readonly usages?: readonly ("client" | "server" | "any")[]
  /** Default: sign certificates for an authority, sign anything else for others; undefined bits are left out. */
  readonly keyUsage?: KeyUsageFlags | "none"
  /** Milliseconds since the epoch; default a day before and after now. */
  readonly fromMs?: number
  readonly untilMs?: number
  readonly hash?: "SHA-1" | "SHA-256"
  readonly dnsName?: string
  readonly extensions?: readonly Extension[]
  /** Keys of an earlier certificate, to make another one for them. */
  readonly keys?: webcrypto.CryptoKeyPair
}

const dayMs = 24 * 3600 * 1000
const usageNames = { client: ExtendedKeyUsage.clientAuth, server: ExtendedKeyUsage.serverAuth, any: "2.5.29.37.0" } as const

export async function makeCertificate(making: Making): Promise<Made> {
  const { authority, dnsName, extensions = [], hash = "SHA-256", issuer, subject } = making
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash }
  const keys = making.keys ?? (await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]))
  const usages = making.usages ?? (authority === undefined ? ["client"] : [])
  const keyUsage = making.keyUsage ?? (authority === undefined ? KeyUsageFlags.digitalSignature : KeyUsageFlags.keyCertSign)
  const pathLength = authority === undefined || authority === true ? undefined : authority.pathLength
  const certificate = await X509CertificateGenerator.create({
    subject,
    issuer: issuer?.subject ?? subject,
    notBefore: new Date(making.fromMs ?? Date.now() - dayMs),
    notAfter: new Date(making.untilMs ?? Date.now() + dayMs),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    extensions: [
      ...(authority === undefined ? [] : [new BasicConstraintsExtension(true, pathLength, true)]),
      ...(keyUsage === "none" ? [] : [new KeyUsagesExtension(keyUsage, true)]),
      ...(usages.length > 0 ? [new ExtendedKeyUsageExtension(usages.map((usage) => usageNames[usage]))] : []),
      ...(dnsName === undefined ? [] : [new SubjectAlternativeNameExtension([{ type: "dns", value: dnsName }])]),
      ...extensions,
    ],
  })
  const exported = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey))
  return {
    subject,
    certificate: `${certificate.toString("pem")}\n`,
    key: createPrivateKey({ key: exported, format: "der", type: "pkcs8" }).export({ format: "pem", type: "pkcs8" }).toString(),
    x509: new X509Certificate(certificate.toString("pem")),
    keys,
  }
}

/** Any extension: its value in DER. */
export function extension(type: string, critical: boolean, value: Buffer): Extension {
  return new Extension(type, critical, value)
}
