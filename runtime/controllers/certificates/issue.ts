/** Makes the certificate for a request. */
import { createPrivateKey, type KeyObject, webcrypto } from "node:crypto"
import type { ReadRequest } from "./asked-certificate.ts"
import type { SigningPair, Usage } from "./signers.ts"

type Maker = typeof import("@peculiar/x509")

/** The clocks of machines that check the certificate may be slow. */
const backdateMs = 5 * 60_000
/** A certificate with a shorter life keeps all of it: it is valid that long from now on. */
const shortMs = 8 * 3600_000
/** Shortest validity, whatever the request asks for. */
const leastMs = 10 * 60_000

/** Signing algorithms, by node's name of the key type. */
const algorithms: Readonly<Record<string, { readonly name: string; readonly namedCurve?: string; readonly hash?: string }>> = {
  rsa: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  prime256v1: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  secp384r1: { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
  secp521r1: { name: "ECDSA", namedCurve: "P-521", hash: "SHA-512" },
  ed25519: { name: "Ed25519" },
}

/** A key's signing algorithm; undefined for a key that cannot sign. Called at start, and for each certificate. */
export function signingAlgorithm({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): (typeof algorithms)[string] | undefined {
  const name = (asymmetricKeyType === "ec" ? asymmetricKeyDetails?.namedCurve : asymmetricKeyType) ?? ""
  return Object.hasOwn(algorithms, name) ? algorithms[name] : undefined
}

export interface Issue {
  readonly maker: Maker
  readonly pair: SigningPair
  readonly asked: ReadRequest
  readonly usages: readonly Usage[]
  /** The requested life. */
  readonly expirationSeconds?: number
  /** The default and longest life. */
  readonly durationMs: number
  /** 16 random bytes. */
  readonly serial: Buffer
  readonly nowMs: number
}

/** Returns the certificate as PEM. Throws an Error when the authority's own certificate has expired. */
export async function issueCertificate({ maker, pair, asked, usages, serial, ...life }: Issue): Promise<string> {
  const authority = new maker.X509Certificate(pair.certificate)
  const key = createPrivateKey(pair.key)
  const algorithm = signingAlgorithm(key)
  if (algorithm === undefined) throw new Error(`a key of type ${key.asymmetricKeyType} does not sign`)
  const certificate = await maker.X509CertificateGenerator.create({
    serialNumber: positive(serial).toString("hex"),
    subject: asked.subject,
    issuer: authority.subjectName,
    ...validity(life, authority.notAfter.getTime()),
    signingAlgorithm: algorithm,
    publicKey: asked.publicKey,
    signingKey: await webcrypto.subtle.importKey("pkcs8", key.export({ format: "der", type: "pkcs8" }), algorithm, false, ["sign"]),
    extensions: extensionsOf(maker, asked, usages, authority),
  })
  return `${certificate.toString("pem")}\n`
}

/** Makes the first byte neither 0, which would shorten the number, nor negative. */
function positive(serial: Buffer): Buffer {
  const bytes = Buffer.from(serial)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes
}

/** The period in which a certificate is valid. Throws an Error when the authority's own certificate has expired. */
export function validity(
  { expirationSeconds, durationMs, nowMs }: Pick<Issue, "expirationSeconds" | "durationMs" | "nowMs">,
  authorityEndMs: number,
): { readonly notBefore: Date; readonly notAfter: Date } {
  if (nowMs >= authorityEndMs)
    throw new Error(`the authority's own certificate has expired: it was valid until ${new Date(authorityEndMs).toISOString()}`)
  const lifeMs = expirationSeconds === undefined ? durationMs : Math.max(leastMs, Math.min(expirationSeconds * 1000, durationMs))
  const endMs = nowMs + (lifeMs < shortMs ? lifeMs : lifeMs - backdateMs)
  return { notBefore: wholeSecond(nowMs - backdateMs), notAfter: wholeSecond(Math.min(endMs, authorityEndMs)) }
}

function wholeSecond(ms: number): Date {
  return new Date(Math.floor(ms / 1000) * 1000)
}

type Extensions = Exclude<Parameters<Maker["X509CertificateGenerator"]["create"]>[0]["extensions"], undefined>

/** Copies only the names from the request, which might ask to be an authority. */
function extensionsOf(
  maker: Maker,
  { otherNames, subject }: ReadRequest,
  usages: readonly Usage[],
  authority: InstanceType<Maker["X509Certificate"]>,
): Extensions {
  const flags = usages.reduce((all, usage) => all | (keyUsages(maker)[usage] ?? 0), 0)
  const keyId = authority.getExtension(maker.SubjectKeyIdentifierExtension)?.keyId
  const purposes = [...new Set(usages.flatMap((usage) => extendedUsages[usage] ?? []))]
  return [
    ...(flags === 0 ? [] : [new maker.KeyUsagesExtension(flags, true)]),
    ...(purposes.length === 0 ? [] : [new maker.ExtendedKeyUsageExtension(purposes)]),
    new maker.BasicConstraintsExtension(false, undefined, true),
    // The key id as in the authority's certificate, however it was computed; otherwise clients would not find that
    // certificate.
    ...(keyId === undefined ? [] : [new maker.AuthorityKeyIdentifierExtension(keyId)]),
    ...(otherNames.length === 0 ? [] : [new maker.SubjectAlternativeNameExtension([...otherNames], subject.toString() === "")]),
  ]
}

type UsageTable<Value> = Readonly<Partial<Record<Usage, Value>>>

function keyUsages({ KeyUsageFlags: flags }: Maker): UsageTable<number> {
  return {
    signing: flags.digitalSignature,
    "digital signature": flags.digitalSignature,
    "content commitment": flags.nonRepudiation,
    "key encipherment": flags.keyEncipherment,
    "key agreement": flags.keyAgreement,
    "data encipherment": flags.dataEncipherment,
    "cert sign": flags.keyCertSign,
    "crl sign": flags.cRLSign,
    "encipher only": flags.encipherOnly,
    "decipher only": flags.decipherOnly,
  }
}

/** RFC 5280, 4.2.1.12, and usages registered by Microsoft and Netscape. */
const extendedUsages: UsageTable<string> = {
  any: "2.5.29.37.0",
  "server auth": "1.3.6.1.5.5.7.3.1",
  "client auth": "1.3.6.1.5.5.7.3.2",
  "code signing": "1.3.6.1.5.5.7.3.3",
  "email protection": "1.3.6.1.5.5.7.3.4",
  "s/mime": "1.3.6.1.5.5.7.3.4",
  "ipsec end system": "1.3.6.1.5.5.7.3.5",
  "ipsec tunnel": "1.3.6.1.5.5.7.3.6",
  "ipsec user": "1.3.6.1.5.5.7.3.7",
  timestamping: "1.3.6.1.5.5.7.3.8",
  "ocsp signing": "1.3.6.1.5.5.7.3.9",
  "microsoft sgc": "1.3.6.1.4.1.311.10.3.3",
  "netscape sgc": "2.16.840.1.113730.4.1",
}
