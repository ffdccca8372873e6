/** Certificates for tests of trust: authorities, and the certificates they sign. */
import "reflect-metadata"
import { createPrivateKey, webcrypto } from "node:crypto"
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Pkcs10CertificateRequestGenerator,
  SubjectKeyIdentifierExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509"

/** PEM texts. */
export interface IssuedPair {
  readonly certificate: string
  readonly key: string
}

interface IssueOptions {
  readonly address?: string
  readonly name?: string
  readonly names?: readonly string[]
  /** It has no subject alternative names. */
  readonly isUnnamed?: boolean
  readonly days?: number
  /** Default `test`. */
  readonly commonName?: string
  /** Algorithm of the key; default P-256. */
  readonly algorithm?: KeyAlgorithm
}

export interface TestAuthority {
  readonly certificate: string
  /** Issues a pair for the loopback address, or for `names`, as a server and as a client; it expires in `days`. */
  issue(given?: IssueOptions): Promise<IssuedPair>
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const
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
    async issue({
      address = "127.0.0.1",
      name,
      names = name === undefined ? [] : [name],
      isUnnamed = false,
      days = 1,
      commonName = "test",
      algorithm: of,
    } = {}) {
      const own = await createKeys(of)
      const certificate = await X509CertificateGenerator.create({
        subject: `CN=${commonName}`,
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
          ...(isUnnamed ? [] : [alternativeNames(names, address)]),
        ],
      })
      return { certificate: certificate.toString("pem"), key: own.pem }
    },
  }
}

function alternativeNames(names: readonly string[], address: string): SubjectAlternativeNameExtension {
  return new SubjectAlternativeNameExtension(
    names.length === 0 ? [{ type: "ip", value: address }] : names.map((value) => ({ type: "dns", value })),
  )
}

export const keyAlgorithms = {
  "RSA of 2048 bits": { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", publicExponent: new Uint8Array([1, 0, 1]), modulusLength: 2048 },
  "P-256": { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  "P-384": { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
  "P-521": { name: "ECDSA", namedCurve: "P-521", hash: "SHA-512" },
  Ed25519: { name: "Ed25519" },
} as const
export type KeyAlgorithm = (typeof keyAlgorithms)[keyof typeof keyAlgorithms]

/** The certificate and key of an authority, as `--cluster-signing-cert-file` takes them. */
export async function createSigningPair(
  given: { algorithm?: KeyAlgorithm; fromMs?: number; untilMs?: number; ca?: boolean; keyId?: string } = {},
): Promise<IssuedPair> {
  const { algorithm: own = algorithm, fromMs = Date.now() - dayMs, untilMs = Date.now() + 3650 * dayMs, ca = true, keyId } = given
  const { keys, pem } = await createKeys(own)
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: "CN=cluster, O=Signers",
    notBefore: new Date(fromMs),
    notAfter: new Date(untilMs),
    signingAlgorithm: own,
    keys,
    extensions: [
      new BasicConstraintsExtension(ca, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      ...(keyId === undefined ? [] : [new SubjectKeyIdentifierExtension(keyId)]),
    ],
  })
  return { certificate: certificate.toString("pem"), key: pem }
}

export interface AskedPair {
  /** PEM in base64, as `spec.request` has it. */
  readonly request: string
  /** PEM of the key that the certificate will be for. */
  readonly key: string
}

/** A request for a certificate, for any names. `authority`: it asks for an authority's certificate. */
export async function createCertificateRequest(
  subject: string,
  given: {
    names?: readonly { readonly type: "dns" | "email" | "ip" | "url"; readonly value: string }[]
    algorithm?: KeyAlgorithm
    authority?: boolean
  } = {},
): Promise<AskedPair> {
  const { names = [], algorithm: own = algorithm, authority = false } = given
  const { keys, pem } = await createKeys(own)
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys,
    signingAlgorithm: own,
    extensions: [
      ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension([...names])]),
      ...(authority ? [new BasicConstraintsExtension(true), new KeyUsagesExtension(KeyUsageFlags.keyCertSign)] : []),
    ],
  })
  return { request: Buffer.from(request.toString("pem")).toString("base64"), key: pem }
}

async function createKeys(own: KeyAlgorithm = algorithm): Promise<{ keys: webcrypto.CryptoKeyPair; pem: string }> {
  const keys = await webcrypto.subtle.generateKey(own, true, ["sign", "verify"])
  if (!("privateKey" in keys)) throw new Error("no pair")
  const exported = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey))
  const key = createPrivateKey({ key: exported, format: "der", type: "pkcs8" })
  return { keys, pem: key.export({ format: "pem", type: "pkcs8" }).toString() }
}
