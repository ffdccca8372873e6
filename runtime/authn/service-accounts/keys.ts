/**
 * The keys of service-account tokens: one key signs, all of them verify. Specification section 5; facts in catalog
 * operations.yaml (serviceAccounts.boundToken.header).
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto"

/** Algorithms of tokens, one for each type of key. */
export type TokenAlgorithm = "RS256" | "ES256" | "ES384" | "ES512"

export interface VerifyingKey {
  /** The `kid` of a token's header: base64url of the SHA-256 of the public key in DER. */
  readonly id: string
  readonly algorithm: TokenAlgorithm
  readonly publicKey: KeyObject
}

export interface SigningKey extends VerifyingKey {
  readonly privateKey: KeyObject
}

const pemBlock = /-----BEGIN ([A-Z ]+)-----[^-]*-----END \1-----/g

/**
 * Reads a file of `--service-account-key-file`: public keys, private keys and certificates, one or several. Skips curve
 * parameters, which openssl writes before a key. Throws an Error that says what is wrong.
 */
export function verifyingKeysIn(pem: string): VerifyingKey[] {
  const blocks = [...pem.matchAll(pemBlock)].filter(([, label]) => label !== "EC PARAMETERS")
  if (blocks.length === 0) throw new Error("there is no PEM block in it; expected a public key, a private key or a certificate")
  return blocks.map(([block]) => verifyingKeyOf(createPublicKey(block)))
}

/** Reads a file of `--service-account-signing-key-file`. Throws an Error that says what is wrong. */
export function signingKeyIn(pem: string): SigningKey {
  const [block] = [...pem.matchAll(pemBlock)].find(([, label = ""]) => label.endsWith("PRIVATE KEY")) ?? []
  if (block === undefined) throw new Error("there is no private key in it; expected PEM")
  const privateKey = createPrivateKey(block)
  return { ...verifyingKeyOf(createPublicKey(privateKey)), privateKey }
}

function verifyingKeyOf(publicKey: KeyObject): VerifyingKey {
  const der = publicKey.export({ format: "der", type: "spki" })
  return { id: createHash("sha256").update(der).digest("base64url"), algorithm: algorithmOf(publicKey), publicKey }
}

const curves: Readonly<Record<string, TokenAlgorithm>> = { prime256v1: "ES256", secp384r1: "ES384", secp521r1: "ES512" }

/** RSA keys below this size are refused by the libraries that verify tokens. */
const rsaBitsMin = 2048

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details = {} }: KeyObject): TokenAlgorithm {
  if (type === "rsa") {
    const { modulusLength = 0 } = details
    if (modulusLength < rsaBitsMin) throw new Error(`its RSA key has ${modulusLength} bits; expected ${rsaBitsMin} or more`)
    return "RS256"
  }
  const algorithm = type === "ec" ? curves[details.namedCurve ?? ""] : undefined
  if (algorithm !== undefined) return algorithm
  throw new Error(`its key is of type ${type} ${details.namedCurve ?? ""}; expected RSA, or ECDSA on P-256, P-384 or P-521`)
}
