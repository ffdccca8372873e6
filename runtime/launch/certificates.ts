/**
 * The self-signed serving certificate, and the check of given ones, which `serving-files.ts` reads. A self-signed
 * authority is created once and issues a certificate for every name of this server. The certificate is issued again
 * when a name is missing or it is about to expire. Specification section 5, transport.
 */
import { createPrivateKey, type KeyObject, webcrypto, X509Certificate } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { isIP } from "node:net"
import { join } from "node:path"
import { errorText } from "../base/error-text.ts"
import { loadCertificateMaker } from "../base/certificate-maker.ts"
import type { Clock } from "../base/clock.ts"
import { makeFolder } from "../base/make-folder.ts"
import { writePrivateFile } from "./private-file.ts"

/** PEM texts. `authority` is the certificate that clients trust. */
export interface ServingPair {
  readonly certificate: string
  readonly key: string
  readonly authority: string
}

/** The pair cannot be used. The message names the file and the option. */
export class CertificateError extends Error {
  constructor(message: string) {
    super(message)
    this.name = "CertificateError"
  }
}

/** A certificate and its key, PEM. */
export interface Pair {
  readonly certificate: string
  readonly key: string
}

const dayMs = 24 * 3600 * 1000
const authorityLifeMs = 3650 * dayMs
const pairLifeMs = 365 * dayMs
/** A pair that expires within this time is issued again at a start. */
const renewBeforeMs = 30 * dayMs
/** Clocks of clients may be slow. */
const backdateMs = 3600 * 1000

/** The texts of a certificate and its key, and how to name both in a message. */
export interface PairTexts {
  readonly certificate: string
  readonly key: string
  readonly certificateName: string
  readonly keyName: string
}

/** Parses the certificate. Throws CertificateError unless it is valid PEM and the key belongs to it. */
export function checkPair({ certificate, key, certificateName, keyName }: PairTexts): X509Certificate {
  let read: X509Certificate
  let privateKey: KeyObject
  try {
    read = new X509Certificate(certificate)
    privateKey = createPrivateKey(key)
  } catch (error) {
    throw new CertificateError(`${certificateName} and ${keyName} must be PEM files: ${errorText(error)}`)
  }
  if (!read.checkPrivateKey(privateKey)) throw new CertificateError(`${keyName} is not the key of ${certificateName}`)
  return read
}

/**
 * Called at start when no certificate files are given. `names`: host names and addresses. Throws CertificateError when
 * the folder cannot be used.
 */
export async function selfSignedPair(options: { dir: string; names: readonly string[]; clock: Clock }): Promise<ServingPair> {
  const { dir, names, clock } = options
  const path = (name: string): string => join(dir, name)
  try {
    makeFolder(dir)
    const authority = await storedPair(path("ca"), clock, () => createAuthority("orch-apiserver-ca", clock.nowMs()))
    const fits = ({ certificate }: Pair): boolean => isIssued(certificate, authority.certificate) && covers(certificate, names)
    const pair = await storedPair(path("apiserver"), clock, () => createServingPair(authority, names, clock.nowMs()), fits)
    return { ...pair, authority: authority.certificate }
  } catch (error) {
    throw new CertificateError(`--cert-dir: no certificate could be made in ${dir}: ${errorText(error)}`)
  }
}

/** Creates a pair in memory. Called by libraries and tests. */
export async function inMemoryPair(options: { names: readonly string[]; clock: Clock }): Promise<ServingPair> {
  const nowMs = options.clock.nowMs()
  const authority = await createAuthority("orch-apiserver-ca", nowMs)
  return { ...(await createServingPair(authority, options.names, nowMs)), authority: authority.certificate }
}

/**
 * The pair in the files `path`.crt and `path`.key. Makes the pair and writes the files when none exists that `fits` and
 * will be valid for some time.
 */
export async function storedPair(
  path: string,
  clock: Clock,
  make: () => Promise<Pair>,
  fits = (_pair: Pair): boolean => true,
): Promise<Pair> {
  const stored = readStored(`${path}.crt`, `${path}.key`, clock)
  if (stored !== undefined && fits(stored)) return stored
  const made = await make()
  writePrivateFile(`${path}.key`, made.key)
  writePrivateFile(`${path}.crt`, made.certificate)
  return made
}

