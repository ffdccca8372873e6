/** Chains of any length, with keys of any sort, for handshakes. Most of their signatures are nonsense. */
import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"

/** A chain and the key of its first certificate, as PEM. */
export interface MadeChain {
  readonly certificate: string
  readonly key: string
}

export type ChainKeys = keyof typeof keyInfos

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content])
  const hex = length.toString(16)
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex")
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes, content])
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts)
const bits = (bytes: Buffer): Buffer => der(0x03, Buffer.from([0]), bytes)
/** A positive number of this many bits, with the first and last bit set. */
function number(bitCount: number): Buffer {
  const bytes = randomBytes(Math.ceil(bitCount / 8))
  bytes[0] = ((bytes[0] ?? 0) & (0xff >> ((8 - (bitCount % 8)) % 8))) | (1 << ((bitCount - 1) % 8))
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 1
  return integer(bytes)
}
const integer = (bytes: Buffer): Buffer => der(0x02, Buffer.from((bytes[0] ?? 0) >= 0x80 ? [0] : []), bytes)

function identifier(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split(".").map(Number)
  const bytes = others.flatMap((arc) => {
    const groups = [arc & 0x7f]
    for (let rest = arc >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80)
    return groups
  })
  return der(0x06, Buffer.from([first * 40 + second, ...bytes]))
}

const rsaKey = (modulusBits: number, exponent: Buffer): Buffer =>
  sequence(sequence(identifier("1.2.840.113549.1.1.1"), der(0x05)), bits(sequence(number(modulusBits), exponent)))
const dsaKey = (p: number, q: number): Buffer =>
  sequence(sequence(identifier("1.2.840.10040.4.1"), sequence(number(p), number(q), number(200))), bits(number(p - 1)))
const ofNode = (key: KeyObject): Buffer => key.export({ format: "der", type: "spki" })
const onCurve = (namedCurve: string, paramEncoding: "named" | "explicit" = "named"): Buffer =>
  ofNode(generateKeyPairSync("ec", { namedCurve, paramEncoding }).publicKey)

/** The keys of all certificates but the first, and the bits of their signatures' numbers. */
const keyInfos = {
  "RSA with a long exponent": () => rsaKey(3072, number(3071)),
  "RSA of 16384 bits": () => rsaKey(16_384, number(64)),
  "RSA of 4096 bits": () => rsaKey(4096, integer(Buffer.from([1, 0, 1]))),
  "DSA of 10000 bits": () => dsaKey(10_000, 256),
  "DSA of 2048 bits": () => dsaKey(2048, 256),
  "a binary curve": () => onCurve("sect571r1"),
  "a curve of its own": () => onCurve("prime256v1", "explicit"),
  "another curve": () => onCurve("brainpoolP512r1"),
  "P-256": () => onCurve("prime256v1"),
  "P-521": () => onCurve("secp521r1"),
  Ed25519: () => ofNode(generateKeyPairSync("ed25519").publicKey),
  Ed448: () => ofNode(generateKeyPairSync("ed448").publicKey),
}

interface Signing {
  readonly algorithm: Buffer
  readonly signature: (signed: Buffer) => Buffer
}

const nonsense: Signing = {
  algorithm: sequence(identifier("1.2.840.10045.4.3.2")),
  signature: () => sequence(number(200), number(200)),
}

/** `old` are the places of certificates of version 1, which have no extensions. */
function chainOf(keys: readonly Buffer[], signing: Signing, key: string, old: readonly number[] = []): MadeChain {
  const name = (index: number): Buffer =>
    sequence(der(0x31, sequence(identifier("2.5.4.3"), der(0x0c, Buffer.from(`number ${index} of a chain that somebody has made`)))))
  const validity = sequence(der(0x17, Buffer.from("200101000000Z")), der(0x17, Buffer.from("490101000000Z")))
  const authority = der(0xa3, sequence(sequence(identifier("2.5.29.19"), der(0x04, sequence(der(0x01, Buffer.from([0xff])))))))
  const certificates = keys.map((info, index) => {
    const version = old.includes(index) ? [] : [der(0xa0, integer(Buffer.from([2])))]
    const head = [...version, integer(Buffer.from([index + 1])), signing.algorithm, name(index + 1), validity, name(index), info]
    const body = sequence(...head, ...(index === 0 || old.includes(index) ? [] : [authority]))
    return sequence(body, signing.algorithm, bits(signing.signature(body)))
  })
  const pem = (bytes: Buffer): string => `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64")}\n-----END CERTIFICATE-----\n`
  return { certificate: certificates.map(pem).join(""), key }
}

/** A chain whose signatures are nonsense. Its first key is one of P-256. */
export function madeChain(keys: ChainKeys, length: number): MadeChain {
  const own = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
  const infos = Array.from({ length: length - 1 }, keyInfos[keys])
  return chainOf([ofNode(own.publicKey), ...infos], nonsense, own.privateKey.export({ format: "pem", type: "pkcs8" }).toString())
}

/**
 * A chain in which each certificate has signed the one before it, with one RSA key of 4096 bits. `old` are the places
 * of certificates of version 1, which cannot say whether they are authorities.
 */
export function signedChain(length: number, old: readonly number[] = []): MadeChain {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 4096 })
  const signing: Signing = {
    algorithm: sequence(identifier("1.2.840.113549.1.1.11"), der(0x05)),
    signature: (signed) => sign("sha256", signed, privateKey),
  }
  const info = ofNode(createPublicKey(privateKey))
  return chainOf(Array<Buffer>(length).fill(info), signing, privateKey.export({ format: "pem", type: "pkcs8" }).toString(), old)
}
