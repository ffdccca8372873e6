/** Decides which public keys of others are used: keys whose signatures cost little to check. */
import { DerFault, derTags, type DerValue, derValues, objectIdentifier } from "./der.ts"

/** Bits of the modulus and of the public exponent of an RSA key of others: Go's limits. */
const rsaKeyBitsMax = 8192
const rsaExponentBitsMax = 31

const rsa: ReadonlySet<string> = new Set(["1.2.840.113549.1.1.1", "1.2.840.113549.1.1.10"])
const elliptic = "1.2.840.10045.2.1"
const ed25519 = "1.3.101.112"

/** P-224, P-256, P-384 and P-521, as in Go. Others cost several milliseconds, above all curves over binary fields. */
const curves: ReadonlySet<string> = new Set(["1.3.132.0.33", "1.2.840.10045.3.1.7", "1.3.132.0.34", "1.3.132.0.35"])

/**
 * Says why a key is not used; undefined when it is. Takes RSA, the curves of NIST by name, and Ed25519, as Go does:
 * another machine chooses the cost of a signature, which is 20 ms with DSA, and 7 ms with an RSA exponent of 3072 bits.
 * `spki`: a SubjectPublicKeyInfo in DER. Throws DerFault for bytes that are none. Called with any bytes.
 */
export function keyFault(spki: Buffer): string | undefined {
  const [info] = derValues(spki)
  const [algorithm, bits] = derValues(ofTag(info, derTags.sequence).content)
  const [identifier, parameters] = derValues(ofTag(algorithm, derTags.sequence).content)
  const type = objectIdentifier(ofTag(identifier, derTags.objectIdentifier))
  if (rsa.has(type)) return rsaFault(ofTag(bits, derTags.bits).content.subarray(1))
  if (type === ed25519) return undefined
  if (type !== elliptic) return `keys of the algorithm ${type} are not used`
  if (parameters?.tag !== derTags.objectIdentifier) return "an elliptic curve without a name is not used"
  const curve = objectIdentifier(parameters)
  return curves.has(curve) ? undefined : `the elliptic curve ${curve} is not used`
}

function rsaFault(key: Buffer): string | undefined {
  const [numbers] = derValues(key)
  const [modulus, exponent] = derValues(ofTag(numbers, derTags.sequence).content)
  return rsaNumbersFault(ofTag(modulus, derTags.integer).content, ofTag(exponent, derTags.integer).content)
}

/** As `keyFault`, for the numbers of an RSA key, the most significant byte first. */
export function rsaNumbersFault(modulus: Buffer, exponent: Buffer): string | undefined {
  if (bitsOf(modulus) > rsaKeyBitsMax) return `an RSA key has more than ${rsaKeyBitsMax} bits`
  if (bitsOf(exponent) > rsaExponentBitsMax) return `the public exponent of an RSA key has more than ${rsaExponentBitsMax} bits`
  return undefined
}

function bitsOf(number: Buffer): number {
  const first = number.findIndex((byte) => byte !== 0)
  return first === -1 ? 0 : (number.length - first) * 8 - (Math.clz32(number[first] ?? 0) - 24)
}

function ofTag(value: DerValue | undefined, tag: number): DerValue {
  if (value?.tag !== tag) throw new DerFault("a public key cannot be read")
  return value
}