/** Undefined for a pair that must be issued again: absent, damaged, not matching, or about to expire. */
function readStored(certificatePath: string, keyPath: string, clock: Clock): Pair | undefined {
  if (!existsSync(certificatePath) || !existsSync(keyPath)) return undefined
  const certificate = readFileSync(certificatePath, "utf8")
  const key = readFileSync(keyPath, "utf8")
  try {
    const read = new X509Certificate(certificate)
    const fresh = Date.parse(read.validTo) - renewBeforeMs > clock.nowMs() && Date.parse(read.validFrom) <= clock.nowMs()
    return fresh && read.checkPrivateKey(createPrivateKey(key)) ? { certificate, key } : undefined
  } catch {
    return undefined
  }
}

export function isIssued(certificate: string, authority: string): boolean {
  return new X509Certificate(certificate).verify(new X509Certificate(authority).publicKey)
}

function covers(certificate: string, names: readonly string[]): boolean {
  const read = new X509Certificate(certificate)
  return names.every((name) => (isIP(name) === 0 ? read.checkHost(name) : read.checkIP(name)) !== undefined)
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }

const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048, publicExponent: Uint8Array.of(1, 0, 1) }

async function createKeys(keyType: "ec" | "rsa" = "ec"): Promise<{ keys: webcrypto.CryptoKeyPair; pem: string }> {
  const keys = await webcrypto.subtle.generateKey(keyType === "rsa" ? rsa : algorithm, true, ["sign", "verify"])
  const exported = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey))
  return {
    keys,
    pem: createPrivateKey({ key: exported, format: "der", type: "pkcs8" }).export({ format: "pem", type: "pkcs8" }).toString(),
  }
}

/** `name`: the common name. The authority signs certificates, but no further authorities. */
export async function createAuthority(name: string, nowMs: number): Promise<Pair> {
  const maker = await loadCertificateMaker()
  const { keys, pem } = await createKeys()
  const certificate = await maker.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    notBefore: new Date(nowMs - backdateMs),
    notAfter: new Date(nowMs + authorityLifeMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new maker.BasicConstraintsExtension(true, 0, true),
      new maker.KeyUsagesExtension(
        maker.KeyUsageFlags.keyCertSign | maker.KeyUsageFlags.cRLSign | maker.KeyUsageFlags.digitalSignature,
        true,
      ),
      await maker.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificate: `${certificate.toString("pem")}\n`, key: pem }
}

/** The contents of a certificate that an authority issues. */
export interface Certified {
  /** `CN=admin, O=system:masters` */
  readonly subject: string
  readonly usage: "clientAuth" | "serverAuth"
  /** Host names and addresses of a server. */
  readonly names?: readonly string[]
  /** An RSA key takes some 200 ms to make; every client can read it. */
  readonly keyType?: "ec" | "rsa"
}

/** Makes a key and a certificate for it. */
export async function issuePair(authority: Pair, { subject, usage, names = [], keyType }: Certified, nowMs: number): Promise<Pair> {
  const maker = await loadCertificateMaker()
  const issuer = new maker.X509Certificate(authority.certificate)
  const { keys, pem } = await createKeys(keyType)
  const issuerKey = createPrivateKey(authority.key).export({ format: "der", type: "pkcs8" })
  const alternatives = names.map((name) => ({ type: isIP(name) === 0 ? ("dns" as const) : ("ip" as const), value: name }))
  const certificate = await maker.X509CertificateGenerator.create({
    subject,
    issuer: issuer.subject,
    notBefore: new Date(nowMs - backdateMs),
    notAfter: new Date(nowMs + pairLifeMs),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey("pkcs8", issuerKey, algorithm, false, ["sign"]),
    extensions: [
      new maker.BasicConstraintsExtension(false, undefined, true),
      new maker.KeyUsagesExtension(maker.KeyUsageFlags.digitalSignature, true),
      new maker.ExtendedKeyUsageExtension([maker.ExtendedKeyUsage[usage]]),
      ...(alternatives.length === 0 ? [] : [new maker.SubjectAlternativeNameExtension(alternatives)]),
      await maker.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  })
  return { certificate: `${certificate.toString("pem")}\n`, key: pem }
}

function createServingPair(authority: Pair, names: readonly string[], nowMs: number): Promise<Pair> {
  return issuePair(authority, { subject: "CN=orch-apiserver", usage: "serverAuth", names }, nowMs)
}
