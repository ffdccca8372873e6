/** A request for a certificate (PKCS#10, RFC 2986), and the rules by which a signer can read it. */
import { constants, createPublicKey, verify } from "node:crypto"
import { type DerValue, DerFault, derTags, derValues, objectIdentifier } from "../../encoding/der.ts"
import { pemBlocks } from "../../encoding/pem.ts"
import { keyFault } from "../../encoding/public-key.ts"

const label = "CERTIFICATE REQUEST"

/** How a signature is checked: the hash, and for RSA-PSS the padding. */
interface SignatureForm {
  /** Absent: the algorithm has its own. */
  readonly hash?: string
  readonly keys: readonly string[]
  readonly isPss?: boolean
}

const rsa = ["rsa"]
const elliptic = ["ec"]

const forms: Readonly<Record<string, SignatureForm>> = {
  "1.2.840.113549.1.1.5": { hash: "sha1", keys: rsa },
  "1.2.840.113549.1.1.11": { hash: "sha256", keys: rsa },
  "1.2.840.113549.1.1.12": { hash: "sha384", keys: rsa },
  "1.2.840.113549.1.1.13": { hash: "sha512", keys: rsa },
  "1.2.840.10045.4.1": { hash: "sha1", keys: elliptic },
  "1.2.840.10045.4.3.2": { hash: "sha256", keys: elliptic },
  "1.2.840.10045.4.3.3": { hash: "sha384", keys: elliptic },
  "1.2.840.10045.4.3.4": { hash: "sha512", keys: elliptic },
  "1.3.101.112": { keys: ["ed25519"] },
}

const pss = "1.2.840.113549.1.1.10"

const hashes: Readonly<Record<string, string>> = {
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
}

/** Says what is wrong with the PEM text of a request; undefined when a signer can read it. Called with any text. */
export function requestFault(text: string): string | undefined {
  const [block] = pemBlocks(text)
  if (block?.label !== label) return `PEM block type must be ${label}`
  try {
    return signatureFault(block.bytes)
  } catch (error) {
    if (error instanceof DerFault) return error.message
    throw error
  }
}

function signatureFault(bytes: Buffer): string | undefined {
  const [request, ...rest] = derValues(bytes)
  if (request === undefined || rest.length > 0) throw new DerFault("there is more than the request in its block")
  const [info, algorithm, signature] = parts(request, [derTags.sequence, derTags.sequence, derTags.bits])
  const [, , keyInfo] = parts(info, [derTags.integer, derTags.sequence, derTags.sequence])
  const form = signatureForm(algorithm)
  if (form === undefined) return "the algorithm of the signature is not known"
  const fault = keyFault(keyInfo.whole)
  if (fault !== undefined) return fault
  // The first byte counts bits that are not used.
  const isWhole = signature.content[0] === 0
  return isWhole && isSigned(info.whole, keyInfo.whole, signature.content.subarray(1), form)
    ? undefined
    : "the signature is not one of the request's own key"
}

type Values<Tags> = { readonly [Index in keyof Tags]: DerValue }

/** The first values within a sequence, which have these tags. */
function parts<const Tags extends readonly number[]>(value: DerValue, tags: Tags): Values<Tags> {
  const found = value.tag === derTags.sequence ? derValues(value.content) : []
  if (tags.some((tag, index) => found[index]?.tag !== tag)) throw new DerFault(`the block is no ${label}`)
  // There are as many values as tags, as checked above.
  return found.slice(0, tags.length) as unknown as Values<Tags>
}

function signatureForm(algorithm: DerValue): SignatureForm | undefined {
  const [identifier, parameters] = derValues(algorithm.content)
  if (identifier === undefined) return undefined
  const name = objectIdentifier(identifier)
  if (name !== pss) return Object.hasOwn(forms, name) ? forms[name] : undefined
  // RFC 4055: the hash is the first parameter, in a tag of its own. SHA-1, its default, is too weak.
  const [tagged] = parameters === undefined ? [] : derValues(parameters.content)
  const [hashAlgorithm] = tagged?.tag === 0xa0 ? derValues(tagged.content) : []
  const [hashName] = hashAlgorithm === undefined ? [] : derValues(hashAlgorithm.content)
  const found = hashName === undefined ? undefined : objectIdentifier(hashName)
  const hash = found !== undefined && Object.hasOwn(hashes, found) ? hashes[found] : undefined
  return hash === undefined ? undefined : { hash, keys: rsa, isPss: true }
}

function isSigned(signed: Buffer, keyInfo: Buffer, signature: Buffer, { hash, keys, isPss }: SignatureForm): boolean {
  try {
    const key = createPublicKey({ key: keyInfo, format: "der", type: "spki" })
    if (!keys.includes(key.asymmetricKeyType ?? "")) return false
    const padding = isPss === true ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {}
    return verify(hash, signed, { key, ...padding }, signature)
  } catch {
    // The key cannot be read, or cannot make such a signature.
    return false
  }
}
