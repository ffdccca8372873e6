/** Certificates for tests of trust: authorities, and the certificates they sign. */
import "reflect-metadata"
import { createPrivateKey, webcrypto } from "node:crypto"
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509"

/** PEM texts. */
export interface IssuedPair {
  readonly certificate: string
  readonly key: string
}

export interface TestAuthority {
  readonly certificate: string
  /** Issues a pair for the loopback address, or for `name`, as a server and as a client; it expires in `days`. */
  issue(given?: { address?: string; name?: string; days?: number }): Promise<IssuedPair>
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }
const dayMs = 24 * 3600 * 1000

/** An authority that nothing else trusts. */
export async function createTestAuthority(name: string): Promise<TestAuthority> {
  const { keys } = await createKeys()
  const authority = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    notBefore: new Date(Date.now() - 2 * dayMs),
    notAfter: new Date(Date.now() + dayMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new BasicConstraintsExtension(true, 0, true), new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true)],
  })
  return {
    certificate: authority.toString("pem"),
    async issue({ address = "127.0.0.1", name, days = 1 } = {}) {
      const own = await createKeys()
      const certificate = await X509CertificateGenerator.create({
        subject: "CN=test",
        issuer: authority.subject,
        notBefore: new Date(Date.now() - 2 * dayMs),
        notAfter: new Date(Date.now() + days * dayMs),
        signingAlgorithm: algorithm,
        publicKey: own.keys.publicKey,
        signingKey: keys.privateKey,
        extensions: [
          new BasicConstraintsExtension(false, undefined, true),
          new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
          new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
          new SubjectAlternativeNameExtension([name === undefined ? { type: "ip", value: address } : { type: "dns", value: name }]),
        ],
      })
      return { certificate: certificate.toString("pem"), key: own.pem }
    },
  }
}

async function createKeys(): Promise<{ keys: webcrypto.CryptoKeyPair; pem: string }> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  const exported = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey))
  const key = createPrivateKey({ key: exported, format: "der", type: "pkcs8" })
  return { keys, pem: key.export({ format: "pem", type: "pkcs8" }).toString() }
}
